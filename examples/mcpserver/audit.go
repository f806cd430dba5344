package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/mcphub/audit"
)

// errNotWhole reports that an audit log was changed or is damaged. The details have
// already been printed.
var errNotWhole = errors.New("the audit log is not whole")

// auditCommand reads audit logs in any directory: it does not open a home.
func auditCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch command {
	case "verify":
		return auditVerify(ctx, args, stdout, stderr)
	case "show":
		return auditShow(ctx, args, stdout, stderr)
	}
	fs := auditFlags("mcpserver audit", stderr)
	if command == "-h" || command == "-help" || command == "--help" {
		fs.Usage()
		return flag.ErrHelp
	}
	fmt.Fprintf(stderr, "mcpserver: say what to do with the audit log: verify or show\n\n")
	fs.Usage()
	return errUsage
}

func auditFlags(name string, stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { usage(fs, name) }
	return fs
}

func parseAudit(fs *flag.FlagSet, args []string) error {
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if fs.NArg() == 0 {
		fmt.Fprintf(fs.Output(), "mcpserver: name at least one log file, a folder with log files, or a home\n\n")
		fs.Usage()
		return errUsage
	}
	return nil
}

// auditVerify verifies that audit logs are complete and unchanged.
func auditVerify(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := auditFlags("mcpserver audit verify", stderr)
	asJSON := fs.Bool("json", false, "print the report as one JSON object")
	opts := &audit.VerifyOptions{}
	fs.BoolVar(&opts.Open, "open", false, "accept chains without an end: the program still runs, or it was killed and none has begun since, or the end was cut off")
	fs.BoolVar(&opts.Part, "part", false, "accept that segments are missing before and beside those that are here")
	fs.Var((*paths)(&opts.Anchors), "anchor", "require a record with the digest `HASH`, noted from an earlier verification; may be given again")
	if err := parseAudit(fs, args); err != nil {
		return err
	}
	report, err := audit.VerifyFiles(ctx, fs.Args(), opts)
	if err != nil {
		return err
	}
	if *asJSON {
		err = json.NewEncoder(stdout).Encode(struct {
			Whole bool `json:"whole"`
			*audit.Report
		}{report.Err() == nil, report})
	} else {
		_, err = io.WriteString(stdout, describe(report))
	}
	if err == nil && report.Err() != nil {
		return errNotWhole
	}
	return err
}

// describe formats a report as text.
func describe(r *audit.Report) string {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Reason, termtext.Escape(p.String()))
	}
	if r.ProblemsCut > 0 {
		fmt.Fprintf(&b, "and %d more\n", r.ProblemsCut)
	}
	state := "whole"
	if r.Err() != nil {
		state = "NOT WHOLE"
	}
	fmt.Fprintf(&b, "%s: %s in %s, %s\n", state, termtext.Count(r.Calls, "call"), termtext.Count(r.Segments, "segment"), termtext.Count(len(r.Chains), "chain"))
	if r.Calls > 0 {
		fmt.Fprintf(&b, "first    %s\nlast     %s\n", stamp(r.First), stamp(r.Last))
	}
	for _, cut := range r.Removed {
		fmt.Fprintf(&b, "removed  %s with %s from %s to %s, by retention at %s\n", termtext.Count(cut.Segments, "segment"), termtext.Count(cut.Records, "record"),
			stamp(cut.From), stamp(cut.To), stamp(cut.Time))
	}
	for _, c := range r.Chains {
		if c.End == "sealed" {
			continue
		}
		fmt.Fprintf(&b, "%-8s chain %s ends with number %d and no seal", c.End, termtext.Escape(c.ID), c.Last)
		if c.End == "closed" {
			b.WriteString(": its program was killed, as a later one has witnessed")
		}
		if c.Torn > 0 {
			fmt.Fprintf(&b, "; %s of a record that was never whole are left out", termtext.Count(int(c.Torn), "byte"))
		}
		b.WriteByte('\n')
	}
	if r.Anchor != "" {
		fmt.Fprintf(&b, "anchor   %s\n", r.Anchor)
	}
	return b.String()
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// auditShow prints the calls in audit logs, and the approval requests for them.
func auditShow(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := auditFlags("mcpserver audit show", stderr)
	tool := fs.String("tool", "", "only calls of the tool `NAME`")
	since := fs.String("since", "", "only calls from `T` on: a time such as 2026-11-21T17:00:00Z, a day such as 2026-11-21, or so long ago, such as 36h")
	asJSON := fs.Bool("json", false, "print one JSON object for each call, as it was recorded")
	if err := parseAudit(fs, args); err != nil {
		return err
	}
	from, err := when(*since, time.Now())
	if err != nil {
		fmt.Fprintf(stderr, "mcpserver: -since: %v\n\n", err)
		fs.Usage()
		return errUsage
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	for e, err := range audit.FileEntries(ctx, fs.Args()) {
		if err != nil {
			return err
		}
		var record any = e.Call
		var name, line string
		var at time.Time
		if r := e.Call; r != nil {
			name, at, line = r.Tool.Name, r.Time, callLine(r)
		} else {
			record = map[string]any{"approval": e.Approval}
			name, at, line = e.Approval.Tool, e.Approval.At, approvalLine(e.Approval)
		}
		switch {
		case *tool != "" && name != *tool, at.Before(from):
			continue
		case *asJSON:
			err = enc.Encode(record)
		default:
			_, err = io.WriteString(stdout, line+"\n")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// approvalLine formats an approval request or a decision as one line.
func approvalLine(r *approval.AuditRecord) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s  %s", stamp(r.At), r.Tool, r.Level, r.Kind)
	for _, part := range []struct{ name, value string }{{"", string(r.Outcome)}, {"scope", string(r.Scope)}, {"via", r.Via}, {"by", r.By.Subject}, {"reason", r.Reason}, {"", r.Request}} {
		if part.value != "" {
			b.WriteString("  " + strings.TrimSpace(part.name+" "+part.value))
		}
	}
	return termtext.Escape(b.String())
}

// when parses a point in time; an empty text is the zero time.
func when(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(s); err == nil {
		return now.Add(-ago), nil
	}
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write 2026-11-21T17:00:00Z, 2026-11-21 or 36h", s)
}

// callLine formats a call as one line: time, tool, outcome, caller, and the hosts and
// files that it reached.
func callLine(r *audit.Record) string {
	var b strings.Builder
	end := "ok"
	if !r.OK {
		end = string(r.Kind) + " " + r.Reason
	}
	fmt.Fprintf(&b, "%s  %s  %s  %s  %s  %s", stamp(r.Time), r.Tool.Name, r.Tool.Level, end, r.Duration.Round(10*time.Microsecond), r.Principal)
	for _, a := range r.Accesses {
		fmt.Fprintf(&b, "  %s %s %s", a.Component, a.Op, a.Target)
		if a.Status != 0 {
			fmt.Fprintf(&b, " %d", a.Status)
		}
		if a.Bytes != 0 {
			fmt.Fprintf(&b, " %dB", a.Bytes)
		}
		if a.Count > 1 {
			fmt.Fprintf(&b, " x%d", a.Count)
		}
	}
	if r.AccessesCut > 0 {
		fmt.Fprintf(&b, "  and %d more", r.AccessesCut)
	}
	for _, d := range r.Denials {
		fmt.Fprintf(&b, "  denied %s %s", d.Component, d.Reason)
	}
	if r.Undeclared > 0 {
		fmt.Fprintf(&b, "  ignored %s", termtext.Count(r.Undeclared, "argument"))
	}
	return termtext.Escape(b.String())
}
