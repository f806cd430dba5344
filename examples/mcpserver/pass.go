package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// passLine is the output of "pass" for one spec.
type passLine struct {
	Name       string         `json:"name"`
	File       string         `json:"file"`
	OK         bool           `json:"ok"`
	Level      toolspec.Level `json:"level"`
	State      studio.State   `json:"state"`
	DurationMS int64          `json:"durationMs"`
	// Runtime and Tier are the runtime and the isolation tier of the tests; Recorded says
	// that requests were answered from recorded exchanges.
	Runtime  string        `json:"runtime,omitempty"`
	Tier     toolspec.Tier `json:"tier,omitempty"`
	Recorded bool          `json:"recorded,omitempty"`
	// Workspace is the workspace in which a tool with files was tested: fixtures, copy or
	// real.
	Workspace activity.Workspace `json:"workspace,omitempty"`
	// Missing lists the names that need a value before the tool can be served.
	Missing []string        `json:"missing,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *passError      `json:"error,omitempty"`
}

// pass tests every spec and prints the results as text, or with -json as one JSON object
// per line.
func pass(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver pass", stderr)
	asJSON := fs.Bool("json", false, "print one JSON object for each spec")
	traced := fs.Bool("trace", false, "run each spec under the widest posture instead, and propose the least that it must declare; makes real requests, to any public host and with your keys: only for specs that you wrote or have read")
	write := fs.Bool("write", false, "with -trace: write the proposal into the file")
	bundled := fs.Bool("bundled", false, "the bundled tools too, all of them")
	strict := fs.Bool("strict", false, "refuse what is otherwise a warning: unknown members, a pass that asserts nothing")
	real := realFlag(fs)
	if err := common.parse(fs, args, true); err != nil {
		return err
	}
	if *traced && *real {
		return errors.New("-trace runs in a new directory, not in a workspace: leave out -workspace-real")
	}
	documents, err := load(fs.Args(), *bundled, &toolspec.ParseOptions{Strict: *strict})
	if err != nil {
		return err
	}
	opts := common.options(stderr)
	opts.Strict = *strict
	local, err := boot.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer local.Close()
	if *traced {
		return traceAll(ctx, local.Studio, documents, *asJSON, *write, stdout)
	}
	all := len(documents) > 0
	for _, doc := range documents {
		line, warnings, err := passOne(ctx, local.Studio, doc, *real, func(why string) bool {
			return !*asJSON && askReal(doc.Spec.Name, why, stdin, stderr)
		})
		if err != nil {
			return err
		}
		all = all && line.OK
		if *asJSON {
			if err := json.NewEncoder(stdout).Encode(line); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(stdout, line)
		for _, w := range warnings {
			printLine(stdout, "     warning: %s", w.Error())
		}
	}
	if !all {
		if len(documents) == 0 {
			printLine(stderr, "mcpserver: no spec found in %s", strings.Join(fs.Args(), ", "))
		}
		return errNotAll
	}
	return nil
}

// passOne tests one spec. If the workspace cannot be copied, it calls may, which decides
// whether the test may use the real workspace.
func passOne(ctx context.Context, st *studio.Studio, doc toolspec.Document, real bool, may func(why string) bool) (passLine, toolspec.Problems, error) {
	line := passLine{File: doc.Source, State: studio.StateDraft}
	if doc.Spec != nil {
		line.Name = doc.Spec.Name
	}
	if doc.Spec == nil || doc.Problems.Err() != nil {
		line.Error = problemError(doc.Problems)
		return line, doc.Problems.Warnings(), nil
	}
	report, err := st.Test(ctx, doc.Spec, &studio.TestOptions{ByAuthor: true, RealWorkspace: real})
	if err != nil {
		return line, nil, err
	}
	if why := uncopied(report); why != "" && may(why) {
		if report, err = st.Test(ctx, doc.Spec, &studio.TestOptions{ByAuthor: true, RealWorkspace: true}); err != nil {
			return line, nil, err
		}
	}
	line.Workspace = report.Workspace
	line.OK, line.Level, line.State, line.DurationMS = report.OK, report.Risk.Level, report.State, report.Duration.Milliseconds()
	line.Missing = report.Missing
	if r := report.Receipt; r != nil {
		line.Runtime, line.Tier, line.Recorded = r.Runtime.ID+"/"+r.Runtime.Version, r.Runtime.Tier, r.Recorded
	}
	if report.OK {
		line.Result = resultValue(report.Runs[0].Result)
	} else {
		line.Error = reportError(report)
	}
	return line, report.Problems.Warnings(), nil
}

// resultValue returns the result as one JSON value.
func resultValue(r *toolspec.Result) json.RawMessage {
	if r.Structured != nil {
		return r.Structured
	}
	if text := r.Text(); json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(r.Text()) // marshalling a string cannot fail
	return quoted
}
