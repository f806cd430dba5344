package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// oddEngine is an engine whose code is one word: what to do, or what to do
// wrong.
type oddEngine struct{}

func (oddEngine) Runtime() toolspec.Runtime {
	return toolspec.Runtime{ID: "test/odd", Version: "2.1.0"}
}

func (oddEngine) Compile(src sandbox.Source) (sandbox.Program, toolspec.Problems) {
	code := src.Code
	if src.Count || code == "refuse" {
		return nil, toolspec.Problems{{Severity: toolspec.SeverityError, Reason: "no-such-word", Message: "cannot " + code, Line: 3, Column: 4}}
	}
	switch code {
	case "compile-panic":
		panic("compile")
	case "compile-spin":
		spin()
	}
	return oddProgram(code), nil
}

type oddProgram string

func (p oddProgram) Size() int { return len(p) }

func (p oddProgram) Problems(globals []string) toolspec.Problems {
	if p == "needs-x" && !strings.Contains(strings.Join(globals, " "), "x") {
		return toolspec.Problems{{Severity: toolspec.SeverityError, Reason: "no-x", Message: "needs x"}}
	}
	return nil
}

func (p oddProgram) Run(ctx context.Context, in *sandbox.Invocation) *toolspec.Outcome {
	word, rest, _ := strings.Cut(string(p), " ")
	switch word {
	case "nil":
		return nil
	case "panic":
		panic("run")
	case "not-JSON":
		return &toolspec.Outcome{Result: json.RawMessage("{")}
	case "spin":
		spin()
	case "wait":
		<-ctx.Done()
		return &toolspec.Outcome{Err: &toolspec.CallError{Kind: toolspec.KindTimeout, Reason: toolspec.ReasonDeadline, Component: "odd"}}
	case "exit":
		var code int
		_, _ = fmt.Sscan(rest, &code)
		os.Exit(code)
	case "hog":
		hold := make([][]byte, 0, 1024)
		for {
			hold = append(hold, make([]byte, 1<<20))
			for i := range hold[len(hold)-1] {
				hold[len(hold)-1][i] = 1
			}
		}
	case "dig":
		return &toolspec.Outcome{Result: json.RawMessage(fmt.Sprint(dig(0)))}
	case "keep": // what it was asked for stays in the process
		for range 80 {
			kept = append(kept, []byte(strings.Repeat("x", 1<<20)))
		}
	case "told":
		data, _ := json.Marshal(map[string]any{"globals": len(in.Globals), "unset": in.Unset, "guarded": in.Guarded, "tools": in.CallTool != nil, "console": in.Console != nil})
		return &toolspec.Outcome{Result: data}
	}
	return &toolspec.Outcome{Result: json.RawMessage(`"` + string(p) + `"`)}
}

var kept [][]byte

func spin() {
	for n := 0; ; n++ {
		if n < 0 {
			return
		}
	}
}

func dig(n int) int {
	if n < 0 {
		return 0
	}
	return dig(n+1) + n
}

// TestIsolatedEngine puts another engine in, and lets it break its obligations.
func TestIsolatedEngine(t *testing.T) { testEngine(t, toolspec.TierIsolated) }

func TestInProcessEngine(t *testing.T) { testEngine(t, toolspec.TierInProcess) }

func testEngine(t *testing.T, tier toolspec.Tier) {
	s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 2, Engine: oddEngine{}})
	assert.Equal(t, toolspec.Runtime{ID: "test/odd", Version: "2.1.0", Tier: tier}, s.Runtime(toolspec.L0))

	req := request("told", "a", "1")
	req.Unset = []string{"b"}
	out := run(t, s, req)
	require.Nil(t, out.Err)
	isolated := tier == toolspec.TierIsolated
	assert.JSONEq(t, fmt.Sprintf(`{"globals":1,"unset":["b"],"guarded":%t,"tools":false,"console":false}`, isolated), string(out.Result))

	failure{toolspec.KindRuntimeError, "no-such-word", "cannot refuse", 3, 4}.check(t, run(t, s, request("refuse")))
	failure{toolspec.KindRuntimeError, "no-x", "needs x", 0, 0}.check(t, run(t, s, request("needs-x")))
	assert.Nil(t, run(t, s, request("needs-x", "x", "1")).Err)
	counted := request("fine")
	counted.Posture.Limits.Statements = 5
	failure{toolspec.KindRuntimeError, "no-such-word", "cannot fine", 3, 4}.check(t, run(t, s, counted))
	failure{toolspec.KindRuntimeError, toolspec.ReasonPanic, "the engine failed", 0, 0}.check(t, run(t, s, request("panic")))
	failure{toolspec.KindRuntimeError, toolspec.ReasonPanic, "gave no outcome", 0, 0}.check(t, run(t, s, request("nil")))
	assert.Nil(t, run(t, s, request("fine")).Err)

	problems := s.Check(context.Background(), &toolspec.Spec{Code: "refuse"}, nil)
	require.Len(t, problems, 1)
	assert.Equal(t, "no-such-word", problems[0].Reason)
	problems = s.Check(context.Background(), &toolspec.Spec{Code: "compile-panic"}, nil)
	require.Len(t, problems, 1)
	assert.Equal(t, sandbox.ReasonCheckFailed, problems[0].Reason)
	out = run(t, s, request("compile-panic"))
	require.NotNil(t, out.Err)
	assert.Nil(t, run(t, s, request("fine")).Err)
}

