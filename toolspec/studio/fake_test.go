package studio_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// fakeRunner is a runner whose code is a Go function: what the studio does
// around a run is tested here, what a sandbox does is tested there.
type fakeRunner struct {
	mu      sync.Mutex
	runtime toolspec.Runtime
	run     func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error)
	check   func(spec *toolspec.Spec) toolspec.Problems
	runs    int
}

func (r *fakeRunner) Run(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	r.mu.Lock()
	r.runs++
	run := r.run
	r.mu.Unlock()
	return run(ctx, req)
}

func (r *fakeRunner) Runtime(toolspec.Level) toolspec.Runtime {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.runtime
}

func (r *fakeRunner) Check(_ context.Context, spec *toolspec.Spec, _ *toolspec.Posture) toolspec.Problems {
	if r.check == nil {
		return nil
	}
	return r.check(spec)
}

// echoes returns the globals as one object.
func echoes(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	values := map[string]json.RawMessage{}
	for _, g := range req.Globals {
		values[g.Name] = g.Value
	}
	raw, err := json.Marshal(values)
	return &toolspec.Outcome{Result: raw}, err
}

// returns gives the same JSON whatever the arguments.
func returns(raw string) func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
	return func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) {
		return &toolspec.Outcome{Result: json.RawMessage(raw)}, nil
	}
}

func newRunner() *fakeRunner {
	return &fakeRunner{runtime: toolspec.Runtime{ID: "test/fake", Version: "1.2.3", Tier: toolspec.TierIsolated}, run: echoes}
}

type bench struct {
	*studio.Studio
	runner *fakeRunner
	store  *memory.Store
}

func newBench(t *testing.T, opts *studio.Options) *bench {
	t.Helper()
	b := &bench{runner: newRunner(), store: memory.New()}
	b.Studio = studioOn(t, b.runner, b.store, opts)
	return b
}

func studioOn(t *testing.T, runner toolspec.Runner, store localpass.Persistence, opts *studio.Options) *studio.Studio {
	t.Helper()
	st, err := studio.New(t.Context(), runner, store, opts)
	require.NoError(t, err)
	return st
}

const echoSpec = `{
  "toolId": "0b5e0f4e-7c5c-4c27-9f0e-1f6f1f6c0a01",
  "name": "echo", "description": "Gives its text back.", "codeType": "Javascript", "category": "TEXT", "tags": ["util"],
  "params": [
    {"name": "text", "description": "what to give back", "type": "STRING", "required": true, "testValue": "hello"},
    {"name": "times", "type": "INTEGER", "required": false}
  ],
  "staticVariables": [{"greeting": "hi"}],
  "code": "return {text, times};",
  "sandboxOverrides": {},
  "x-tests": [{"name": "a word", "args": {"text": "word"}, "want": {"text": "word"}}]
}`

func parse(t *testing.T, document string) *toolspec.Spec {
	t.Helper()
	spec, err := toolspec.ParseSpec([]byte(document))
	require.NoError(t, err)
	return spec
}

func admit(t *testing.T, st *studio.Studio, spec *toolspec.Spec) *studio.Passed {
	t.Helper()
	passed, report, err := st.TestAndPublish(t.Context(), spec, nil)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	require.NotNil(t, passed)
	return passed
}

func callWith(t *testing.T, tool toolspec.Tool, args string) *toolspec.Result {
	t.Helper()
	result, err := tool.Call(t.Context(), &toolspec.Call{ID: "1", Arguments: json.RawMessage(args)})
	require.NoError(t, err)
	return result
}
