package toolspec_test

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

func TestParseFindsSpecs(t *testing.T) {
	a, b := tiny("a"), tiny("b")
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"one":                       {a, []string{" a"}},
		"byte order mark":           {"\xef\xbb\xbf" + a, []string{" a"}},
		"a list":                    {"[" + a + "," + b + "]", []string{"[0] a", "[1] b"}},
		"an empty list":             {"[]", nil},
		"bundle":                    {`{"toolSpecs":[` + a + "," + b + `],"toolMcpServerSetting":{"autoAdd":true}}`, []string{"toolSpecs[0] a", "toolSpecs[1] b"}},
		"an empty bundle":           {`{"toolSpecs":[]}`, nil},
		"one in an envelope":        {`{"spec":` + a + `}`, []string{"spec a"}},
		"as the file store writes":  {`{"key":"a","version":3,"updated":"2026-01-01T00:00:00Z","data":` + a + `}`, []string{"data a"}},
		"any member that holds one": {`{"kind":"export","payload":` + a + `,"more":[3,` + b + `]}`, []string{"payload a", "more[0] - not-a-spec", "more[1] b"}},
		"an envelope with a name":   {`{"name":"my catalogue","specs":[` + a + `]}`, []string{"specs[0] a"}},
		"envelopes in a list":       {`[{"spec":` + a + `},` + b + `]`, []string{"[0].spec a", "[1] b"}},
		"known ones only":           {`{"data":{"spec":` + a + `}}`, []string{"data.spec a"}},
		"bad ones hide no others":   {`[null,` + a + `,{"name":"x"},[` + a + `],"s",{}]`, []string{"[0] - not-a-spec", "[1] a", "[2] - missing-member", "[3] - not-a-spec", "[4] - not-a-spec", "[5] - missing-member"}},
		"an incomplete one":         {`{"name":"x","data":{"k":1}}`, []string{" - missing-member"}},
		"MCP's list of tools":       {`{"tools":[{"name":"x","inputSchema":{}}]}`, []string{"tools[0] - missing-member"}},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := toolspec.Parse([]byte(tc.text), nil)
			require.NoError(t, err)
			assert.Equal(t, tc.want, listing(docs))
		})
	}
}

func TestParseRefusesTheWholeText(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":                         {" \n", "SPEC_PARSE: the text is empty; write a spec: a JSON object with name, code and codeType"},
		"not JSON":                        {"{\n  'name': 1}", `SPEC_PARSE: not JSON: found "'" where a member name in double quotes should be (line 2, column 3); write strings and names in double quotes`},
		"unknown envelopes in each other": {`{"data":{"export":{"toolSpecs":[` + tiny("a") + `]}}}`, `SPEC_PARSE data: no spec found among the members "export" (line 1, column 9)`},
		"cut short":                       {tiny("a")[:20], "SPEC_PARSE: not JSON: found a string that does not end where a closing quote should be"},
		"two texts":                       {tiny("a") + "\n" + tiny("b"), "SPEC_PARSE: not JSON: found '{' where the end of the text should be (line 2, column 1)"},
		"UTF-16":                          {"\xff\xfe{\x00", "SPEC_PARSE: the text is UTF-16; save it as UTF-8"},
		"Latin-1":                         {"{\"name\":\"caf\xe9\"}", "SPEC_PARSE: not JSON: found a byte that is not UTF-8 where UTF-8 text should be (line 1, column 13); save it as UTF-8"},
		"a number":                        {"7", `SPEC_PARSE: found a number where a spec, a list of specs or an object that holds them should be (line 1, column 1); write an object with "name", "code" and "codeType", or a list of them`},
		"no spec":                         {`{"a":1,"b":{},"c":[],"d":[{}],"e":2,"f":3}`, `SPEC_PARSE: no spec found among the members "a", "b", "c", "d", "e" (line 1, column 1); write`},
		"no members":                      {`{}`, `SPEC_PARSE: the object is empty (line 1, column 1)`},
		"an empty envelope":               {`{"spec":{}}`, `SPEC_PARSE spec: the object is empty (line 1, column 9)`},
		"too deep":                        {strings.Repeat("[", 300) + strings.Repeat("]", 300), "SPEC_PARSE: objects and lists nest deeper than 200 (line 1, column 201)"},
		"too large":                       {strings.Repeat(" ", toolspec.MaxDocumentSize+1), "SPEC_PARSE: the text is 17 MiB, the limit is 16 MiB; split it into several files"},
	} {
		t.Run(name, func(t *testing.T) {
			docs, err := toolspec.Parse([]byte(tc.text), &toolspec.ParseOptions{Source: "dir/x.json"})
			assert.Nil(t, docs)
			require.ErrorContains(t, err, "toolspec: dir/x.json: "+tc.want)
			var problems toolspec.Problems
			require.ErrorAs(t, err, &problems)
			assert.Equal(t, toolspec.CodeParse, problems[0].Code)
			_, err = toolspec.ParseSpec([]byte(tc.text))
			require.ErrorContains(t, err, "toolspec: "+tc.want)
		})
	}
}