// TestIsolatedEngineThatHarms: what would end or hold up the program ends a
// worker instead.
func TestIsolatedEngineThatHarms(t *testing.T) {
	s := newSandbox(t, &sandbox.Options{Workers: 1, Engine: oddEngine{}})
	for _, tc := range []struct {
		code string
		want failure
	}{
		{"spin", failure{toolspec.KindTimeout, toolspec.ReasonDeadline, "its limit", 0, 0}},
		{"compile-spin", failure{toolspec.KindTimeout, toolspec.ReasonDeadline, "its limit", 0, 0}},
		{"hog", failure{toolspec.KindResourceLimit, toolspec.ReasonMemory, "memory", 0, 0}},
		{"dig", failure{toolspec.KindResourceLimit, toolspec.ReasonStack, "stack", 0, 0}},
		{"exit 0", failure{toolspec.KindResourceLimit, toolspec.ReasonMemory, "memory", 0, 0}},
		{"exit 83", failure{toolspec.KindRuntimeError, sandbox.ReasonWorker, "unexpectedly", 0, 0}},
		{"not-JSON", failure{toolspec.KindRuntimeError, sandbox.ReasonWorker, "no sense", 0, 0}},
	} {
		t.Run(tc.code, func(t *testing.T) {
			before := s.PIDs()
			req := request(tc.code)
			if tc.want.kind == toolspec.KindTimeout {
				req.Posture.Limits.Timeout = 50 * time.Millisecond
			}
			tc.want.check(t, run(t, s, req))
			assert.Nil(t, run(t, s, request("fine")).Err)
			assert.NotEqual(t, before, s.PIDs(), "another worker")
		})
	}
	t.Run("one that grew", func(t *testing.T) {
		before := s.PIDs()
		assert.Nil(t, run(t, s, request("keep")).Err)
		assert.Nil(t, run(t, s, request("fine")).Err)
		assert.NotEqual(t, before, s.PIDs(), "another worker")
	})
	t.Run("wait", func(t *testing.T) {
		// On a busy machine a worker may have no processor for so long that it counts
		// as one that does not stop.
		stays := false
		for try := 0; try < 20 && !stays; try++ {
			before := s.PIDs()
			req := request("wait")
			req.Posture.Limits.Timeout = 20 * time.Millisecond
			failure{toolspec.KindTimeout, toolspec.ReasonDeadline, "its limit", 0, 0}.check(t, run(t, s, req))
			assert.Nil(t, run(t, s, request("fine")).Err)
			stays = slices.Equal(before, s.PIDs())
		}
		assert.True(t, stays, "one that stops by itself stays")
	})
}

// TestIsolatedCrashLoop: a tool that ends its worker again and again has to
// wait; others do not.
func TestIsolatedCrashLoop(t *testing.T) {
	s := newSandbox(t, &sandbox.Options{Workers: 2, Engine: oddEngine{}})
	var last *toolspec.Outcome
	for range 40 {
		if last = run(t, s, request("exit 1")); last.Err.Reason == sandbox.ReasonCrashLoop {
			break
		}
		failure{toolspec.KindResourceLimit, toolspec.ReasonMemory, "memory", 0, 0}.check(t, last)
	}
	failure{toolspec.KindResourceLimit, sandbox.ReasonCrashLoop, "runs again in", 0, 0}.check(t, last)
	problems := s.Check(context.Background(), &toolspec.Spec{Code: "exit 1"}, nil)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Message, "too often")
	assert.Nil(t, run(t, s, request("fine")).Err)
}

// TestIsolatedRecycles: a worker serves so many calls.
func TestIsolatedRecycles(t *testing.T) {
	s := newSandbox(t, &sandbox.Options{Workers: 1, Engine: oddEngine{}})
	before := s.PIDs()
	n := sandbox.Table().RecycleCalls
	for range n {
		require.Nil(t, run(t, s, request("fine")).Err)
	}
	assert.Nil(t, run(t, s, request("fine")).Err)
	assert.NotEqual(t, before, s.PIDs())
}
