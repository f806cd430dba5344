package reader_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/splitter"
)

// From a file to chunks that know the rows they are in.
func Example() {
	ctx := context.Background()
	file := rag.File{Name: "prices.csv", Data: []byte("fruit;price\napple;3\npear;4\n")}
	extract, err := reader.New(nil).Read(ctx, file)
	if err != nil {
		fmt.Println(err)
		return
	}
	byStructure, err := splitter.Markdown(splitter.Approximate(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	chunks, err := rag.SplitDocument(ctx, byStructure, extract.Document("prices"), &rag.SplitOptions{Parts: extract.Parts})
	for _, c := range chunks {
		fmt.Println(c.Title(), c.Metadata[rag.KeyRow], "to", c.Metadata["end_row"])
		fmt.Println(c.Text)
	}
	fmt.Println(err)
	// Output:
	// prices.csv 1 to 3
	// | fruit | price |
	// | --- | --- |
	// | apple | 3 |
	// | pear | 4 |
	// <nil>
}

func ExampleSniff() {
	fmt.Println(reader.Sniff(rag.File{Name: "picture.txt", Data: []byte("%PDF-1.7\n")}))
	fmt.Println(reader.Sniff(rag.File{Name: "README.md", Data: []byte("Read me.\n")}))
	// Output:
	// application/pdf
	// text/markdown
}

func read(t *testing.T, name, data string) *rag.Extract {
	t.Helper()
	extract, err := reader.New(nil).Read(context.Background(), rag.File{Name: name, Data: []byte(data)})
	require.NoError(t, err)
	checkExtract(t, extract)
	return extract
}

// checkExtract checks what every extract promises.
func checkExtract(t testing.TB, e *rag.Extract) {
	t.Helper()
	require.NotContains(t, e.Text, "\x00")
	require.Equal(t, strings.ToValidUTF8(e.Text, "?"), e.Text)
	require.NotContains(t, e.Text, "\r")
	_, err := rag.CloneMetadata(e.Metadata)
	require.NoError(t, err)
	ends := map[string]int{}
	start := 0
	for _, p := range e.Parts {
		require.GreaterOrEqual(t, p.Start, start, "parts are ordered")
		require.GreaterOrEqual(t, p.Start, ends[p.Key], "parts of one key do not overlap")
		require.Less(t, p.Start, p.End)
		require.LessOrEqual(t, p.End, len(e.Text))
		start, ends[p.Key] = p.Start, p.End
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, data, want string }{
		{"a.docx", "\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"},
		{"a", "plain words", reader.Text},
		{"a", "\xef\xbb\xbf<!-- x --><!DOCTYPE html><title>x", reader.HTML},
		{"a.html", "<p>some</p>", reader.HTML},
		{"a.html", "words only", reader.Text},
		{"a", `<?xml version="1.0"?><html xmlns="x">`, reader.HTML},
		{"a", `{"a": 1}`, reader.JSON},
		{"a.json", `{"a": `, reader.JSON},
		{"a", `{"a": `, reader.Text},
		{"a", "{\"a\": 1}\n{\"a\": 2}\n", reader.JSONLines},
		{"a.ndjson", "{\"a\": 1}\n", reader.JSONLines},
		{"a.txt", `{"a": 1}`, reader.Text},
		{"a", "# Title\n\n- one\n- two\n", reader.Markdown},
		{"a.txt", "# Title\n\n- one\n- two\n", reader.Text},
		{"a", "# a comment of a script\nset -e\n", reader.Text},
		{"a.csv", "a,b\n1,2\n", reader.CSV},
		{"a", "a,b,c\n1,2,3\n4,5,6\n7,8,9\n0,0,0\n", reader.CSV},
		{"a", "One, two, three.\nFour, five.\nSix.\nSeven, eight.\nNine.\n", reader.Text},
		{"a", "From: a@example.org\nTo: b@example.org\nSubject: x\n\nText: here.\n", reader.Mail},
		{"a", "Subject: only one\n\nText.\n", reader.Text},
		{"a.txt", `{\rtf1 x}`, reader.RTF},
		{"a", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....W\x00o\x00r\x00d\x00D\x00o\x00c\x00u\x00m\x00e\x00n\x00t\x00", reader.DOC},
		{"a", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "application/x-ole-storage"},
		{"a", "PK\x03\x04 broken", "application/zip"},
		{"a", "\x00\x01\x02\x03\x04\x05\x06\x07", reader.Binary},
		{"a", "junk %PDF-1.4", reader.PDF},
	} {
		assert.Equal(t, c.want, reader.Sniff(rag.File{Name: c.name, Data: []byte(c.data)}), "%s %.30q", c.name, c.data)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for charset, text := range map[string]string{
		"utf-16le": "Übergröße", "utf-16be": "plain words",
		"windows-1252": "Die Größe der Tür überrascht den müden Käufer, der für fünf Euro Brötchen und Käse möchte. «Très bien», répondit-il.",
		"koi8-r":       "Съешь же ещё этих мягких французских булок да выпей чаю, сказал он и ушёл домой, не оглядываясь назад.",
		"shift_jis":    "これは日本語の文章です。文字コードを推定するために、もう少し長い文を書きます。",
		"gb18030":      "这是一个中文文本，用来测试字符集的检测。我们需要写得长一点，这样统计才有意义。",
		"big5":         "這是一個中文文本，用來測試字符集的檢測。我們需要寫得長一點，這樣統計才有意義。",
		"euc-kr":       "이것은 한국어 텍스트입니다. 문자 집합을 감지하기 위해 조금 더 길게 씁니다.",
	} {
		by, err := htmlindex.Get(charset)
		require.NoError(t, err)
		data, err := by.NewEncoder().String(strings.Repeat(text+"\r\n", 4))
		require.NoError(t, err)
		got := read(t, "a.txt", data)
		assert.Equal(t, strings.Repeat(text+"\n", 4), got.Text, charset)
		assert.Equal(t, charset, got.Metadata[rag.KeyCharset])
	}
	e := read(t, "/x/a.txt", "\xef\xbb\xbfone\r\ntwo\x00\x07\fthree\x85"+strings.Repeat(" word", 100))
	assert.Equal(t, "one\ntwo\nthree\ufffd"+strings.Repeat(" word", 100), e.Text)
	assert.Equal(t, "a.txt", e.Metadata[rag.KeySource])
	assert.False(t, e.Markdown)
	assert.Equal(t, "a\nb", read(t, "", "\xff\xfe\x00\x00a\x00\x00\x00\n\x00\x00\x00b\x00\x00\x00").Text)
	assert.Equal(t, "a b", read(t, "", "\x00\x00\xfe\xff\x00\x00\x00a\x00\x00\x00 \x00\x00\x00b").Text)
	// Most of it is UTF-8, so that the rest is broken and no other charset.
	assert.Equal(t, strings.Repeat("für ", 20)+"\ufffd", read(t, "", strings.Repeat("für ", 20)+"\xff").Text)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	e := read(t, "a.md", "---\ntitle: Guide\nauthor: Ann\n---\n# Install\n\nRun it.\n")
	assert.Equal(t, "# Install\n\nRun it.\n", e.Text)
	assert.True(t, e.Markdown)
	assert.Equal(t, map[string]any{"title": "Guide", "author": "Ann", "source": "a.md"}, e.Metadata)
	e = read(t, "a.md", "\n## The *title* ##\ntext\n")
	assert.Equal(t, "The *title*", e.Metadata[rag.KeyTitle])
	assert.Equal(t, "---\nno: [yaml\n---\n", read(t, "a.md", "---\nno: [yaml\n---\n").Text)
}

func TestHTML(t *testing.T) {
	t.Parallel()
	e := read(t, "a.html", `<!doctype html><html lang="en"><head><title>The  title</title><meta name="Description" content="About it"><style>p{}</style></head>
<body><h1>Head</h1><p>One <b>bold</b> <a href="https://example.org/x">link</a> <a href="#top">top</a> <img src="data:x" alt="A picture"></p>
<script>alert(1)</script><!-- not seen --><p hidden>secret one</p><div style="color:red; display : none">secret two</div><p style="font-size:0">secret three</p>
<table><tr><td>a</td><td>b|c</td></tr><tr><td colspan="100000">d</td></tr></table><ul><li>x</li></ul><pre>code
  more</pre></body></html>`)
	assert.Equal(t, `# Head

One **bold** [link](https://example.org/x) top A picture

| a | b\|c |
|---|---|
| d |  |

- x

`+"```\ncode\n  more\n```", e.Text)
	assert.Equal(t, map[string]any{"title": "The title", "description": "About it", "language": "en", "source": "a.html"}, e.Metadata)
	assert.Equal(t, []string{"3 hidden elements were left out"}, e.Warnings)
	e = read(t, "a.html", "<html><meta charset=koi8-r><p>\xd4\xc5\xcb\xd3\xd4</p>")
	assert.Equal(t, "текст", e.Text)
	article := reader.New(&reader.Options{Article: func(page string) (string, error) { return "<p>main</p>", nil }})
	e, err := article.Read(context.Background(), rag.File{Name: "a.html", Data: []byte("<html><p>menu</p><p>main</p>")})
	require.NoError(t, err)
	assert.Equal(t, "main", e.Text)
}

func TestCSV(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"commas":     {"a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"},
		"tabs":       {"a\tb\n1\t2, 3\n", "| a | b |\n| --- | --- |\n| 1 | 2, 3 |"},
		"quotes":     {"a;b\n\"x\ny|\"\"z\";2\n", "| a | b |\n| --- | --- |\n| x y\\|\"z | 2 |"},
		"ragged":     {"a,b,c\n1\n1,2,3,4\n", "| a | b | c |\n| --- | --- | --- |\n| 1 | | |\n| 1 | 2 | 3 | 4 |"},
		"empty rows": {"a,b\n,\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"},
		"bad quotes": {"a,b\nx\"y,2\n", "| a | b |\n| --- | --- |\n| x\"y | 2 |"},
	} {
		assert.Equal(t, c.want, read(t, "a.csv", c.data).Text, name)
	}
	e := read(t, "a.csv", "a,b\n,\n1,2\n")
	require.Len(t, e.Parts, 2)
	assert.Equal(t, rag.Part{Start: 24, End: 33, Key: rag.KeyRow, Value: int64(3)}, e.Parts[1])
}

func TestJSON(t *testing.T) {
	t.Parallel()
	at := func(e *rag.Extract) (parts []string) {
		for _, p := range e.Parts {
			parts = append(parts, fmt.Sprintf("%v %q", p.Value, e.Text[p.Start:p.End]))
		}
		return parts
	}
	e := read(t, "a.json", `[{"name": "Ann", "home": {"city": "Rome"}, "n": 9007199254740993, "x": null}, {"name": "Bob", "tags": ["a", true]}, 7]`)
	assert.Equal(t, []string{`/0 "name: Ann\nhome/city: Rome\nn: 9007199254740993\n"`, `/1 "name: Bob\ntags/0: a\ntags/1: true\n"`, `/2 "7\n"`}, at(e))
	e = read(t, "a.json", `{"title": "T", "a/b": [{"x": 1}, {"x": 2}], "o": {"y": "z"}}`)
	assert.Equal(t, []string{`/title "title: T\n"`, `/a~1b/0 "x: 1\n"`, `/a~1b/1 "x: 2\n"`, `/o "o/y: z\n"`}, at(e))
	e = read(t, "a.jsonl", "{\"a\": 1}\n\n{\"a\": [2, 3]}\n")
	assert.Equal(t, []string{`1 "a: 1\n"`, `3 "a/0: 2\na/1: 3\n"`}, at(e))
}

func TestErrors(t *testing.T) {
	t.Parallel()
	small := &reader.Options{Limits: reader.Limits{FileBytes: 2000, TextBytes: 100, Pages: 1}}
	for name, c := range map[string]struct {
		file string
		data string
		opts *reader.Options
		want error
		text string
	}{
		"empty":           {"a.txt", "", nil, rag.ErrNoText, "it is empty"},
		"blank":           {"a.txt", " \n\t\n", nil, rag.ErrNoText, "no text"},
		"only hidden":     {"a.html", "<html><p hidden>x</p>", nil, rag.ErrNoText, "no text"},
		"binary":          {"a.txt", "\x00\x01\x02\x03", nil, rag.ErrUnsupportedFormat, "application/octet-stream"},
		"old Word":        {"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1W\x00o\x00r\x00d\x00D\x00o\x00c\x00u\x00m\x00e\x00n\x00t\x00", nil, rag.ErrUnsupportedFormat, "save it as DOCX"},
		"encrypted Word":  {"a.docx", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00", nil, rag.ErrEncrypted, "without one"},
		"RTF":             {"a.rtf", `{\rtf1 x}`, nil, rag.ErrUnsupportedFormat, "save it as DOCX or PDF"},
		"no PDF":          {"a.pdf", "%PDF-1.4", nil, rag.ErrUnsupportedFormat, "package pdf"},
		"broken JSON":     {"a.json", `{"a": `, nil, rag.ErrCorrupt, "not valid JSON"},
		"two values":      {"a.json", `{} {}`, nil, rag.ErrCorrupt, "more after"},
		"broken line":     {"a.jsonl", "{}\n{\n", nil, rag.ErrCorrupt, "line 2"},
		"deep JSON":       {"a.json", strings.Repeat("[", 5000), nil, rag.ErrBudget, "deeper than 100"},
		"deep HTML":       {"a.html", "<html>" + strings.Repeat("<div>", 5000), nil, rag.ErrBudget, "512"},
		"a large file":    {"a.txt", strings.Repeat("x", 2001), small, rag.ErrBudget, "2001 bytes"},
		"a large text":    {"a.txt", strings.Repeat("x", 101), small, rag.ErrBudget, "more than 100 bytes"},
		"a large table":   {"a.csv", strings.Repeat("a,b\n", 30), small, rag.ErrBudget, "more than 100 bytes"},
		"large JSON":      {"a.json", "[" + strings.Repeat("1,", 100) + "1]", small, rag.ErrBudget, "more than 100 bytes"},
		"a large page":    {"a.html", "<html>" + strings.Repeat("<p>x", 100), small, rag.ErrBudget, "more than 100 bytes"},
		"a broken finder": {"a.html", "<html>", &reader.Options{Article: func(string) (string, error) { panic("no") }}, rag.ErrCorrupt, "no"},
	} {
		e, err := reader.New(c.opts).Read(context.Background(), rag.File{Name: c.file, Data: []byte(c.data)})
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
		require.ErrorContains(t, err, c.file)
		assert.Nil(t, e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := reader.New(nil).Read(ctx, rag.File{Name: "a.csv", Data: []byte("a,b\n")})
	require.ErrorIs(t, err, context.Canceled)
	_, err = reader.New(&reader.Options{Limits: reader.Limits{Time: time.Nanosecond}}).Read(context.Background(), rag.File{Name: "a.csv", Data: []byte("a,b\n")})
	require.ErrorIs(t, err, rag.ErrBudget)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}
