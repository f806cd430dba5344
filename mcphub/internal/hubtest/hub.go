package hubtest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Patience is how long a test waits for an expected event. Even on the slowest machine,
// only a hanging test takes this long.
const Patience = time.Minute

// Timed is a context that expires when Up is closed, so that a test can first wait for
// everything that must happen before the deadline, however slow the machine is.
type Timed struct {
	context.Context
	Up chan struct{}
}

func (c Timed) Done() <-chan struct{} { return c.Up }

func (c Timed) Err() error {
	select {
	case <-c.Up:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// Certified makes a passed tool from a function, with one case that must return want for
// args.
func Certified[In, Out any](t testing.TB, name string, fn func(context.Context, In) (Out, error), args, want string, opts *toolspec.FuncOptions) *studio.Passed {
	t.Helper()
	tool, err := toolspec.Func(name, "The tool "+name+".", fn, opts)
	require.NoError(t, err)
	return Certify(t, tool, args, want)
}

func Certify(t testing.TB, tool toolspec.Tool, args, want string) *studio.Passed {
	t.Helper()
	pass, err := studio.Certify(context.Background(), tool, []toolspec.Case{{Args: json.RawMessage(args), Want: json.RawMessage(want)}}, nil)
	require.NoError(t, err)
	return pass
}

type TextIn struct {
	Text string `json:"text"`
}

// EchoTool returns a tool that answers with its argument.
func EchoTool(t testing.TB, name string) *studio.Passed {
	return Certified(t, name, func(_ context.Context, in TextIn) (string, error) { return in.Text, nil }, `{"text":"hi"}`, `"hi"`,
		&toolspec.FuncOptions{Level: toolspec.L0})
}

// ToolDoing makes a passed tool that runs do for each call except the one that earns the
// pass.
func ToolDoing(t testing.TB, name string, do func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)) *studio.Passed {
	type in struct {
		Certify bool `json:"certify,omitempty"`
	}
	return Certified(t, name, func(ctx context.Context, args in) (*toolspec.Result, error) {
		if args.Certify {
			return toolspec.TextResult("certified"), nil
		}
		return do(ctx, toolspec.CallFrom(ctx))
	}, `{"certify":true}`, `"certified"`, nil)
}

// NewHub returns a hub that is closed at the end of the test.
func NewHub(t testing.TB, opts *mcphub.Options, tools ...*studio.Passed) *mcphub.Hub {
	t.Helper()
	h, err := mcphub.New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	for _, p := range tools {
		require.NoError(t, h.Add(p))
	}
	return h
}
