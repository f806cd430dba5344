package eval

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/lexical"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/splitter"
)

// The questions in other words share no stem with what answers them.
func TestHandbook(t *testing.T) {
	t.Parallel()
	set := Handbook(true)
	require.NoError(t, set.Check())
	assert.Len(t, set.Documents, 40)
	assert.Len(t, set.Questions, 70)
	texts := map[string]map[string]bool{}
	for _, d := range set.Documents {
		texts[d.ID] = map[string]bool{}
		for _, w := range lexical.Words(d.Text) {
			texts[d.ID][w] = true
		}
	}
	for _, q := range set.Questions {
		for id := range q.Relevant {
			for _, w := range lexical.Words(q.Text) {
				assert.False(t, texts[id][w], "%q shares %q with %s", q.Text, w, id)
			}
		}
	}
	assert.Len(t, unanswerable(), 30)
}

func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func TestLoadBEIR(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"corpus.jsonl":   `{"_id":"d1","title":"Cats","text":"They sleep."}` + "\n" + `{"_id":"d2","title":"","text":"Dogs bark.","metadata":{}}` + "\n" + `{"_id":"d3","title":"","text":""}`,
		"queries.jsonl":  `{"_id":"q1","text":"Who sleeps?"}` + "\n" + `{"_id":"q2","text":"not judged"}` + "\n" + `{"_id":"q3","text":"Who swims?"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq3\td1\t0\n",
	}
	set, err := LoadBEIR(write(t, t.TempDir(), files), "test")
	require.NoError(t, err)
	assert.Equal(t, []rag.Document{{ID: "d1", Text: "Cats\nThey sleep."}, {ID: "d2", Text: "Dogs bark."}}, set.Documents)
	assert.Equal(t, []Question{{"q1", "Who sleeps?", map[string]int{"d1": 2}}, {"q3", "Who swims?", map[string]int{}}}, set.Questions)
	for name, change := range map[string]map[string]string{
		"corpus":       {"corpus.jsonl": "{"},
		"queries":      {"queries.jsonl": "{"},
		"columns":      {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\n"},
		"score":        {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\tgood\n"},
		"no such":      {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td9\t1\n"},
		"empty answer": {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td3\t1\n"},
		"none judged":  {"qrels/test.tsv": "query-id\tcorpus-id\tscore\n"},
	} {
		dir := write(t, write(t, t.TempDir(), files), change)
		_, err := LoadBEIR(dir, "test")
		require.Error(t, err, name)
		require.True(t, strings.HasPrefix(err.Error(), "eval: "), err)
	}
	for name := range files {
		dir := write(t, t.TempDir(), files)
		require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
		_, err := LoadBEIR(dir, "test")
		require.ErrorIs(t, err, os.ErrNotExist, name)
	}
}

func TestLoadSpans(t *testing.T) {
	t.Parallel()
	head := "question,references,corpus_id\n"
	files := map[string]string{
		"corpora/town.md": "Grüße: the café opens at eight.",
		"field.md":        "Corn.",
		"questions_df.csv": head + `When does it open?,"[{""content"": ""café"", ""start_index"": 11, ""end_index"": 15}, {""content"": ""eight."", ""start_index"": 25, ""end_index"": 31}]",town` + "\n" +
			`What grows?,"[{""content"": ""Corn."", ""start_index"": 0, ""end_index"": 5}]",field` + "\n",
	}
	set, err := LoadSpans(write(t, t.TempDir(), files))
	require.NoError(t, err)
	assert.Equal(t, []Text{{"town", files["corpora/town.md"]}, {"field", "Corn."}}, set.Texts)
	assert.Equal(t, []SpanQuestion{{"When does it open?", "town", []Span{{13, 18}, {28, 34}}}, {"What grows?", "field", []Span{{0, 5}}}}, set.Questions)
	for name, table := range map[string]string{
		"no column":      "question,references\na,b\n",
		"no table":       "\"",
		"no references":  head + "a,b,field\n",
		"other content":  head + `a,"[{""content"": ""Corn"", ""start_index"": 0, ""end_index"": 5}]",field` + "\n",
		"backwards":      head + `a,"[{""content"": """", ""start_index"": 3, ""end_index"": 1}]",field` + "\n",
		"no such text":   head + "a,[],forest\n",
		"outside":        head + "a,[],../field\n",
		"not UTF-8":      head + "a,[],bad\n",
		"no place":       head + "a,[],field\n",
		"without a line": head,
	} {
		dir := write(t, write(t, t.TempDir(), files), map[string]string{"questions_df.csv": table, "bad.md": "\xff"})
		_, err := LoadSpans(dir)
		require.Error(t, err, name)
		require.True(t, strings.HasPrefix(err.Error(), "eval: "), err)
	}
	_, err = LoadSpans(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The search by words must not become worse: these bounds are a little below what was
// measured, as the comments change with every version of Go.
func TestGoDocs(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	packages, floor := []string{"bufio", "encoding/json", "flag", "io", "log", "math/big", "net/http", "os", "sort", "strings", "sync", "time"}, 0.6
	if testrun.Full() {
		packages, floor = nil, 0.54
	}
	set, spans, err := GoDocs(src, packages...)
	require.NoError(t, err)
	assert.Greater(t, len(set.Documents), 150)
	assert.Len(t, set.Questions, len(set.Documents)+30)
	for _, q := range spans.Questions {
		for _, text := range spans.Texts {
			if text.ID == q.TextID {
				assert.NotContains(t, text.Text[q.Spans[0].Start:q.Spans[0].End], q.Text)
			}
		}
	}
	store, err := flat.New(nil)
	require.NoError(t, err)
	require.NoError(t, store.Add(t.Context(), set.Documents...))
	systems, err := Systems("flat", store, []rag.Mode{rag.ModeLexical}, nil, nil)
	require.NoError(t, err)
	r, err := Measure(t.Context(), set, systems[0])
	require.NoError(t, err)
	t.Logf("%+v", r)
	assert.Greater(t, r.NDCG10, floor)
	assert.Greater(t, r.Abstained, 0.8)
	assert.Less(t, r.Silent, 0.05)

	tokenizer := splitter.Approximate()
	markdown, err := splitter.Markdown(tokenizer, nil)
	require.NoError(t, err)
	store, err = flat.New(nil)
	require.NoError(t, err)
	s, err := MeasureSplitter(t.Context(), spans, "Markdown", markdown, SplitterOptions{Store: store, Tokenizer: tokenizer})
	require.NoError(t, err)
	t.Logf("%+v", s)
	assert.Greater(t, s.Recall, 0.7)
	assert.Greater(t, s.IoU, 0.1)

	_, _, err = GoDocs(src, "no/such")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = GoDocs(t.TempDir())
	require.ErrorIs(t, err, rag.ErrInvalid, "it has no questions with an answer")
	broken := write(t, t.TempDir(), map[string]string{"a/a.go": "package"})
	_, _, err = GoDocs(broken)
	require.Error(t, err)
}

// What is taken of a comment, and what is not.
func TestDivide(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30)
	d, ok := divide("Copy writes all bytes of a file to another.\n"+long, "File.Copy")
	require.True(t, ok)
	assert.Equal(t, "writes all bytes of a file to another.", d.question)
	assert.Equal(t, strings.TrimSpace(long), d.answer)
	for _, comment := range []string{"", "Copy copies.\n" + long, "Copy writes all bytes of a file to another.\nShort.", "Copy writes all bytes of a file to another.\n" + long + "\n\nDeprecated: no."} {
		_, ok := divide(comment, "Copy")
		assert.False(t, ok, comment)
	}
}
