package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// call runs Local Pass for one spec and then calls the tool once.
func call(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver call", stderr, "approval.timeout", "approval.policyFile")
	name := fs.String("tool", "", "call the tool of this `NAME`")
	arguments := fs.String("args", "{}", "with these arguments, a `JSON` object")
	bundled := fs.Bool("bundled", false, "look for the tool among the bundled ones too")
	real := realFlag(fs)
	var ask approvals
	ask.register(fs)
	if err := common.parse(fs, args, true); err != nil {
		return err
	}
	if err := ask.choose(common.Config); err != nil {
		return err
	}
	if ask.http {
		return errors.New("-approve http needs a server that stays: call takes terminal and deny")
	}
	documents, err := load(fs.Args(), *bundled, nil)
	if err != nil {
		return err
	}
	doc, err := findDocument(documents, *name)
	if err != nil {
		return err
	}
	boots := common.options(stderr)
	boots.Gate = func(l *boot.Local) (studio.Gate, error) { return ask.open(ctx, l) }
	local, err := boot.Open(ctx, boots)
	if err != nil {
		return err
	}
	defer local.Close()
	defer ask.close()
	passed, report, err := local.Studio.TestAndPublish(ctx, doc.Spec, &studio.TestOptions{ByAuthor: true, RealWorkspace: *real})
	if why := uncopied(report); why != "" && askReal(doc.Spec.Name, why, stdin, stderr) {
		passed, report, err = local.Studio.TestAndPublish(ctx, doc.Spec, &studio.TestOptions{ByAuthor: true, RealWorkspace: true})
	}
	switch {
	case err != nil && report != nil && !report.OK:
		return fmt.Errorf("%s did not pass: %w", doc.Spec.Name, report.Err())
	case err != nil:
		return err
	}
	result, err := passed.Call(ctx, &toolspec.Call{ID: "call", Arguments: json.RawMessage(*arguments),
		Principal: toolspec.Principal{Subject: "local", Via: "command-line"}})
	if err != nil {
		return err
	}
	if result.IsError {
		return errors.New(result.Text())
	}
	_, err = fmt.Fprintln(stdout, result.Text())
	return err
}

// findDocument returns the document of the tool with a name. The name may be empty if there is
// only one document.
func findDocument(documents []toolspec.Document, name string) (toolspec.Document, error) {
	var names []string
	for _, doc := range documents {
		if doc.Spec == nil {
			if len(documents) == 1 {
				return doc, doc.Problems.Err()
			}
			continue
		}
		if doc.Spec.Name == name || name == "" && len(documents) == 1 {
			return doc, doc.Problems.Err()
		}
		names = append(names, doc.Spec.Name)
	}
	return toolspec.Document{}, fmt.Errorf("no tool %q; there is %q: say which with -tool", name, names)
}
