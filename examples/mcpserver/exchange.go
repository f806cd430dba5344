package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specfile"
)

// export writes the specs at the paths as one text to share: a single spec as a spec,
// several as a bundle.
func export(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	fs := plainFlags("mcpserver export", stderr)
	to := fs.String("o", "", "write it to `FILE` instead of stdout; a file that is there is left alone")
	bundled := fs.Bool("bundled", false, "the bundled tools too")
	if err := parse(fs, args, true); err != nil {
		return err
	}
	documents, err := load(fs.Args(), *bundled, nil)
	if err != nil {
		return err
	}
	var specs []*toolspec.Spec
	for _, doc := range documents {
		if doc.Spec == nil {
			return fmt.Errorf("%s: %w", doc.Source, doc.Problems)
		}
		specs = append(specs, doc.Spec)
	}
	if len(specs) == 0 {
		return fmt.Errorf("no spec found to export")
	}
	text, problems, err := specfile.Export(specs...)
	if err != nil {
		return err
	}
	for _, p := range problems {
		printLine(stderr, "mcpserver: %s: %s", p.Severity, p.Error())
	}
	if *to == "" {
		_, err = stdout.Write(text)
		return err
	}
	return writeFile(*to, text)
}

// importSpecs writes each spec of the files to a file of its own, as a draft, which has
// to earn its pass on this machine like any other.
func importSpecs(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	fs := plainFlags("mcpserver import", stderr)
	dir := fs.String("in", ".", "write the specs into `DIR`")
	dry := fs.Bool("dry-run", false, "say what would be written, and write nothing")
	if err := parse(fs, args, true); err != nil {
		return err
	}
	documents, err := specfile.Load(fs.Args(), nil)
	if err != nil {
		return err
	}
	ok := len(documents) > 0
	for _, doc := range documents {
		if doc.Spec == nil || doc.Problems.Err() != nil {
			ok = false
			printLine(stdout, "refused  %s", notServed(doc, doc.Problems.Err()))
			continue
		}
		spec := doc.Spec.Clone()
		spec.Draft = true // whatever the file says
		file := filepath.Join(*dir, filepath.Base(spec.Name)+".json")
		if filepath.Base(spec.Name) != spec.Name {
			ok = false
			printLine(stdout, "refused  %q is no name for a file: rename the tool", spec.Name)
			continue
		}
		if !*dry {
			if err := writeNew(file, spec); err != nil {
				ok = false
				printLine(stdout, "skipped  %s: %v", spec.Name, err)
				continue
			}
		}
		printLine(stdout, "imported %s  %s  %s", spec.Name, spec.Risk(nil).Level, file)
	}
	if !ok {
		return errNotAll
	}
	return nil
}

// writeFile writes a new file. It fails if the file exists.
func writeFile(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
