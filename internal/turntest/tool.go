package turntest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Func is what a tool does when it is called.
type Func = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)

// Tool is a tool whose definition and function a test may change.
type Tool struct {
	Def toolspec.Definition
	Run Func
}

// NewTool returns a tool that takes any object.
func NewTool(name string, run Func) *Tool {
	return &Tool{Def: toolspec.Definition{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, Run: run}
}

// TextTool returns a tool that always returns the same text.
func TextTool(name, text string) *Tool { return NewTool(name, Returns(text)) }

// GatedTool returns a tool whose calls need an approval.
func GatedTool(name string, run Func) *Tool {
	t := NewTool(name, run)
	t.Def.Fingerprint, t.Def.Level = "f-"+name, toolspec.L3
	t.Def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	return t
}

// Definition returns t.Def.
func (t *Tool) Definition() toolspec.Definition { return t.Def }

// Call calls t.Run.
func (t *Tool) Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	return t.Run(ctx, call)
}

// Tools is a fixed source of tools.
type Tools []toolspec.Tool

// Tools returns the tools.
func (s Tools) Tools(context.Context) ([]toolspec.Tool, error) { return s, nil }

// names are the names of the tools, without those whose definition panics.
func (s Tools) names() (names []string) {
	for _, t := range s {
		func() {
			defer func() { _ = recover() }()
			names = append(names, t.Definition().Name)
		}()
	}
	return names
}

// Returns makes a tool return a text.
func Returns(text string) Func {
	return func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return toolspec.TextResult(text), nil }
}

// Counts makes a tool count its calls and return "counted". Calls must not run at the same
// time.
func Counts(calls *int) Func {
	return func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		*calls++
		return toolspec.TextResult("counted"), nil
	}
}

// Fails makes a tool return an error.
func Fails(err error) Func {
	return func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, err }
}

// Panics makes a tool panic.
func Panics(v any) Func {
	return func(context.Context, *toolspec.Call) (*toolspec.Result, error) { panic(v) }
}

// Hangs makes a tool run until its context ends.
func Hangs(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Takes makes a tool report progress, run for a time or until its context ends, and return
// "ok".
func Takes(d time.Duration) Func {
	return func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		_ = call.Caller().Progress(ctx, toolspec.Progress{Done: 1, Total: 2})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d):
			return toolspec.TextResult("ok"), nil
		}
	}
}

// IgnoresCancel makes a tool run for a time, even if its context ends before, and return
// "ok".
func IgnoresCancel(d time.Duration) Func {
	return func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		return Takes(d)(context.WithoutCancel(ctx), call)
	}
}
