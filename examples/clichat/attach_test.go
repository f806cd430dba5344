package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that is named and not there is an error, not a question without it.
func TestAttachWhatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "there.txt")
	require.NoError(t, os.WriteFile(there, []byte("the text of it"), 0o600))
	base := []string{"-home", t.TempDir(), "-quiet", "-tools", "none"}
	for name, c := range map[string]struct {
		question, out, err string
		code               int
	}{
		"not there":                  {question: "read @" + dir + "/none.txt", code: exitUsage, err: dir + "/none.txt\": there is no such file"},
		"not there beside one":       {question: "read @" + there + " and @" + dir + "/none.txt", code: exitUsage, err: "none.txt"},
		"a directory":                {question: "read @" + dir, code: exitUsage, err: "is a directory"},
		"a name":                     {question: "@alice said it", code: exitUsage, err: "write @@ before a word"},
		"a text":                     {question: "@@alice said it, to a@b.example @ noon", out: "You said: @alice said it, to a@b.example @ noon\n"},
		"at the end of a sentence":   {question: "read (@" + there + "), please", out: "the text of it"},
		"at the end of the question": {question: "what is in @" + there + "?", out: "the text of it"},
	} {
		t.Run(name, func(t *testing.T) {
			got := once(t, "", append(base[:len(base):len(base)], c.question)...)
			assert.Equal(t, c.code, got.code, got.err)
			assert.Contains(t, got.err, c.err)
			assert.Contains(t, got.out, c.out)
			got = once(t, "", append(base[:len(base):len(base)], "-json", c.question)...)
			assert.Equal(t, c.code, got.code, got.err)
		})
	}
	got := once(t, `{"type":"message","text":"read @/nonexistent/x"}`+"\n", append(base, "-json", "-input", "json")...)
	assert.Contains(t, got.out, `"cli.error"`)
	assert.Contains(t, got.out, "/nonexistent/x")
	assert.NotContains(t, got.out, "You said")
}

// A question that is edited is as it was written.
func TestQuestionAsWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("@nothing in it"), 0o600))
	for _, text := range []string{"ask @@alice and @@bob", "read @" + file, "to a@b.example"} {
		a := &app{cfg: &options{}}
		m, _, err := a.compose(t.Context(), text, "")
		require.NoError(t, err)
		assert.Equal(t, text, asWritten(&m))
	}
}
