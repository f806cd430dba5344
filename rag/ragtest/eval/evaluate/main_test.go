package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-packages", "flag,strings"}, &out))
	for _, want := range []string{"handbook:", "handbook in other words:", "Go's comments:", "flat hybrid, reranked", "chromem vector, diverse", "chromem and flat hybrid", "Go's comments by package: 2 texts", "sentences in 400 tokens"} {
		assert.Contains(t, out.String(), want)
	}
	require.Error(t, run(t.Context(), []string{"-packages", "no/such"}, &out))
	require.Error(t, run(t.Context(), []string{"-nonsense"}, &out))
}

func TestRunFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"corpus.jsonl": `{"_id":"d1","title":"Cats","text":"They sleep."}`, "queries.jsonl": `{"_id":"q1","text":"Who sleeps?"}`,
		"qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n", "town.md": "It opens at eight.",
		"questions_df.csv": "question,references,corpus_id\n" + `When does it open?,"[{""content"": ""eight"", ""start_index"": 12, ""end_index"": 17}]",town` + "\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-beir", dir, "-split", "dev", "-spans", dir}, &out))
	assert.Contains(t, out.String(), "1 documents, 1 questions with an answer and 0 without")
	assert.Contains(t, out.String(), "1 texts, 1 questions")
	require.ErrorIs(t, run(t.Context(), []string{"-beir", t.TempDir(), "-spans", dir}, &out), os.ErrNotExist)
	require.ErrorIs(t, run(t.Context(), []string{"-spans", t.TempDir(), "-packages", "flag"}, &out), os.ErrNotExist)
}
