package specfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specfile"
)

// tiny is the smallest spec of a name.
func tiny(name string) string {
	return fmt.Sprintf(`{"name":%q,"code":"return 1;","codeType":"Javascript"}`, name)
}

// listing gives, for each document, its place and its name, or its first
// problem.
func listing(docs []toolspec.Document) []string {
	var out []string
	for _, d := range docs {
		line := d.Pointer
		if d.Source != "" {
			line = d.Source + ":" + d.Pointer
		}
		if d.Spec != nil {
			line += " " + d.Spec.Name
		} else {
			line += " - " + d.Problems[0].Reason
		}
		out = append(out, line)
	}
	return out
}

func TestNamesAndIDsMeetOnce(t *testing.T) {
	with := func(name, id string) string {
		return fmt.Sprintf(`{"name":%q,"toolId":%q,"code":"return 1;","codeType":"Javascript"}`, name, id)
	}
	docs, err := specfile.LoadFS(fstest.MapFS{
		"a.json": {Data: []byte("[" + with("one", "1") + "," + with("two", "2") + "]")},
		"b.json": {Data: []byte(with("one", "9"))},
		"c.json": {Data: []byte(with("three", "2"))},
		"d.json": {Data: []byte(with("three", "4"))},
		"e.json": {Data: []byte(with("one", "1"))},
	}, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.json:[0] one", "a.json:[1] two", "b.json: one", "c.json: - tool-id-taken", "d.json: three", "e.json: one"}, listing(docs))
	require.Error(t, docs[2].Problems.Err())
	assert.EqualError(t, docs[2].Problems[0], `RESOLVER_REJECT name: "one" is also the name of a.json ([0]); give one of them another name`)
	assert.EqualError(t, docs[3].Problems[0], `RESOLVER_REJECT toolId: "2" is also the toolId of "two" in a.json ([1]); this document is not loaded; give it another toolId, or leave it out`)
	assert.NoError(t, docs[3].Problems.Err(), "a warning")
	assert.Empty(t, docs[4].Problems, "a document that is not loaded holds no name")
	assert.Equal(t, "name-taken", docs[5].Problems[0].Reason)
}

func TestLoadFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("b.json", tiny("b"))
	write("a/nested.json", "["+tiny("n1")+",4]")
	write("c.json", "{\n\"name\": }")
	write("d.txt", "no spec")
	write(".hidden.json", "no spec")
	write(".git/config.json", "no spec")
	write("e.json.corrupt-20260101", "no spec")
	write("f.corrupt-20260101.json", "no spec")
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "a", "loop")))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "a", "loop.json")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "b.json"), filepath.Join(dir, "g.json")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "h.json")))

	docs, err := specfile.Load([]string{dir}, nil)
	require.NoError(t, err)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	assert.Equal(t, []string{
		in("a/nested.json") + ":[0] n1", in("a/nested.json") + ":[1] - not-a-spec", in("b.json") + ": b",
		in("c.json") + ": - not-json", in("g.json") + ": b", in("h.json") + ": - unreadable",
	}, listing(docs))
	assert.EqualError(t, docs[3].Problems, "SPEC_PARSE: "+in("c.json")+": not JSON: found '}' where a value should be (line 2, column 9)")
	assert.Equal(t, "name-taken", docs[4].Problems[0].Reason)
	assert.Contains(t, docs[4].Problems[0].Message, in("b.json"))
	assert.EqualError(t, docs[5].Problems, "SPEC_PARSE: "+in("h.json")+": cannot be read: no such file or directory; allow reading it, or move it away")

	docs, err = specfile.Load([]string{in("c.json")}, nil)
	require.NoError(t, err, "a file that does not parse is a document")
	assert.Equal(t, []string{in("c.json") + ": - not-json"}, listing(docs))
	docs, err = specfile.Load([]string{in("d.txt")}, nil)
	require.NoError(t, err, "a file that is named is read whatever it is called")
	assert.Equal(t, []string{in("d.txt") + ": - not-json"}, listing(docs))
	docs, err = specfile.Load([]string{in("a/loop")}, nil)
	require.NoError(t, err, "a link that is named is followed")
	assert.Len(t, docs, 6)
	t.Chdir(dir)
	docs, err = specfile.Load([]string{"b.json"}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"b.json: b"}, listing(docs))

	_, err = specfile.Load([]string{in("none")}, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "toolspec: load "+in("none")+": no such file or directory; name a spec file or a folder of them")
	_, err = specfile.LoadFS(os.DirFS(dir), "none", nil)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestLoadFSOptions(t *testing.T) {
	fsys := fstest.MapFS{"specs/a.json": {Data: []byte(`{"name":"a","code":"return 1","codeType":"Javascript","draft":false}`)}}
	docs, err := specfile.LoadFS(fsys, "specs", &toolspec.ParseOptions{KeepDraft: true, Source: "ignored"})
	require.NoError(t, err)
	assert.Equal(t, []string{"specs/a.json: a"}, listing(docs))
	assert.False(t, docs[0].Spec.Draft)
	docs, err = specfile.LoadFS(fsys, "specs/a.json", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"specs/a.json: a"}, listing(docs))
}

// brokenFS fails in the ways that a disk can.
type brokenFS struct {
	fstest.MapFS
	open, list string
}

func (f brokenFS) Open(name string) (fs.File, error) {
	if name == f.open {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

func (f brokenFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.list {
		return nil, errors.New("disk on fire")
	}
	return f.MapFS.ReadDir(name)
}

func (f brokenFS) Stat(name string) (fs.FileInfo, error) { return f.MapFS.Stat(name) }

func TestLoadGoesOn(t *testing.T) {
	files := fstest.MapFS{"a.json": {Data: []byte(tiny("a"))}, "b.json": {Data: []byte(tiny("b"))}, "c/x.json": {Data: []byte(tiny("x"))},
		"p.json": {Mode: fs.ModeNamedPipe}, "z.json": {Data: []byte(tiny("z"))}}
	docs, err := specfile.LoadFS(brokenFS{files, "b.json", "c"}, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.json: a", "b.json: - unreadable", "c: - unreadable", "p.json: - unreadable", "z.json: z"}, listing(docs))
	assert.Contains(t, docs[1].Problems[0].Message, "permission denied")
	assert.Contains(t, docs[2].Problems[0].Message, "disk on fire")
	assert.Contains(t, docs[3].Problems[0].Message, "no regular file")
}

func TestLoadIsBounded(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 10_001 {
		files[fmt.Sprintf("%05d.json", i)] = &fstest.MapFile{Data: []byte("[]")}
	}
	docs, err := specfile.LoadFS(files, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"10000.json: - too-many-files"}, listing(docs))

	big := []byte(strings.Repeat(" ", 16<<20-2) + "[]")
	files = fstest.MapFS{}
	for i := range 18 {
		files[fmt.Sprintf("%02d.json", i)] = &fstest.MapFile{Data: big}
	}
	files["00.json"] = &fstest.MapFile{Data: append(big, ' ')}
	docs, err = specfile.LoadFS(files, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"00.json: - too-large", "15.json: - too-large"}, listing(docs))
}

func TestClashOfFiles(t *testing.T) {
	docs, err := specfile.LoadFS(fstest.MapFS{"a.json": {Data: []byte(tiny("a"))}, "b.json": {Data: []byte(tiny("a"))}}, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, `"a" is also the name of a.json`, docs[1].Problems[0].Message)
}
