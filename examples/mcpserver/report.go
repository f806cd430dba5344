package main

import (
	"fmt"
	"strings"

	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// passError describes why a spec did not pass.
type passError struct {
	Kind    string `json:"kind"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Pointer string `json:"pointer,omitempty"`

	// first is the part of the message shown on the line of the spec; more are the lines
	// below it.
	first string
	more  []string
}

// reportError returns the first error: how a run failed, or why the spec could not run.
func reportError(report *studio.Report) *passError {
	e := problemError(report.Problems)
	failed := make(map[string]studio.Run) // the failed runs by the message of their problem
	var first *studio.Run
	for i, run := range report.Runs {
		if run.OK {
			continue
		}
		failed[run.Name+": "+run.Message] = run
		if first == nil {
			first = &report.Runs[i]
		}
	}
	errs := report.Problems.Errors()
	if first == nil || errs[0].Code != toolspec.CodeLocalPass {
		return e
	}
	if err := first.Result.Err; err != nil {
		e.Kind, e.Reason = string(err.Kind), err.Reason
	}
	// The same mistake often fails every run, so it is reported only once.
	var same []string
	e.more = nil
	for _, p := range errs[1:] {
		if run, ok := failed[p.Message]; ok && run.Message == first.Message {
			same = append(same, run.Name)
		} else {
			e.more = append(e.more, "also: "+withoutKind(p.Error()))
		}
	}
	if same != nil {
		e.more = append([]string{"the same in: " + strings.Join(same, ", ")}, e.more...)
	}
	return e
}

func problemError(problems toolspec.Problems) *passError {
	errs := problems.Errors()
	if len(errs) == 0 {
		return &passError{Kind: string(toolspec.CodeParse), Reason: "unreadable", Message: "the document could not be read", first: "the document could not be read"}
	}
	e := &passError{Kind: string(errs[0].Code), Reason: errs[0].Reason, Message: errs[0].Text(), Pointer: errs[0].Pointer, first: errs[0].Text()}
	if len(errs) > 1 {
		e.Message += "\n" + errs[1:].Error()
	}
	for _, p := range errs[1:] {
		e.more = append(e.more, "also: "+p.Error())
	}
	return e
}

// withoutKind removes the words that the line already contains.
func withoutKind(text string) string { return strings.Replace(text, ": it failed: ", ": ", 1) }

// String formats the result as text: a line for the spec, and one for each further
// problem.
func (l passLine) String() string {
	if l.OK {
		text := fmt.Sprintf("PASS %s  %s  %d ms", l.Name, l.Level, l.DurationMS)
		switch l.Workspace {
		case activity.WorkspaceCopy:
			text += "  in a copy of the workspace"
		case activity.WorkspaceReal:
			text += "  in the real workspace"
		}
		if len(l.Missing) > 0 {
			text += "  (to be served it needs " + strings.Join(l.Missing, ", ") + ")"
		}
		return termtext.Escape(oneLine(text))
	}
	name, file := l.Name, " ("+l.File+")"
	if name == "" { // the document has no tool name
		name, file = l.File, ""
	}
	kind := l.Error.Kind
	message := strings.Replace(strings.TrimPrefix(l.Error.first, l.File+": "), ": it failed: "+kind+": ", ": ", 1)
	if l.Error.Pointer != "" {
		kind += " " + l.Error.Pointer
	}
	lines := []string{termtext.Escape(oneLine(fmt.Sprintf("FAIL %s  %s: %s%s", name, kind, message, file)))}
	for _, more := range l.Error.more {
		lines = append(lines, "     "+termtext.Escape(oneLine(more)))
	}
	return strings.Join(lines, "\n")
}
