package reader_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
)

// sentinels are the errors that a reader may return.
var sentinels = []error{rag.ErrUnsupportedFormat, rag.ErrCorrupt, rag.ErrEncrypted, rag.ErrNoText, rag.ErrPoorExtraction, rag.ErrBudget}

func FuzzRead(f *testing.F) {
	for name, data := range map[string]string{
		"a.txt": "text", "a.md": "---\ntitle: x\n---\n# T\n| a |\n|---|\n", "a.html": "<html><table><td>a<p hidden>b</table><pre>", "a.csv": "a;b\n\"c", "a.json": `[{"a": [1]}]`,
		"a.jsonl": "{}\n[1]\n", "": "\xff\xfea\x00", "a.xml": `<?xml version="1.0" encoding="koi8-r"?><a>\xf4`,
	} {
		f.Add(name, []byte(data))
	}
	f.Add("", []byte(word(f, `<w:tbl><w:tr><w:tc><w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`)))
	f.Add("", []byte(pack(f, "mimetype", reader.ODS, "content.xml", `<a><table name="x"><table-row><table-cell><p>x</p></table-cell></table-row></table></a>`)))
	f.Add("", []byte(pack(f, "mimetype", reader.EPUB, "META-INF/container.xml", `<c><rootfile full-path="b"/></c>`, "b", `<p><item id="a" href="c"/><itemref idref="a"/></p>`, "c", "<p>x")))
	r := reader.New(&reader.Options{Limits: reader.Limits{FileBytes: 1 << 20, TextBytes: 1 << 20}})
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		checkRead(t, r, rag.File{Name: name, Data: data})
	})
}

// checkRead reads a file, whatever it is: the result is good or the error one of those
// that are promised.
func checkRead(t testing.TB, r rag.Reader, file rag.File) {
	t.Helper()
	extract, err := r.Read(context.Background(), file)
	if err == nil {
		checkExtract(t, extract)
		return
	}
	require.Nil(t, extract)
	for _, s := range sentinels {
		if errors.Is(err, s) {
			return
		}
	}
	require.NoError(t, err, "the error is none of those of a reader")
}
