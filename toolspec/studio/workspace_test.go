package studio_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/studio"
)

// plainRunner runs anything, and makes no copies.
type plainRunner struct{ asked []toolspec.RunRequest }

func (r *plainRunner) Run(_ context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
	r.asked = append(r.asked, *req)
	out := &toolspec.Outcome{Result: []byte("1"), Workspace: activity.WorkspaceReal}
	if req.Scratch {
		out.Workspace = activity.WorkspaceCopy
	}
	return out, nil
}

func (*plainRunner) Runtime(toolspec.Level) toolspec.Runtime {
	return toolspec.Runtime{ID: "plain", Version: "1.0.0"}
}

type copyingRunner struct{ *plainRunner }

func (copyingRunner) CopiesWorkspace() bool { return true }

// A test of a tool with files asks for a copy, and is not given to a runner that
// makes none; only a person's word sends it to the real workspace.
func TestTestsWantACopyOfTheWorkspace(t *testing.T) {
	spec, err := toolspec.ParseSpec([]byte(`{"name":"files","description":"Reads.","codeType":"Javascript","params":[],"code":"return safety.fs.list().length && 1",
		"sandboxOverrides":{"fileRead":true},"x-tests":[{"want":1}]}`))
	require.NoError(t, err)
	ctx := context.Background()
	for name, tt := range map[string]struct {
		copies  bool
		options *studio.TestOptions
		want    activity.Workspace
		scratch bool
	}{
		"a copy":                       {true, nil, activity.WorkspaceCopy, true},
		"the real one":                 {true, &studio.TestOptions{RealWorkspace: true}, activity.WorkspaceReal, false},
		"no copies here":               {false, nil, activity.WorkspaceNone, false},
		"no copies here, the real one": {false, &studio.TestOptions{RealWorkspace: true}, activity.WorkspaceReal, false},
	} {
		t.Run(name, func(t *testing.T) {
			plain := &plainRunner{}
			var runner toolspec.Runner = plain
			if tt.copies {
				runner = copyingRunner{plain}
			}
			st, err := studio.New(ctx, runner, memory.New(), nil)
			require.NoError(t, err)
			report, err := st.Test(ctx, spec, tt.options)
			require.NoError(t, err)
			assert.Equal(t, tt.want, report.Workspace)
			assert.Equal(t, tt.want != activity.WorkspaceNone, report.OK, report.Err())
			if tt.want == activity.WorkspaceNone {
				assert.Empty(t, plain.asked)
				assert.ErrorContains(t, report.Err(), "no copy of the workspace")
				return
			}
			for _, req := range plain.asked {
				assert.Equal(t, tt.scratch, req.Scratch)
			}
			passed, err := st.Publish(ctx, spec)
			require.NoError(t, err, "the pass is the one of production")
			_, err = passed.Call(ctx, &toolspec.Call{ID: "1"})
			require.NoError(t, err)
			assert.False(t, plain.asked[len(plain.asked)-1].Scratch, "a call works in the real one")
		})
	}
}
