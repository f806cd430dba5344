package chattest_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
)

// following is a model with a rule instead of a script.
func following(*testing.T) llm.Model {
	m := chattest.NewModel()
	m.Rule = func(req *llm.ModelRequest) chattest.Step {
		last := req.Messages[len(req.Messages)-1].Role
		if len(req.Tools) > 0 && req.ToolChoice.Mode == llm.ToolRequired && last == llm.RoleUser {
			return chattest.Call("getTime", `{"city":"Seoul"}`)
		}
		return chattest.Steps(chattest.Think("hm"), chattest.Uses(llm.Usage{Input: 3, Output: 2, Total: 5}), chattest.Say("Grüße, 世界 – hello!"))
	}
	return m
}

func TestScriptedModel(t *testing.T) {
	chattest.TestModel(t, following, nil)
	chattest.TestModel(t, func(t *testing.T) llm.Model {
		m := following(t).(*chattest.Model)
		m.Described.Capabilities = llm.Capabilities{}
		return m
	}, &chattest.ModelOptions{Question: "Hello?", Breaks: 2, Active: func() int { return 0 }})
}

func TestCheckDeltas(t *testing.T) {
	text := llm.Delta{Kind: llm.DeltaText, Text: "a"}
	start := llm.Delta{Kind: llm.DeltaToolStart, CallID: "1", Name: "x"}
	args := llm.Delta{Kind: llm.DeltaToolArgs, CallID: "1", Text: "{}"}
	end := llm.Delta{Kind: llm.DeltaToolEnd, CallID: "1"}
	finish := llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishStop}
	other := start
	other.CallID = "2"
	usage := func(u llm.Usage) llm.Delta { return llm.Delta{Kind: llm.DeltaUsage, Usage: &u} }
	failed := &llm.Error{Code: llm.CodeStreamBroken}
	for _, c := range []struct {
		want   string // "" if the model is correct
		deltas []llm.Delta
		err    error
	}{
		{"", []llm.Delta{text, start, args, args, end, usage(llm.Usage{Input: 1}), finish}, nil},
		{"", []llm.Delta{text, start, args}, failed},
		{"", []llm.Delta{start, {Kind: llm.DeltaRetry, Retry: &llm.Retry{Attempt: 2}}, start, end, finish}, nil},
		{"", []llm.Delta{{Kind: llm.DeltaRaw}, {Kind: llm.DeltaWarning, Name: "w"}, {Kind: llm.DeltaAdjusted, Adjusted: &llm.Adjustment{Name: "topK"}}}, context.Canceled},
		{"without a finish", []llm.Delta{text}, nil},
		{"after the finish", []llm.Delta{finish, text}, nil},
		{"after the finish", []llm.Delta{finish}, failed},
		{"neither a *chat.Error", nil, errors.New("oh")},
		{"split", []llm.Delta{{Kind: llm.DeltaText, Text: "\xc3"}, finish}, nil},
		{"still being written", []llm.Delta{start, text, end, finish}, nil},
		{"still being written", []llm.Delta{start, finish}, nil},
		{"interleave", []llm.Delta{start, other, end, finish}, nil},
		{"used twice", []llm.Delta{start, end, start, end, finish}, nil},
		{"names no tool", []llm.Delta{{Kind: llm.DeltaToolStart, CallID: "1"}, end, finish}, nil},
		{"not being written", []llm.Delta{args, finish}, nil},
		{"there are none", []llm.Delta{{Kind: llm.DeltaFinish, Finish: llm.FinishToolCalls}}, nil},
		{"no reason of a model", []llm.Delta{{Kind: llm.DeltaFinish, Finish: llm.FinishBudget}}, nil},
		{"what was used", []llm.Delta{{Kind: llm.DeltaUsage}, finish}, nil},
		{"negative", []llm.Delta{usage(llm.Usage{Input: -1}), finish}, nil},
		{"part of the output", []llm.Delta{usage(llm.Usage{Reasoning: 1}), finish}, nil},
		{"part of the input", []llm.Delta{usage(llm.Usage{CacheRead: 1}), finish}, nil},
		{"less than its parts", []llm.Delta{usage(llm.Usage{Input: 2, Total: 1}), finish}, nil},
		{"which setting", []llm.Delta{{Kind: llm.DeltaAdjusted}, finish}, nil},
		{"which try", []llm.Delta{{Kind: llm.DeltaRetry}, finish}, nil},
		{"no state", []llm.Delta{{Kind: llm.DeltaState}, finish}, nil},
		{"no code", []llm.Delta{{Kind: llm.DeltaWarning}, finish}, nil},
		{"unknown", []llm.Delta{{Kind: 99}, finish}, nil},
	} {
		err := chattest.CheckDeltas(c.deltas, c.err)
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, c.want)
	}
}

// bad is a model with one fault.
type bad struct {
	*chattest.Model
	change func(ctx context.Context, req *llm.ModelRequest, in iter.Seq2[llm.Delta, error]) iter.Seq2[llm.Delta, error]
}

func (b bad) Generate(ctx context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return b.change(ctx, req, b.Model.Generate(context.WithoutCancel(ctx), req))
}

var wrong = map[string]func(ctx context.Context, req *llm.ModelRequest, in iter.Seq2[llm.Delta, error]) iter.Seq2[llm.Delta, error]{
	"hears no cancellation": func(_ context.Context, _ *llm.ModelRequest, in iter.Seq2[llm.Delta, error]) iter.Seq2[llm.Delta, error] {
		return in
	},
	"changes the request": func(_ context.Context, req *llm.ModelRequest, in iter.Seq2[llm.Delta, error]) iter.Seq2[llm.Delta, error] {
		req.Messages[0] = llm.SystemText("changed")
		return in
	},
	"just ends": func(_ context.Context, _ *llm.ModelRequest, in iter.Seq2[llm.Delta, error]) iter.Seq2[llm.Delta, error] {
		return func(yield func(llm.Delta, error) bool) {
			for d, err := range in {
				if d.Kind == llm.DeltaFinish || !yield(d, err) {
					return
				}
			}
		}
	},
	"goes on": func(_ context.Context, _ *llm.ModelRequest, in iter.Seq2[llm.Delta, error]) iter.Seq2[llm.Delta, error] {
		return func(yield func(llm.Delta, error) bool) {
			more := make(chan llm.Delta)
			go func() {
				for d := range in {
					more <- d
				}
				close(more)
			}()
			for d := range more {
				if !yield(d, nil) {
					return
				}
			}
		}
	},
}

const chosen = "LOCALPASS_WRONG_MODEL"

// Each faulty model fails the suite, in a process of its own.
func TestModelSuiteFindsWhatIsWrong(t *testing.T) {
	if name := os.Getenv(chosen); name != "" {
		chattest.TestModel(t, func(t *testing.T) llm.Model { return bad{following(t).(*chattest.Model), wrong[name]} }, nil)
		return
	}
	for name := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestModelSuiteFindsWhatIsWrong$", "-test.timeout=5m", "-test.failfast")
			cmd.Env = append(os.Environ(), chosen+"="+name, leak.Wait+"=1s") // the faulty model leaks
			out, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			assert.ErrorAs(t, err, &failed)
			assert.Contains(t, string(out), "--- FAIL")
		})
	}
}
