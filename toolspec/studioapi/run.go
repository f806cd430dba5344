package studioapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// RunRequest says what is run. If empty, it is the tool's own test: its test values and
// each of its cases. If that succeeds, it earns a Local Pass.
type RunRequest struct {
	// Args runs the tool once with these arguments; nothing is recorded.
	Args json.RawMessage `json:"args,omitempty" doc:"An object of arguments: runs the tool once with them. Nothing is recorded."`
	// Cases selects the cases of the spec to run; nothing is recorded.
	Cases []string `json:"cases,omitempty" doc:"Names of cases of the spec, or their positions from 1: runs those alone. Nothing is recorded."`
	// Live runs Args or Cases without the spec's fixtures.
	Live bool `json:"live,omitempty" doc:"With args or cases: without the fixtures of the spec, with the real network and real secrets as far as the posture goes, and a copy of the workspace."`
	// Record keeps the network exchanges of a live run.
	Record bool `json:"record,omitempty" doc:"With live: gives the network exchanges of the run as fixtures, with the values of secrets masked. They are not stored. Without args and cases it runs the test values and each case."`
	// RealWorkspace is a user's permission for the runs to use the real workspace.
	RealWorkspace bool `json:"realWorkspace,omitempty" doc:"Lets a tool with files change the real workspace. Without it each run has a copy of the workspace. For a person to choose."`
}

// RunStarted is the answer to a request that starts a run.
type RunStarted struct {
	RunID string `json:"runId"`
}

func (a *API) startRun(w http.ResponseWriter, r *http.Request) error {
	var in RunRequest
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	cases, err := casesFor(e.spec, in)
	if err != nil {
		return err
	}
	if cases == nil {
		return a.startWork(w, r, e, RunTest, func(ctx context.Context, run *run) (func(*Run), error) {
			report, err := a.studio.Test(ctx, e.spec, &studio.TestOptions{ByAuthor: a.opts.ByAuthor, Console: printer(run), RealWorkspace: in.RealWorkspace})
			if err == nil && report.OK {
				a.keepVersion(ctx, e, report.Receipt)
			}
			return reported(report, a.fixer(e.spec)), err
		})
	}
	return a.startWork(w, r, e, RunTry, func(ctx context.Context, run *run) (func(*Run), error) {
		report, err := a.studio.Try(ctx, e.spec, cases, &studio.TryOptions{ByAuthor: a.opts.ByAuthor, Console: printer(run), Live: in.Live, Record: in.Record, RealWorkspace: in.RealWorkspace})
		return reported(report, a.fixer(e.spec)), err
	})
}

func (a *API) startTrace(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return a.startWork(w, r, e, RunTrace, func(ctx context.Context, run *run) (func(*Run), error) {
		trace, err := a.studio.Trace(ctx, e.spec, &studio.TestOptions{ByAuthor: a.opts.ByAuthor, Console: printer(run)})
		if err != nil {
			return nil, err
		}
		return traced(trace, a.fixer(e.spec))
	})
}

// startWork starts a run and answers with its id or, with ?wait=1, with the finished run.
// If a waiting client disconnects, the run is stopped.
func (a *API) startWork(w http.ResponseWriter, r *http.Request, e entry, kind RunKind, work func(context.Context, *run) (func(*Run), error)) error {
	wait, err := flag(r, "wait")
	if err != nil {
		return err
	}
	view := Run{ToolID: e.spec.ID(), Name: e.spec.Name, Kind: kind, Version: e.version, ContentHash: e.spec.ContentHash()}
	run, err := a.runs.start(view, func(kind string, data RunEvent) { a.sendEvent("runs", kind, data) }, a.guarded(work))
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/runs/"+run.view.ID)
	if !wait {
		return httpapi.Reply(w, http.StatusAccepted, RunStarted{RunID: run.view.ID})
	}
	defer context.AfterFunc(r.Context(), run.stop)()
	<-run.over
	return httpapi.Reply(w, http.StatusOK, run.snapshot())
}

// guarded confines a panic to its run, logs what the answer does not contain, and
// refreshes the lists.
func (a *API) guarded(work func(context.Context, *run) (func(*Run), error)) func(context.Context, *run) (func(*Run), error) {
	return func(ctx context.Context, r *run) (change func(*Run), err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
			if err != nil && ctx.Err() == nil {
				a.opts.Logger.ErrorContext(ctx, "studioapi: a run could not be made", "runId", r.view.ID, "toolId", r.view.ToolID, "error", err)
			}
			a.changed()
		}()
		done, err := work(genai.WithRun(ctx, r.view.ID), r)
		if err != nil {
			return nil, err
		}
		return func(v *Run) {
			done(v)
			a.opts.Bounds.of(v.Cases)
		}, nil
	}
}

func printer(r *run) func(activity.ConsoleLine) {
	return func(line activity.ConsoleLine) { r.print(line) }
}

// reported returns the function that writes a report into a run.
func reported(report *studio.Report, f *fixer) func(*Run) {
	return func(v *Run) {
		v.State = RunPassed
		v.Level, v.Receipt, v.Missing = report.Risk.Level, receiptOf(report.Receipt), report.Missing
		v.Workspace = report.Workspace
		v.Diagnostics = f.diagnostics(report.Problems)
		v.Exchanges = exchangesOf(report.Runs)
		left := newRoom()
		for _, c := range report.Runs {
			v.Cases = append(v.Cases, caseOf(c, left))
		}
		if report.OK {
			return
		}
		v.State, v.Receipt, v.Fixes = RunFailed, nil, f.afterRun(v.Cases)
		if report.Incomplete != "" {
			v.Message = "it could not be finished and changes nothing: " + report.Incomplete
			return
		}
		for _, c := range report.Runs {
			if !c.OK {
				v.Message = c.Name + ": " + c.Message
				return
			}
		}
		if errs := report.Problems.Errors(); len(errs) > 0 {
			v.Message = errs[0].Text()
		}
	}
}

