package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/localpass/localpass/chat/conversation"
)

// exportForm returns the export format for a file name; empty: none.
func exportForm(name string) string {
	switch form := strings.TrimPrefix(filepath.Ext(name), "."); form {
	case "md", "txt", "json", "html":
		return form
	}
	return ""
}

// export writes a conversation to a file that only this user can read. It does not
// overwrite an existing file.
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
	err = conversation.Export(ctx, a.store, id, conversation.ExportFormat(form), out, nil)
	return errors.Join(err, out.Flush(), f.Close())
}
