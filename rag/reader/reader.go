package reader

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader/internal/writer"
)

// Limits bound what one file may cost. A zero field is its default. A file beyond a limit
// is an error that matches [rag.ErrBudget].
type Limits struct {
	FileBytes int64         // of the file; default 100 MiB
	TextBytes int           // of its text; default 50 MiB
	Pages     int           // pages, slides, sheets and files of a book; default 10,000
	Time      time.Duration // default 2 minutes
}

// WithDefaults returns the limits with the defaults for what is zero.
func (l Limits) WithDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = 100 << 20
	}
	if l.TextBytes <= 0 {
		l.TextBytes = 50 << 20
	}
	if l.Pages <= 0 {
		l.Pages = 10_000
	}
	if l.Time <= 0 {
		l.Time = 2 * time.Minute
	}
	return l
}

// Options are the options of [New]. The zero value works.
type Options struct {
	Limits Limits
	// Formats are the readers of further formats by media type, such as [PDF]. They go
	// before those of this package.
	Formats map[string]rag.Reader
	// Article reduces a page of HTML to its main content before it is read, if it has
	// one. nil: the whole page is read.
	Article func(html string) (string, error)
}

// Reader reads files of several formats. It is safe for concurrent use.
type Reader struct {
	opts Options
}

var _ rag.Reader = (*Reader)(nil)

// New returns a reader of plain text, Markdown, HTML, CSV, JSON, JSON Lines, DOCX, PPTX,
// ODT, ODP, ODS, EPUB and of the formats in the options. It stops at the limit of time only
// between the parts of a file.
func New(opts *Options) *Reader {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Limits = o.Limits.WithDefaults()
	return &Reader{o}
}

// job is the reading of one file.
type job struct {
	*Options
	ctx    context.Context
	file   rag.File
	format string
	text   string // of formats of text
	out    *writer.Writer
	got    *rag.Extract
}

// own are the readers of this package.
var own = map[string]func(*job) error{
	Text: (*job).plain, Markdown: (*job).markdown, HTML: (*job).html, CSV: (*job).csv, JSON: (*job).json, JSONLines: (*job).jsonLines,
	DOCX: (*job).docx, PPTX: (*job).pptx, ODT: (*job).odf, ODP: (*job).odf, ODS: (*job).odf, EPUB: (*job).epub,
}

// Read implements [rag.Reader].
func (r *Reader) Read(ctx context.Context, file rag.File) (extract *rag.Extract, err error) {
	limits := r.opts.Limits
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, fmt.Errorf("reading it took more than %v: %w", limits.Time, rag.ErrBudget))
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // in a parser of a library
			err = fmt.Errorf("its parser failed (%v): %w", p, rag.ErrCorrupt)
		}
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = cause
		}
		if err != nil {
			extract, err = nil, fmt.Errorf("reader: file %q: %w", clip(file.Name), err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if size := int64(len(file.Data)); size > limits.FileBytes {
		return nil, fmt.Errorf("it has %d bytes, and at most %d are read: %w", size, limits.FileBytes, rag.ErrBudget)
	}
	if len(file.Data) == 0 {
		return nil, fmt.Errorf("it is empty: %w", rag.ErrNoText)
	}
	format, text, charset := sniff(file)
	if other := r.opts.Formats[format]; other != nil {
		extract, err = other.Read(ctx, file)
	} else if read := own[format]; read != nil {
		j := &job{Options: &r.opts, ctx: ctx, file: file, format: format, text: text, out: writer.New(limits.TextBytes)}
		j.got = &rag.Extract{Markdown: true, Metadata: map[string]any{}}
		if charset != "" && charset != "utf-8" {
			j.got.Metadata[rag.KeyCharset] = charset
		}
		if err = read(j); err == nil {
			j.got.Text, j.got.Parts, err = j.out.Done()
		}
		extract = j.got
	} else {
		return nil, unsupported(format)
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(extract.Text) == "" {
		return nil, fmt.Errorf("no text is in it: %w", rag.ErrNoText)
	}
	extract.Format = format
	if extract.Metadata == nil {
		extract.Metadata = map[string]any{}
	}
	if name := writer.Clean(path.Base(file.Name)); file.Name != "" {
		extract.Metadata[rag.KeySource] = name
	}
	return extract, nil
}

// fact keeps a fact about the file, if there is one.
func (j *job) fact(key, value string) {
	if value = strings.Join(strings.Fields(writer.Clean(value)), " "); value != "" {
		j.got.Metadata[key] = clip(value)
	}
}

func (j *job) warn(format string, args ...any) {
	j.got.Warnings = append(j.got.Warnings, fmt.Sprintf(format, args...))
}

// pages checks a number of pages, slides or sheets and keeps it.
func (j *job) pages(n int) error {
	if n > j.Limits.Pages {
		return fmt.Errorf("it has %d pages, and at most %d are read: %w", n, j.Limits.Pages, rag.ErrBudget)
	}
	j.got.Metadata[rag.KeyPages] = int64(n)
	return nil
}

// advice says what can be done about a format that is not read.
var advice = map[string]string{
	RTF: "save it as DOCX or PDF", DOC: "save it as DOCX", PPT: "save it as PPTX", XLS: "save it as XLSX",
	PDF:                          "give the reader a reader of PDF (package pdf)",
	XLSX:                         "give the reader a reader of sheets (package xlsx), or save it as CSV",
	Mail:                         "give the reader a reader of e-mail (package mail)",
	"application/vnd.ms-outlook": "save it as EML", "application/zip": "unpack it",
	"application/gzip": "unpack it", "application/vnd.rar": "unpack it", "application/x-7z-compressed": "unpack it",
	"image/png": "images have no text", "image/jpeg": "images have no text", "image/tiff": "images have no text",
}

func unsupported(format string) error {
	if format == EncryptedOffice {
		return fmt.Errorf("it is a document of Office with a password, which cannot be opened here: save it without one: %w", rag.ErrEncrypted)
	}
	if a := advice[format]; a != "" {
		return fmt.Errorf("its format is %s: %s: %w", clip(format), a, rag.ErrUnsupportedFormat)
	}
	return fmt.Errorf("its format is %s: save it as text, Markdown, HTML, DOCX or PDF: %w", clip(format), rag.ErrUnsupportedFormat)
}

// clip bounds what a file puts into an error or into metadata.
func clip(s string) string {
	const most = 1000
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// corrupt describes a file that breaks the rules of its format.
func corrupt(what string, err error) error {
	if errors.Is(err, rag.ErrBudget) || errors.Is(err, rag.ErrEncrypted) || errors.Is(err, rag.ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%s: %w (%s)", what, rag.ErrCorrupt, clip(err.Error()))
}