// exchangesOf returns what recorded runs sent and received, in order; nil if nothing was
// recorded or it is too much to keep. Fixtures serve each run anew: a request is listed as
// often as the run has it that makes it most often.
func exchangesOf(runs []studio.Run) json.RawMessage {
	var all []json.RawMessage
	most := map[string]int{}
	for _, r := range runs {
		var own []json.RawMessage
		if r.Result == nil || r.Result.Outcome == nil || json.Unmarshal(r.Result.Outcome.Exchanges, &own) != nil {
			continue
		}
		made := map[string]int{}
		for _, raw := range own {
			var e struct{ Request json.RawMessage }
			if json.Unmarshal(raw, &e) != nil {
				continue
			}
			key := string(e.Request)
			if made[key]++; made[key] > most[key] {
				most[key]++
				all = append(all, raw)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	raw, err := json.Marshal(all)
	if err != nil || len(raw) > maxTraceBytes {
		return nil
	}
	return raw
}

// traced returns the function that writes a trace into a run.
func traced(trace *studio.Trace, f *fixer) (func(*Run), error) {
	raw, err := json.Marshal(trace)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxTraceBytes {
		own := *trace
		own.Proposed = nil
		own.Changes = append(own.Changes[:len(own.Changes):len(own.Changes)],
			fmt.Sprintf("The proposal is left out: with its recorded exchanges it has %d bytes.", len(raw)))
		if raw, err = json.Marshal(&own); err != nil {
			return nil, err
		}
	}
	return func(v *Run) {
		v.State, v.Level, v.Trace = RunPassed, trace.Level, raw
		v.Diagnostics = f.diagnostics(trace.Problems)
		left := newRoom()
		for _, c := range trace.Runs {
			v.Cases = append(v.Cases, caseOf(c, left))
		}
		if !trace.OK {
			v.State = RunFailed
			if errs := trace.Problems.Errors(); len(errs) > 0 {
				v.Message = errs[0].Text()
			}
		}
	}, nil
}

// casesFor returns the cases that a request asks for; nil means the tool's own test.
func casesFor(spec *toolspec.Spec, in RunRequest) ([]toolspec.Case, error) {
	switch {
	case in.Record && !in.Live:
		return nil, httpapi.InvalidArgument.New("record goes with live: only the real network has answers to keep")
	case in.Args != nil && in.Cases != nil:
		return nil, httpapi.InvalidArgument.New("give args or cases, not both")
	case in.Args != nil:
		return []toolspec.Case{{Name: "arguments", Args: in.Args}}, nil
	case in.Cases == nil && in.Record:
		return wholeTest(spec)
	case in.Cases == nil && in.Live:
		return nil, httpapi.InvalidArgument.New("live goes with args or cases: a test uses the fixtures of the spec")
	case in.Cases == nil:
		return nil, nil
	}
	cases := make([]toolspec.Case, 0, len(in.Cases))
	for i, want := range in.Cases {
		at := -1
		for j, c := range spec.Tests {
			if c.Name != "" && c.Name == want {
				at = j
				break
			}
		}
		if n, err := strconv.Atoi(want); at < 0 && err == nil && n >= 1 && n <= len(spec.Tests) {
			at = n - 1
		}
		if at < 0 {
			return nil, invalid(toolspec.Problems{{Pointer: fmt.Sprintf("cases[%d]", i), Reason: "unknown-case", Message: fmt.Sprintf("the spec has no case %q", want)}},
				"cases names what the spec has not")
		}
		c := spec.Tests[at]
		if c.Name == "" {
			c.Name = "case " + strconv.Itoa(at+1)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, httpapi.InvalidArgument.New("cases names none: leave it out to run the whole test")
	}
	return cases, nil
}

// wholeTest returns the runs of the spec's own test: with the test values, then each case.
func wholeTest(spec *toolspec.Spec) ([]toolspec.Case, error) {
	args, problems := spec.TestArguments()
	if problems.Err() != nil {
		return nil, invalid(problems, "the test values do not fit")
	}
	return append([]toolspec.Case{{Name: "test values", Args: args}}, spec.Tests...), nil
}

func (a *API) getRun(w http.ResponseWriter, r *http.Request) error {
	run, err := a.runs.get(r.PathValue("runId"))
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, run.snapshot())
}

func (a *API) stopRun(w http.ResponseWriter, r *http.Request) error {
	run, err := a.runs.get(r.PathValue("runId"))
	if err != nil {
		return err
	}
	run.stop()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) runEvents(w http.ResponseWriter, r *http.Request) error {
	run, err := a.runs.get(r.PathValue("runId"))
	if err != nil {
		return err
	}
	return run.events.Follow(w, r, a.runs.done)
}

// flag reads a Boolean query member.
func flag(r *http.Request, name string) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "":
		return false, nil
	case "1", "true":
		return true, nil
	case "0", "false":
		return false, nil
	}
	return false, httpapi.InvalidArgument.New("%s is 1 or 0", name)
}
