package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/chattest"
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
		"a device":                   {question: "read @/dev/null", code: exitUsage, err: "neither a regular file nor a directory"},
		"a directory":                {question: "read @" + dir, out: "the text of it"},
		"a directory and a stop":     {question: "read @" + dir + "/.", out: "the text of it"},
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
		a.now.model = chattest.NewModel()
		m, _, err := a.compose(t.Context(), text, "")
		require.NoError(t, err)
		assert.Equal(t, text, asWritten(&m))
	}
}

// A directory is attached as far as it fits, without what is withheld from tools.
func TestAttachFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "text of a", "sub/b.go": "package b", ".env": "CANARY", ".git/config": "CANARY", "home/localpass.json": "{}", "home/keys/k": "CANARY",
		"binary": "a\xff\x00", "large.txt": strings.Repeat("x", maxFolderBytes+1)} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got := once(t, "", "-home", filepath.Join(dir, "home"), "-tools", "none", "read @"+dir)
	require.Equal(t, exitOK, got.code, got.err)
	base := filepath.Base(dir)
	for _, want := range []string{base + "/a.txt:\n```\ntext of a", base + "/sub/b.go:\n```\npackage b", "Left out of " + dir + ": binary, large.txt"} {
		assert.Contains(t, got.out, want)
	}
	assert.Contains(t, got.err, "2 files of "+dir+" are left out")
	assert.NotContains(t, got.out, "CANARY")
	got = once(t, "", "-home", t.TempDir(), "-tools", "none", "read @"+t.TempDir())
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, "no text file")
}

// A page is got with the rules for tools: public hosts, and those that the user opened.
func TestAttachPage(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html><head><title>The title</title><script>CANARY</script></head><body><h1>Big</h1><p>One &amp; two</p><style>CANARY</style></body>")
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "plain <b>text</b>")
		case "/binary":
			_, _ = w.Write([]byte{0, 1, 2, 0xff})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	for path, want := range map[string]string{
		"/page": "The title\n\nBig\n\nOne & two\n", "/text": "plain <b>text</b>",
	} {
		got := once(t, "", "-home", t.TempDir(), "-tools", "none", "-allow-host", host, "read @"+site.URL+path+", please")
		assert.Equal(t, exitOK, got.code, got.err)
		assert.Contains(t, got.out, site.URL+path+":\n```\n"+want)
		assert.NotContains(t, got.out, "CANARY")
	}
	for address, want := range map[string]string{site.URL + "/none": "404", site.URL + "/binary": "neither text nor"} {
		got := once(t, "", "-home", t.TempDir(), "-tools", "none", "-allow-host", host, "read @"+address)
		assert.Equal(t, exitUsage, got.code, got.out)
		assert.Contains(t, got.err, want)
	}
	got := once(t, "", "-home", t.TempDir(), "-tools", "none", "read @"+site.URL+"/text")
	assert.Equal(t, exitUsage, got.code, "an internal host is not reached unless it was opened")
	assert.NotContains(t, got.out, "plain")
}

// A link in the directory of the chat does not choose another file, but one may be named.
func TestAttachLink(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "key.txt"), []byte("CANARY"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("text of a"), 0o600))
	for name, to := range map[string]string{"out.txt": filepath.Join(other, "key.txt"), "folder": other, "in.txt": "a.txt"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	t.Chdir(dir)
	for question, want := range map[string]string{"read @out.txt": "is a link to ", "read @folder": "is a link to ", "read @folder/key.txt": "is a link to ", "read @./out.txt": "is a link to "} {
		got := once(t, "", "-home", t.TempDir(), "-quiet", "-tools", "none", question)
		assert.Equal(t, exitUsage, got.code, question)
		assert.Contains(t, got.err, want, question)
		assert.NotContains(t, got.out+got.err, "CANARY")
	}
	assert.Contains(t, once(t, "", "-home", t.TempDir(), "-quiet", "-tools", "none", "read @in.txt").out, "text of a")
	assert.Contains(t, once(t, "", "-home", t.TempDir(), "-quiet", "-tools", "none", "read @"+filepath.Join(other, "key.txt")).out, "CANARY")
}
