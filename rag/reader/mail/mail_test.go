package mail_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/reader/mail"
)

func message(lines ...string) rag.File {
	return rag.File{Name: "a.eml", Data: []byte(strings.Join(lines, "\r\n"))}
}

func Example() {
	r := reader.New(&reader.Options{Formats: map[string]rag.Reader{reader.Mail: mail.New(nil)}})
	extract, err := r.Read(context.Background(), message(
		"From: Ann <ann@example.org>", "To: Bob <bob@example.org>", "Subject: =?utf-8?q?Caf=C3=A9?=", "", "See you there.", ""))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(extract.Text)
	// Output:
	// # Café
	//
	// From: Ann <ann@example.org>
	// To: Bob <bob@example.org>
	//
	// See you there.
}

// parts makes an e-mail of parts, each of its headers, an empty line and a body.
func parts(parts ...string) []string {
	lines := []string{"From: ann@example.org", "To: bob@example.org", "Subject: Parts", "MIME-Version: 1.0", `Content-Type: multipart/mixed; boundary="b"`, ""}
	for _, p := range parts {
		lines = append(lines, "--b", p)
	}
	return append(lines, "--b--", "")
}

func TestRead(t *testing.T) {
	t.Parallel()
	inner := strings.NewReplacer("--b", "--c", `"b"`, `"c"`).Replace(strings.Join(parts("Content-Type: text/plain\r\n\r\ninner text"), "\r\n"))
	e, err := mail.New(nil).Read(context.Background(), message(parts(
		"Content-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Gr=FC=DFe</p><p hidden>x</p>",
		"Content-Type: text/csv\r\nContent-Disposition: attachment; filename=\"../rows.csv\"\r\n\r\na,b\r\n1,2",
		"Content-Type: image/png\r\nContent-Disposition: inline; filename=\"logo.png\"\r\n\r\n\x89PNG\r\n\x1a\n",
		"Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=\"inner.eml\"\r\n\r\n"+inner,
	)...))
	require.NoError(t, err)
	assert.Equal(t, "# Parts\n\nFrom: ann@example.org\nTo: bob@example.org\n\nGrüße\n\n# ../rows.csv\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n# inner.eml\n\n# Parts\n\nFrom: ann@example.org\nTo: bob@example.org\n\ninner text", e.Text)
	var places []string
	for _, p := range e.Parts {
		places = append(places, fmt.Sprintf("%s %v %.10q", p.Key, p.Value, e.Text[p.Start:p.End]))
	}
	assert.Equal(t, []string{`attachment ../rows.csv "# ../rows."`, `row 1 "| a | b |\n"`, `row 2 "| 1 | 2 |"`, `attachment inner.eml "# inner.em"`}, places)
	require.Len(t, e.Warnings, 2)
	assert.Equal(t, "1 hidden elements were left out", e.Warnings[0])
	assert.Contains(t, e.Warnings[1], "logo.png")
	assert.Equal(t, "Parts", e.Metadata[rag.KeyTitle])
}

func TestErrors(t *testing.T) {
	t.Parallel()
	attachment := "Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nwords"
	var many []string
	for range 101 {
		many = append(many, attachment)
	}
	_, err := mail.New(nil).Read(context.Background(), message(parts(many...)...))
	require.ErrorIs(t, err, rag.ErrBudget)
	_, err = mail.New(&reader.Options{Limits: reader.Limits{FileBytes: 10}}).Read(context.Background(), message(parts(attachment)...))
	require.ErrorIs(t, err, rag.ErrBudget)
	_, err = mail.New(&reader.Options{Limits: reader.Limits{TextBytes: 10}}).Read(context.Background(), message(parts(attachment)...))
	require.ErrorIs(t, err, rag.ErrBudget)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = mail.New(nil).Read(ctx, message("From: a", "", "x"))
	require.ErrorIs(t, err, context.Canceled)
	// E-mails in e-mails end at a depth.
	text := strings.Join(parts("Content-Type: text/plain\r\n\r\ninnermost"), "\r\n")
	for i := range 8 {
		mark := fmt.Sprint("level", i)
		text = strings.Join(parts(fmt.Sprintf("Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=\"%d.eml\"\r\n\r\n", i)+text), "\r\n")
		text = strings.NewReplacer("--b", "--"+mark, `"b"`, `"`+mark+`"`).Replace(text)
	}
	e, err := mail.New(nil).Read(context.Background(), rag.File{Data: []byte(text)})
	require.NoError(t, err)
	assert.NotContains(t, e.Text, "innermost")
	require.Len(t, e.Warnings, 1)
	assert.Contains(t, e.Warnings[0], "more than 5 others")
	// No text is no error, as the headers are one.
	e, err = mail.New(nil).Read(context.Background(), message(parts("Content-Type: text/html\r\n\r\n<p hidden>x")...))
	require.NoError(t, err)
	assert.Equal(t, "# Parts\n\nFrom: ann@example.org\nTo: bob@example.org", e.Text)
}

func FuzzRead(f *testing.F) {
	f.Add(message(parts("Content-Type: text/html\r\n\r\n<p>x", "Content-Disposition: attachment; filename=a.csv\r\n\r\na,b")...).Data)
	f.Add([]byte("From: a\n\nwords"))
	r := mail.New(&reader.Options{Limits: reader.Limits{FileBytes: 1 << 20, TextBytes: 1 << 20}})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := r.Read(context.Background(), rag.File{Data: data})
		require.Equal(t, err == nil, e != nil)
	})
}