func TestParseSpec(t *testing.T) {
	spec, err := toolspec.ParseSpec([]byte(tiny("a")))
	require.NoError(t, err)
	assert.True(t, spec.Draft, "what comes from elsewhere is a draft")
	_, err = toolspec.ParseSpec([]byte("[" + tiny("a") + "," + tiny("b") + "]"))
	assert.EqualError(t, err, "toolspec: SPEC_PARSE: the text holds 2 specs, want exactly one; use Parse for a list")
	_, err = toolspec.ParseSpec([]byte(`{"name":"a","code":"x","codeType":"Java","tags":["a","b","c"]}`))
	var problems toolspec.Problems
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 2, "all of them")
}

func TestParseDraftsAndStrictness(t *testing.T) {
	published := `{"name":"a","code":"return 1","codeType":"Javascript","draft":false}`
	odd := `{"name":"a","code":"return 1","codeType":"Javascript","params":[{"name":"p","type":"string","required":false,"extra":1}]}`
	broken := `{"name":"a","code":"","codeType":"Javascript","draft":false}`
	one := func(text string, opts *toolspec.ParseOptions) toolspec.Document {
		docs, err := toolspec.Parse([]byte(text), opts)
		require.NoError(t, err)
		require.Len(t, docs, 1)
		return docs[0]
	}
	assert.True(t, one(published, nil).Spec.Draft)
	assert.False(t, one(published, &toolspec.ParseOptions{KeepDraft: true}).Spec.Draft)
	assert.False(t, one(tiny("a"), &toolspec.ParseOptions{KeepDraft: true}).Spec.Draft, "absent is false")

	doc := one(broken, &toolspec.ParseOptions{KeepDraft: true})
	require.NotNil(t, doc.Spec)
	assert.True(t, doc.Spec.Draft, "a broken rule makes a draft")
	assert.Nil(t, one(broken, &toolspec.ParseOptions{Strict: true}).Spec)

	doc = one(odd, nil)
	require.NotNil(t, doc.Spec)
	assert.NoError(t, doc.Problems.Err())
	assert.Len(t, doc.Problems.Warnings(), 2)
	doc = one(odd, &toolspec.ParseOptions{Strict: true})
	assert.Nil(t, doc.Spec)
	assert.Len(t, doc.Problems.Errors(), 2)
}

