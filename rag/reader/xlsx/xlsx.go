// Package xlsx extracts the text of sheets in XLSX, with excelize. The cells have the text
// that a person sees; formulas have the value that the file keeps of them.
//
//	r := reader.New(&reader.Options{Formats: map[string]rag.Reader{reader.XLSX: xlsx.New(nil)}})
//
// Linking it costs every start of a program about 1 ms of processor time and 1.3 MB, a
// worker's start too: excelize makes the tables of its formulas when it is initialized.
package xlsx

import (
	"bytes"
	"context"
	"fmt"

	"github.com/xuri/excelize/v2"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/reader/internal/writer"
)

// maxUnpacked is how many bytes a file may unpack to.
const maxUnpacked = 200 << 20

// Reader reads XLSX. It is safe for concurrent use.
type Reader struct {
	limits reader.Limits
}

// New returns a reader of XLSX under limits; nil are the defaults.
func New(limits *reader.Limits) *Reader {
	r := &Reader{}
	if limits != nil {
		r.limits = *limits
	}
	r.limits = r.limits.WithDefaults()
	return r
}

// Read implements [rag.Reader]: each sheet that is not hidden becomes a heading and a
// table.
func (r *Reader) Read(ctx context.Context, file rag.File) (extract *rag.Extract, err error) {
	defer func() {
		if p := recover(); p != nil {
			extract, err = nil, fmt.Errorf("xlsx: its parser failed (%v): %w", p, rag.ErrCorrupt)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if size := int64(len(file.Data)); size > r.limits.FileBytes {
		return nil, fmt.Errorf("xlsx: the file has %d bytes, and at most %d are read: %w", size, r.limits.FileBytes, rag.ErrBudget)
	}
	f, err := excelize.OpenReader(bytes.NewReader(file.Data), excelize.Options{Password: file.Password, UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	switch {
	case err != nil && reader.Sniff(file) == reader.EncryptedOffice:
		return nil, fmt.Errorf("xlsx: it needs its password: %w", rag.ErrEncrypted)
	case err != nil && err.Error() == fmt.Sprintf("unzip size exceeds the %d bytes limit", maxUnpacked):
		return nil, fmt.Errorf("xlsx: it unpacks to more than %d bytes: %w", maxUnpacked, rag.ErrBudget)
	case err != nil:
		return nil, fmt.Errorf("xlsx: it cannot be opened: %w (%.200s)", rag.ErrCorrupt, err)
	}
	defer f.Close()
	sheets := f.GetSheetList()
	if len(sheets) > r.limits.Pages {
		return nil, fmt.Errorf("xlsx: it has %d sheets, and at most %d are read: %w", len(sheets), r.limits.Pages, rag.ErrBudget)
	}
	e := &rag.Extract{Format: reader.XLSX, Markdown: true, Metadata: map[string]any{rag.KeyPages: int64(len(sheets))}}
	if about, err := f.GetDocProps(); err == nil { // they are optional
		for key, value := range map[string]string{
			rag.KeyTitle: about.Title, rag.KeyAuthor: about.Creator, rag.KeyDescription: about.Description, rag.KeyLanguage: about.Language, rag.KeyCreated: about.Created,
		} {
			if value != "" && len(value) < 1000 {
				e.Metadata[key] = writer.Clean(value)
			}
		}
	}
	out := writer.New(r.limits.TextBytes)
	for _, name := range sheets {
		if visible, err := f.GetSheetVisible(name); err == nil && !visible {
			e.Warnings = append(e.Warnings, fmt.Sprintf("the hidden sheet %q was left out", writer.Clean(name)))
			continue
		}
		out.Begin(rag.KeySheet, writer.Clean(name))
		out.Heading(1, writer.Clean(name))
		if err := readSheet(ctx, f, name, out); err != nil {
			return nil, err
		}
		out.EndTable()
	}
	e.Text, e.Parts, err = out.Done()
	if err != nil {
		return nil, fmt.Errorf("xlsx: %w", err)
	}
	return e, nil
}

func readSheet(ctx context.Context, f *excelize.File, name string, out *writer.Writer) error {
	rows, err := f.Rows(name)
	if err != nil {
		return fmt.Errorf("xlsx: a sheet cannot be read: %w (%.200s)", rag.ErrCorrupt, err)
	}
	defer rows.Close()
	for n := int64(1); rows.Next() && !out.Full(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells, err := rows.Columns()
		if err != nil {
			return fmt.Errorf("xlsx: row %d cannot be read: %w (%.200s)", n, rag.ErrCorrupt, err)
		}
		for i, cell := range cells {
			cells[i] = writer.Clean(cell)
		}
		out.Begin(rag.KeyRow, n)
		out.Row(cells)
	}
	out.End(rag.KeyRow)
	if err := rows.Error(); err != nil {
		return fmt.Errorf("xlsx: a sheet cannot be read: %w (%.200s)", rag.ErrCorrupt, err)
	}
	return nil
}
