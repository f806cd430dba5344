package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// traceLine is the output of "pass -trace" for one spec.
type traceLine struct {
	Name string `json:"name"`
	File string `json:"file"`
	*studio.Trace
}

// traceAll runs each spec in recording mode and prints what the spec has to declare; with
// write it adds these declarations to the file.
func traceAll(ctx context.Context, st *studio.Studio, documents []toolspec.Document, asJSON, write bool, stdout io.Writer) error {
	ok := len(documents) > 0
	for _, doc := range documents {
		line := traceLine{File: doc.Source}
		if doc.Spec == nil || doc.Problems.Err() != nil {
			line.Trace = &studio.Trace{Problems: doc.Problems}
		} else {
			line.Name = doc.Spec.Name
			var err error
			if line.Trace, err = st.Trace(ctx, doc.Spec, &studio.TestOptions{ByAuthor: true}); err != nil {
				return err
			}
		}
		ok = ok && line.OK
		if asJSON {
			if err := json.NewEncoder(stdout).Encode(line); err != nil {
				return err
			}
		} else {
			line.print(stdout)
		}
		if write && line.OK && len(line.Changes) > 0 {
			if err := rewrite(doc, line.Proposed); err != nil {
				return err
			}
		}
	}
	if !ok {
		return errNotAll
	}
	return nil
}

func (l traceLine) print(w io.Writer) {
	if l.OK {
		printLine(w, "TRACE %s  %s -> %s  %s", l.Name, l.Level, l.ProposedLevel, l.File)
	} else {
		printLine(w, "FAIL %s  %s", l.Name, l.File)
	}
	for _, a := range l.Accesses {
		status := ""
		if a.Status != 0 {
			status = fmt.Sprintf(" %d", a.Status)
		}
		printLine(w, "  used     %s %s %s%s, %d bytes, %d times", a.Component, a.Op, a.Target, status, a.Bytes, a.Count)
	}
	for _, d := range l.Denials {
		printLine(w, "  refused  %s %s: %s", d.Component, d.Reason, d.Detail)
	}
	for _, change := range l.Changes {
		printLine(w, "  propose  %s", change)
	}
	for _, p := range l.Problems {
		printLine(w, "  %-8s %s", p.Severity, p.Error())
	}
}

// rewrite writes a spec to the file from which it was read, provided that the file
// contains nothing else.
func rewrite(doc toolspec.Document, spec *toolspec.Spec) error {
	if doc.Pointer != "" {
		return fmt.Errorf("%s holds more than one spec: take the proposal from -json", doc.Source)
	}
	raw, err := spec.MarshalJSON()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	// Write to a temporary file, so that neither a watcher nor a power failure leaves a
	// half-written spec.
	part := doc.Source + ".part"
	if err := os.WriteFile(part, text.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(part, doc.Source)
}
