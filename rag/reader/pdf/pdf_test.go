package pdf_test

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/reader/internal/testpdf"
	"github.com/localpass/localpass/rag/reader/pdf"
)

// locked is a page of testpdf, encrypted by qpdf with the password "open".
//
//go:embed testdata/locked.pdf
var locked []byte

// cache is where the tests keep the compiled PDFium, also between two runs.
func cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "localpass-ci", "pdfium")
}

func Example() {
	pdfs := pdf.New(&pdf.Options{CacheDir: cache()})
	defer pdfs.Close()
	extract, err := pdfs.Read(context.Background(), rag.File{Name: "two.pdf", Data: testpdf.Make("Two", "First page.", "Second page.")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range extract.Parts {
		fmt.Println(extract.Metadata[rag.KeyTitle], p.Key, p.Value, extract.Text[p.Start:p.End])
	}
	// Output:
	// Two page_number 1 First page.
	// Two page_number 2 Second page.
}

func TestRead(t *testing.T) {
	t.Parallel()
	pdfs := pdf.New(&pdf.Options{CacheDir: cache(), Limits: reader.Limits{Pages: 20, TextBytes: 5000, FileBytes: 1 << 20}})
	defer pdfs.Close()
	ctx := context.Background()
	e, err := pdfs.Read(ctx, rag.File{Data: testpdf.Make("", "A line.\nAnother one.", "", "", "Fourth.", "")})
	require.NoError(t, err)
	assert.Equal(t, "A line.\nAnother one.\n\nFourth.", e.Text)
	assert.Equal(t, []rag.Part{{Start: 0, End: 20, Key: rag.KeyPage, Value: int64(1)}, {Start: 22, End: 29, Key: rag.KeyPage, Value: int64(4)}}, e.Parts)
	assert.Equal(t, map[string]any{"pages": int64(5), "author": "Ann"}, e.Metadata)
	assert.Equal(t, []string{"pages without text, which may be scanned: 2-3, 5"}, e.Warnings)
	assert.False(t, e.Markdown)

	e, err = pdfs.Read(ctx, rag.File{Data: locked, Password: "open"})
	require.NoError(t, err)
	assert.Equal(t, "A secret page.", e.Text)

	good := testpdf.Make("", "A page.")
	for name, c := range map[string]struct {
		file rag.File
		want error
		text string
	}{
		"locked":           {rag.File{Data: locked}, rag.ErrEncrypted, "needs its password"},
		"another password": {rag.File{Data: locked, Password: "shut"}, rag.ErrEncrypted, "another one"},
		"no PDF":           {rag.File{Data: []byte("words")}, rag.ErrCorrupt, "cannot be opened"},
		"only a head":      {rag.File{Data: good[:20]}, rag.ErrCorrupt, "cannot be opened"},
		"scanned":          {rag.File{Data: testpdf.Make("", "", "")}, rag.ErrNoText, "none of its 2 pages"},
		"no pages":         {rag.File{Data: testpdf.Make("")}, rag.ErrNoText, "none of its 0 pages"},
		"many pages":       {rag.File{Data: testpdf.Make("", make([]string, 21)...)}, rag.ErrBudget, "21 pages"},
		"a large text":     {rag.File{Data: testpdf.Make("", strings.Repeat("many words here\n", 400))}, rag.ErrBudget, "more than 5000"},
		"a large file":     {rag.File{Data: make([]byte, 1<<20+1)}, rag.ErrBudget, "at most"},
		"no spaces":        {rag.File{Data: testpdf.Make("", strings.Repeat("wordswithoutspaces\n", 20))}, rag.ErrPoorExtraction, "no spaces"},
	} {
		_, err := pdfs.Read(ctx, c.file)
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = pdfs.Read(gone, rag.File{Data: good})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, pdfs.Close())
	_, err = pdfs.Read(ctx, rag.File{Data: good})
	require.ErrorContains(t, err, "closed")
	broken := pdf.New(&pdf.Options{CacheDir: filepath.Join("testdata", "locked.pdf", "x")})
	require.ErrorContains(t, broken.Start(), "cache")
	require.NoError(t, broken.Close())
}

func TestThrough(t *testing.T) {
	t.Parallel()
	pdfs := pdf.New(&pdf.Options{CacheDir: cache()})
	defer pdfs.Close()
	r := reader.New(&reader.Options{Formats: map[string]rag.Reader{reader.PDF: pdfs}})
	e, err := r.Read(context.Background(), rag.File{Name: "dir/a.txt", Data: testpdf.Make("T", "A page.")})
	require.NoError(t, err)
	assert.Equal(t, reader.PDF, e.Format)
	assert.Equal(t, map[string]any{"pages": int64(1), "author": "Ann", "title": "T", "source": "a.txt"}, e.Metadata)
}
