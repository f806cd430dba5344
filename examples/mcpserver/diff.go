package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/dts"
	"github.com/localpass/localpass/toolspec/specdiff"
	"github.com/localpass/localpass/toolspec/specfile"
)

// showDiff shows the differences between the specs of two files. If each file has one
// spec, it compares these two; otherwise it compares specs of the same name.
func showDiff(before, after string, host *toolspec.Host, asJSON bool, stdout io.Writer) error {
	was, err := onlySpecs(before)
	if err != nil {
		return err
	}
	is, err := onlySpecs(after)
	if err != nil {
		return err
	}
	for _, pair := range pairs(was, is) {
		diff := specdiff.Diff(pair[0], pair[1], host)
		if !asJSON {
			printDiff(stdout, diff)
			continue
		}
		encoder := json.NewEncoder(stdout)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(diff); err != nil {
			return err
		}
	}
	return nil
}

// onlySpecs loads the specs at a path, and fails if any of them is unreadable, because an
// incomplete comparison would mislead.
func onlySpecs(path string) ([]*toolspec.Spec, error) {
	documents, err := specfile.Load([]string{path}, nil)
	if err != nil {
		return nil, err
	}
	var specs []*toolspec.Spec
	for _, doc := range documents {
		if doc.Spec == nil {
			return nil, fmt.Errorf("%s cannot be read: %w", doc.Source, doc.Problems)
		}
		specs = append(specs, doc.Spec)
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("no spec found in %s", path)
	}
	return specs, nil
}

func pairs(was, is []*toolspec.Spec) [][2]*toolspec.Spec {
	if len(was) == 1 && len(is) == 1 {
		return [][2]*toolspec.Spec{{was[0], is[0]}}
	}
	byName := make(map[string]*[2]*toolspec.Spec)
	var names []string
	at := func(s *toolspec.Spec) *[2]*toolspec.Spec {
		if byName[s.Name] == nil {
			byName[s.Name] = &[2]*toolspec.Spec{}
			names = append(names, s.Name)
		}
		return byName[s.Name]
	}
	for _, s := range was {
		at(s)[0] = s
	}
	for _, s := range is {
		at(s)[1] = s
	}
	slices.Sort(names)
	var out [][2]*toolspec.Spec
	for _, name := range names {
		out = append(out, *byName[name])
	}
	return out
}

func printDiff(w io.Writer, d *specdiff.Difference) {
	side := cmp.Or(d.To, d.From)
	verdict := "not wider"
	if d.Wider {
		verdict = "WIDER"
	}
	if len(d.Rows) == 0 {
		verdict = "no difference"
	}
	printLine(w, "%s  %s", side.Name, verdict)
	for _, r := range d.Rows {
		printLine(w, "  %-8s %-15s %s", r.Direction, r.Field, r.Text)
		// For these fields r.Text does not show the old and the new value, so print both.
		switch r.Field {
		case "approval":
			if r.Item == "" {
				continue
			}
		case "description", "schema", "category", "tags", "tests", "other":
		default:
			continue
		}
		for _, line := range []struct{ sign, text string }{{"-", r.Before}, {"+", r.After}} {
			if line.text != "" {
				printLine(w, "  %24s %s %s", "", line.sign, line.text)
			}
		}
	}
	for line := range strings.Lines(d.CodeDiff) {
		line = strings.TrimSuffix(line, "\n")
		printLine(w, "  %s", strings.ReplaceAll(line, "\t", "    "))
	}
}

// showTypes prints the TypeScript declarations of the specs, and reports unreadable
// documents.
func showTypes(documents []toolspec.Document, stdout, stderr io.Writer) error {
	var specs []*toolspec.Spec
	var failed error
	for _, doc := range documents {
		if doc.Spec == nil {
			printLine(stderr, "mcpserver: %s", notDeclared(doc))
			failed = errNotAll
			continue
		}
		specs = append(specs, doc.Spec)
	}
	if _, err := io.WriteString(stdout, dts.Declarations(specs...)); err != nil {
		return err
	}
	return failed
}

func notDeclared(doc toolspec.Document) string {
	return fmt.Sprintf("%s cannot be read: %v", doc.Source, doc.Problems)
}
