package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// fakeRunner runs no code: it gives back the globals as one object, or what do
// makes of them.
type fakeRunner struct {
	do func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error)
}

var fakeRuntime = toolspec.Runtime{ID: "test/fake", Version: "1.2.3", Tier: toolspec.TierIsolated}

func (r *fakeRunner) Runtime(toolspec.Level) toolspec.Runtime { return fakeRuntime }

func (r *fakeRunner) Run(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	if r.do != nil {
		return r.do(ctx, req)
	}
	values := map[string]json.RawMessage{}
	for _, g := range req.Globals {
		values[g.Name] = g.Value
	}
	raw, err := json.Marshal(values)
	return &toolspec.Outcome{Result: raw, Runtime: fakeRuntime}, err
}

func newStudio(t testing.TB, runner *fakeRunner, opts *studio.Options) *studio.Studio {
	t.Helper()
	st, err := studio.New(context.Background(), runner, memory.New(), opts)
	require.NoError(t, err)
	return st
}

// specOf is a spec with one text parameter. Its id follows from n.
func specOf(t testing.TB, n int, name string) *toolspec.Spec {
	t.Helper()
	spec, err := toolspec.ParseSpec([]byte(fmt.Sprintf(`{"toolId":"%08d-0000-4000-8000-000000000000","name":%q,"description":"Gives its text back.",
		"params":[{"name":"text","description":"What to give back.","required":true,"type":"STRING","testValue":"hello"},
		          {"name":"times","description":"How often.","required":false,"type":"INTEGER","testValue":"1"}],
		"code":"return {text, times};","codeType":"Javascript","x-tests":[{"args":{"text":"hello"},"want":{"text":"hello"}}]}`, n, name)))
	require.NoError(t, err)
	return spec
}

func publish(t testing.TB, st *studio.Studio, spec *toolspec.Spec) *studio.Passed {
	t.Helper()
	pass, report, err := st.TestAndPublish(context.Background(), spec, nil)
	require.NoError(t, err)
	require.True(t, report.OK, "%+v", report)
	return pass
}
