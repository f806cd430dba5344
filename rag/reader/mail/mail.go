// Package mail extracts the text of e-mails (RFC 5322), with enmime: the most important
// headers, the text, and the attachments as far as they can be read.
//
//	r := reader.New(&reader.Options{Formats: map[string]rag.Reader{reader.Mail: mail.New(nil)}})
package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/jhillyerd/enmime/v2"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/reader/internal/writer"
)

const (
	maxAttachments = 100
	maxDepth       = 5 // of e-mails in e-mails
)

// Reader reads e-mails. It is safe for concurrent use.
type Reader struct {
	limits reader.Limits
	files  rag.Reader
}

// New returns a reader of e-mails. The options are those of the reader of attachments;
// nil are the defaults.
func New(opts *reader.Options) *Reader {
	var o reader.Options
	if opts != nil {
		o = *opts
	}
	r := &Reader{limits: o.Limits.WithDefaults()}
	o.Formats = maps.Clone(o.Formats)
	if o.Formats == nil {
		o.Formats = map[string]rag.Reader{}
	}
	o.Formats[reader.Mail] = r
	r.files = reader.New(&o)
	return r
}

type depthKey struct{}

// Read implements [rag.Reader]. An attachment that cannot be read is a warning.
func (r *Reader) Read(ctx context.Context, file rag.File) (extract *rag.Extract, err error) {
	defer func() {
		if p := recover(); p != nil {
			extract, err = nil, fmt.Errorf("mail: its parser failed (%v): %w", p, rag.ErrCorrupt)
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return nil, fmt.Errorf("mail: it is an e-mail in more than %d others: %w", maxDepth, rag.ErrBudget)
	}
	ctx = context.WithValue(ctx, depthKey{}, depth+1)
	if size := int64(len(file.Data)); size > r.limits.FileBytes {
		return nil, fmt.Errorf("mail: the file has %d bytes, and at most %d are read: %w", size, r.limits.FileBytes, rag.ErrBudget)
	}
	parser := enmime.NewParser(enmime.DisableTextConversion(true), enmime.SkipMalformedParts(true), enmime.MaxStoredPartErrors(10))
	message, err := parser.ReadEnvelope(bytes.NewReader(file.Data))
	if err != nil {
		return nil, fmt.Errorf("mail: it is not valid: %w (%.200s)", rag.ErrCorrupt, err)
	}
	e := &rag.Extract{Format: reader.Mail, Markdown: true, Metadata: map[string]any{}}
	out := writer.New(r.limits.TextBytes)
	header := func(name string) string {
		value := strings.Join(strings.Fields(writer.Clean(message.GetHeader(name))), " ")
		return strings.ToValidUTF8(value[:min(len(value), 10_000)], "")
	}
	out.Heading(1, header("Subject"))
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := header(name); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	out.Paragraph(strings.Join(lines, "\n"))
	for key, name := range map[string]string{rag.KeyTitle: "Subject", rag.KeyAuthor: "From", rag.KeyCreated: "Date"} {
		if value := header(name); value != "" && len(value) < 1000 {
			e.Metadata[key] = value
		}
	}
	if strings.TrimSpace(message.Text) != "" {
		out.Paragraph(writer.Clean(message.Text))
	} else if message.HTML != "" {
		body, err := r.files.Read(ctx, rag.File{Name: "body.html", Data: []byte("<html>" + message.HTML)})
		switch {
		case err == nil:
			out.Nested(body)
			e.Warnings = append(e.Warnings, body.Warnings...)
		case !errors.Is(err, rag.ErrNoText):
			return nil, fmt.Errorf("mail: its text: %w", err)
		}
	}
	n := 0
	for _, list := range [][]*enmime.Part{message.Attachments, message.Inlines, message.OtherParts} {
		for _, part := range list {
			if n++; n > maxAttachments {
				return nil, fmt.Errorf("mail: it has more than %d attachments: %w", maxAttachments, rag.ErrBudget)
			}
			r.attachment(ctx, part, out, e)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	for _, problem := range message.Errors {
		if problem.Severe {
			e.Warnings = append(e.Warnings, fmt.Sprintf("a part was broken: %.200s", writer.Clean(problem.Name)))
		}
	}
	if e.Text, e.Parts, err = out.Done(); err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	return e, nil
}

func (r *Reader) attachment(ctx context.Context, part *enmime.Part, out *writer.Writer, e *rag.Extract) {
	name := strings.Join(strings.Fields(writer.Clean(part.FileName)), " ")
	if name = name[:min(len(name), 200)]; name == "" {
		name = "attachment"
	}
	name = strings.ToValidUTF8(name, "")
	if len(part.Content) == 0 {
		return
	}
	inner, err := r.files.Read(ctx, rag.File{Name: name, Data: part.Content})
	if err != nil {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the attachment %q was left out: %v", name, err))
		return
	}
	out.Begin(rag.KeyAttachment, name)
	out.Heading(1, name)
	out.Nested(inner)
	out.End(rag.KeyAttachment)
	e.Warnings = append(e.Warnings, inner.Warnings...)
}
