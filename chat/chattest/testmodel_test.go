package chattest_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
)

// following is a model that follows rules in place of a script.
func following(*testing.T) chat.Model {
	m := chattest.NewModel()
	m.Rule = func(req *chat.ModelRequest) chattest.Step {
		last := req.Messages[len(req.Messages)-1].Role
		if len(req.Tools) > 0 && req.ToolChoice.Mode == chat.ToolRequired && last == chat.RoleUser {
			return chattest.Call("getTime", `{"city":"Seoul"}`)
		}
		return chattest.Steps(chattest.Think("hm"), chattest.Uses(chat.Usage{Input: 3, Output: 2, Total: 5}), chattest.Say("Grüße, 世界 – hello!"))
	}
	return m
}

func TestScriptedModel(t *testing.T) {
	chattest.TestModel(t, following, nil)
	chattest.TestModel(t, func(t *testing.T) chat.Model {
		m := following(t).(*chattest.Model)
		m.Described.Capabilities = chat.Capabilities{}
		return m
	}, &chattest.ModelOptions{Question: "Hello?", Breaks: 2, Active: func() int { return 0 }})
}

func TestCheckDeltas(t *testing.T) {
	text := chat.Delta{Kind: chat.DeltaText, Text: "a"}
	start := chat.Delta{Kind: chat.DeltaToolStart, CallID: "1", Name: "x"}
	args := chat.Delta{Kind: chat.DeltaToolArgs, CallID: "1", Text: "{}"}
	end := chat.Delta{Kind: chat.DeltaToolEnd, CallID: "1"}
	finish := chat.Delta{Kind: chat.DeltaFinish, Finish: chat.FinishStop}
	other := start
	other.CallID = "2"
	usage := func(u chat.Usage) chat.Delta { return chat.Delta{Kind: chat.DeltaUsage, Usage: &u} }
	failed := &chat.Error{Code: chat.CodeStreamBroken}
	for _, c := range []struct {
		want   string // "": it is right
		deltas []chat.Delta
		err    error
	}{
		{"", []chat.Delta{text, start, args, args, end, usage(chat.Usage{Input: 1}), finish}, nil},
		{"", []chat.Delta{text, start, args}, failed},
		{"", []chat.Delta{start, {Kind: chat.DeltaRetry, Retry: &chat.Retry{Attempt: 2}}, start, end, finish}, nil},
		{"", []chat.Delta{{Kind: chat.DeltaRaw}, {Kind: chat.DeltaWarning, Name: "w"}, {Kind: chat.DeltaAdjusted, Adjusted: &chat.Adjustment{Name: "topK"}}}, context.Canceled},
		{"without a finish", []chat.Delta{text}, nil},
		{"after the finish", []chat.Delta{finish, text}, nil},
		{"after the finish", []chat.Delta{finish}, failed},
		{"neither a *chat.Error", nil, errors.New("oh")},
		{"split", []chat.Delta{{Kind: chat.DeltaText, Text: "\xc3"}, finish}, nil},
		{"still being written", []chat.Delta{start, text, end, finish}, nil},
		{"still being written", []chat.Delta{start, finish}, nil},
		{"interleave", []chat.Delta{start, other, end, finish}, nil},
		{"used twice", []chat.Delta{start, end, start, end, finish}, nil},
		{"names no tool", []chat.Delta{{Kind: chat.DeltaToolStart, CallID: "1"}, end, finish}, nil},
		{"not being written", []chat.Delta{args, finish}, nil},
		{"there are none", []chat.Delta{{Kind: chat.DeltaFinish, Finish: chat.FinishToolCalls}}, nil},
		{"no reason of a model", []chat.Delta{{Kind: chat.DeltaFinish, Finish: chat.FinishBudget}}, nil},
		{"what was used", []chat.Delta{{Kind: chat.DeltaUsage}, finish}, nil},
		{"negative", []chat.Delta{usage(chat.Usage{Input: -1}), finish}, nil},
		{"part of the output", []chat.Delta{usage(chat.Usage{Reasoning: 1}), finish}, nil},
		{"part of the input", []chat.Delta{usage(chat.Usage{CacheRead: 1}), finish}, nil},
		{"less than its parts", []chat.Delta{usage(chat.Usage{Input: 2, Total: 1}), finish}, nil},
		{"which setting", []chat.Delta{{Kind: chat.DeltaAdjusted}, finish}, nil},
		{"which try", []chat.Delta{{Kind: chat.DeltaRetry}, finish}, nil},
		{"no state", []chat.Delta{{Kind: chat.DeltaState}, finish}, nil},
		{"no code", []chat.Delta{{Kind: chat.DeltaWarning}, finish}, nil},
		{"unknown", []chat.Delta{{Kind: 99}, finish}, nil},
	} {
		err := chattest.CheckDeltas(c.deltas, c.err)
		if c.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, c.want)
	}
}

// bad is a model that is wrong in one way.
type bad struct {
	*chattest.Model
	change func(ctx context.Context, req *chat.ModelRequest, in iter.Seq2[chat.Delta, error]) iter.Seq2[chat.Delta, error]
}

func (b bad) Generate(ctx context.Context, req *chat.ModelRequest) iter.Seq2[chat.Delta, error] {
	return b.change(ctx, req, b.Model.Generate(context.WithoutCancel(ctx), req))
}

var wrong = map[string]func(ctx context.Context, req *chat.ModelRequest, in iter.Seq2[chat.Delta, error]) iter.Seq2[chat.Delta, error]{
	"hears no cancellation": func(_ context.Context, _ *chat.ModelRequest, in iter.Seq2[chat.Delta, error]) iter.Seq2[chat.Delta, error] {
		return in
	},
	"changes the request": func(_ context.Context, req *chat.ModelRequest, in iter.Seq2[chat.Delta, error]) iter.Seq2[chat.Delta, error] {
		req.Messages[0] = chat.SystemText("changed")
		return in
	},
	"just ends": func(_ context.Context, _ *chat.ModelRequest, in iter.Seq2[chat.Delta, error]) iter.Seq2[chat.Delta, error] {
		return func(yield func(chat.Delta, error) bool) {
			for d, err := range in {
				if d.Kind == chat.DeltaFinish || !yield(d, err) {
					return
				}
			}
		}
	},
	"goes on": func(_ context.Context, _ *chat.ModelRequest, in iter.Seq2[chat.Delta, error]) iter.Seq2[chat.Delta, error] {
		return func(yield func(chat.Delta, error) bool) {
			more := make(chan chat.Delta)
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

// Each of the wrong models fails the suite, in a process of its own.
func TestModelSuiteFindsWhatIsWrong(t *testing.T) {
	if name := os.Getenv(chosen); name != "" {
		chattest.TestModel(t, func(t *testing.T) chat.Model { return bad{following(t).(*chattest.Model), wrong[name]} }, nil)
		return
	}
	for name := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestModelSuiteFindsWhatIsWrong$", "-test.timeout=5m", "-test.failfast")
			cmd.Env = append(os.Environ(), chosen+"="+name)
			out, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			assert.ErrorAs(t, err, &failed)
			assert.Contains(t, string(out), "--- FAIL")
		})
	}
}
