package sandbox_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

// newSandbox returns a sandbox that is closed with the test and must leave
// nothing behind. Its engine takes TypeScript unless opts name another one.
func newSandbox(t testing.TB, opts *sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	leak.Check(t)
	var own sandbox.Options
	if opts != nil {
		own = *opts
	}
	if own.Engine == nil {
		own.Engine = typescript.Engine()
	}
	s, err := sandbox.New(&own)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// request is a run of code, with globals as pairs of a name and JSON.
func request(code string, globals ...string) *toolspec.RunRequest {
	req := &toolspec.RunRequest{
		Spec:    &toolspec.Spec{Name: "test", Code: code, CodeType: toolspec.CodeTypeJavascript},
		Posture: &toolspec.Posture{Network: toolspec.NetworkPosture{Mode: toolspec.NetworkBlocked}, Limits: toolspec.Limits{Timeout: 30 * time.Second}},
	}
	for i := 0; i+1 < len(globals); i += 2 {
		req.Globals = append(req.Globals, toolspec.Global{Name: globals[i], Value: json.RawMessage(globals[i+1])})
	}
	return req
}

// plainCall must be served right after anything. It tells how long it took.
func plainCall(t testing.TB, s *sandbox.Sandbox) time.Duration {
	t.Helper()
	start := time.Now()
	out, err := s.Run(context.Background(), request(`return [1, 2, 3].map(x => x * 2)`))
	took := time.Since(start)
	require.NoError(t, err)
	require.Nil(t, out.Err)
	require.JSONEq(t, `[2,4,6]`, string(out.Result))
	return took
}

var bothTiers = []toolspec.Tier{toolspec.TierIsolated, toolspec.TierInProcess}

// eachTier runs a test in both tiers.
func eachTier(t *testing.T, test func(t *testing.T, tier toolspec.Tier)) {
	for _, tier := range bothTiers {
		t.Run(string(tier), func(t *testing.T) { test(t, tier) })
	}
}
