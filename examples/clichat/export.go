package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/localpass/localpass/chat"
)

// exportForm is the form that the name of a file asks for; empty: none.
func exportForm(name string) string {
	switch form := strings.TrimPrefix(filepath.Ext(name), "."); form {
	case "md", "txt", "json", "html":
		return form
	}
	return ""
}

// export writes a conversation to a file that only this user can read. A file
// that stands there already is left alone.
func (a *app) export(ctx context.Context, id, name string) (err error) {
	form := exportForm(name)
	if form == "" {
		return fmt.Errorf("%q: end the name in .md, .txt, .json or .html", name)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	if form == "html" {
		err = a.exportHTML(ctx, id, out)
	} else {
		err = chat.Export(ctx, a.store, id, chat.ExportFormat(form), out)
	}
	return errors.Join(err, out.Flush(), f.Close())
}

// page shows a conversation without scripts, pictures or anything from elsewhere.
var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}</style>
</head><body><h1>{{.Title}}</h1><pre>{{.Text}}</pre></body></html>
`))

func (a *app) exportHTML(ctx context.Context, id string, w io.Writer) error {
	conv, err := a.store.Get(ctx, id)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := chat.Export(ctx, a.store, id, chat.ExportText, &text); err != nil {
		return err
	}
	return page.Execute(w, struct{ Title, Text string }{conv.Title, text.String()})
}