func TestNamesAndIDsMeetOnce(t *testing.T) {
	with := func(name, id string) string {
		return fmt.Sprintf(`{"name":%q,"toolId":%q,"code":"return 1;","codeType":"Javascript"}`, name, id)
	}
	docs, err := toolspec.LoadFS(fstest.MapFS{
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

	docs, err = toolspec.Parse([]byte("["+tiny("a")+","+tiny("a")+"]"), nil)
	require.NoError(t, err)
	assert.Contains(t, docs[1].Problems[0].Message, "the entry [0]")
	docs, err = toolspec.Parse([]byte(tiny("a")), nil)
	require.NoError(t, err)
	assert.Empty(t, docs[0].Problems)
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

	docs, err := toolspec.Load([]string{dir}, nil)
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

	docs, err = toolspec.Load([]string{in("c.json")}, nil)
	require.NoError(t, err, "a file that does not parse is a document")
	assert.Equal(t, []string{in("c.json") + ": - not-json"}, listing(docs))
	docs, err = toolspec.Load([]string{in("d.txt")}, nil)
	require.NoError(t, err, "a file that is named is read whatever it is called")
	assert.Equal(t, []string{in("d.txt") + ": - not-json"}, listing(docs))
	docs, err = toolspec.Load([]string{in("a/loop")}, nil)
	require.NoError(t, err, "a link that is named is followed")
	assert.Len(t, docs, 6)
	t.Chdir(dir)
	docs, err = toolspec.Load([]string{"b.json"}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"b.json: b"}, listing(docs))

	_, err = toolspec.Load([]string{in("none")}, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.EqualError(t, err, "toolspec: load "+in("none")+": no such file or directory; name a spec file or a folder of them")
	_, err = toolspec.LoadFS(os.DirFS(dir), "none", nil)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestClashWithoutAPlace(t *testing.T) {
	docs, err := toolspec.Parse([]byte(`{"spec":`+tiny("a")+`,"specs":[`+tiny("a")+`]}`), nil)
	require.NoError(t, err)
	assert.Equal(t, `"a" is also the name of the entry spec`, docs[1].Problems[0].Message)
	docs, err = toolspec.LoadFS(fstest.MapFS{"a.json": {Data: []byte(tiny("a"))}, "b.json": {Data: []byte(tiny("a"))}}, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, `"a" is also the name of a.json`, docs[1].Problems[0].Message)
}

func TestLoadFSOptions(t *testing.T) {
	fsys := fstest.MapFS{"specs/a.json": {Data: []byte(`{"name":"a","code":"return 1","codeType":"Javascript","draft":false}`)}}
	docs, err := toolspec.LoadFS(fsys, "specs", &toolspec.ParseOptions{KeepDraft: true, Source: "ignored"})
	require.NoError(t, err)
	assert.Equal(t, []string{"specs/a.json: a"}, listing(docs))
	assert.False(t, docs[0].Spec.Draft)
	docs, err = toolspec.LoadFS(fsys, "specs/a.json", nil)
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
	docs, err := toolspec.LoadFS(brokenFS{files, "b.json", "c"}, ".", nil)
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
	docs, err := toolspec.LoadFS(files, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"10000.json: - too-many-files"}, listing(docs))

	big := []byte(strings.Repeat(" ", 16<<20-2) + "[]")
	files = fstest.MapFS{}
	for i := range 18 {
		files[fmt.Sprintf("%02d.json", i)] = &fstest.MapFile{Data: big}
	}
	files["00.json"] = &fstest.MapFile{Data: append(big, ' ')}
	docs, err = toolspec.LoadFS(files, ".", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"00.json: - too-large", "15.json: - too-large"}, listing(docs))
}

func ExampleParse() {
	docs, err := toolspec.Parse([]byte(`[
	  {"name": "greet", "code": "return 'Hello, ' + who;", "codeType": "Javascript",
	   "params": [{"name": "who", "type": "STRING", "required": true, "testValue": "Ann"}]},
	  {"name": "broken", "codeType": "Javascript"}
	]`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, doc := range docs {
		if doc.Spec == nil {
			fmt.Println(doc.Pointer, doc.Problems)
			continue
		}
		fmt.Println(doc.Pointer, doc.Spec.Name, string(doc.Spec.InputSchema()))
	}
	// Output:
	// [0] greet {"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}
	// [1] SPEC_PARSE code: is missing (line 4, column 4); add "code": the body of an async JavaScript function, with a return
}
