package chattest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
)

// Step is what a [Model] does in one call: the deltas that it hands out, one after
// another. An error ends it. Steps are made by [Say], [Call], [Fail] and such, or
// by hand.
type Step func(ctx context.Context, req *llm.ModelRequest, out func(llm.Delta) bool) error

// pieceRunes is how much of a text comes at once.
const pieceRunes = 4

// Say answers with a text.
func Say(text string) Step {
	return Steps(Text(text), Finish(llm.FinishStop))
}

// Text says a text and does not end.
func Text(text string) Step { return pieces(llm.DeltaText, text) }

// Think reasons and does not end.
func Think(text string) Step { return pieces(llm.DeltaReasoning, text) }

func pieces(kind llm.DeltaKind, text string) Step {
	return func(_ context.Context, _ *llm.ModelRequest, out func(llm.Delta) bool) error {
		for text := text; text != ""; {
			n := 0
			for range pieceRunes {
				_, size := utf8.DecodeRuneInString(text[n:])
				n += size
			}
			if !out(llm.Delta{Kind: kind, Text: text[:n]}) {
				return nil
			}
			text = text[n:]
		}
		return nil
	}
}

// Call asks for one tool and ends.
func Call(name, arguments string) Step {
	return Steps(Write("", name, arguments), Finish(llm.FinishToolCalls))
}

// Calls asks for several tools, given as name, arguments, name, arguments…, and
// ends.
func Calls(pairs ...string) Step {
	var steps []Step
	for i := 0; i+1 < len(pairs); i += 2 {
		steps = append(steps, Write("", pairs[i], pairs[i+1]))
	}
	return Steps(append(steps, Finish(llm.FinishToolCalls))...)
}

// Write writes one call and does not end. Without an id it makes one up of the
// turn, the round and the place.
func Write(id, name, arguments string) Step {
	return func(ctx context.Context, req *llm.ModelRequest, out func(llm.Delta) bool) error {
		n := place(ctx)
		callID := id
		if callID == "" {
			callID = fmt.Sprintf("call_%d_%d", req.Round, n)
		}
		if !out(llm.Delta{Kind: llm.DeltaToolStart, CallID: callID, Name: name, Index: n}) {
			return nil
		}
		for half := len(arguments) / 2; ; half = len(arguments) {
			for half > 0 && half < len(arguments) && !utf8.RuneStart(arguments[half]) {
				half--
			}
			if part := arguments[:half]; part != "" && !out(llm.Delta{Kind: llm.DeltaToolArgs, CallID: callID, Text: part, Index: n}) {
				return nil
			}
			if arguments = arguments[half:]; arguments == "" {
				break
			}
		}
		out(llm.Delta{Kind: llm.DeltaToolEnd, CallID: callID, Index: n})
		return nil
	}
}

// Finish ends the call.
func Finish(reason llm.FinishReason) Step {
	return One(llm.Delta{Kind: llm.DeltaFinish, Finish: reason})
}

// Uses says what the call cost.
func Uses(u llm.Usage) Step { return One(llm.Delta{Kind: llm.DeltaUsage, Usage: &u}) }

// One hands out one delta.
func One(d llm.Delta) Step {
	return func(_ context.Context, _ *llm.ModelRequest, out func(llm.Delta) bool) error {
		out(d)
		return nil
	}
}

// HTTPError is the error that a provider's model gives for an HTTP status; 0 stands for
// no connection. after is what the server says about the next try.
func HTTPError(status int, after time.Duration) *llm.Error {
	e := &llm.Error{Provider: "script", HTTPStatus: status, Retryable: true, RetryAfter: after}
	switch {
	case status == 0 || status >= 500:
		e.Code = llm.CodeUnavailable
	case status == 429:
		e.Code = llm.CodeRateLimited
	case status == 401 || status == 403:
		e.Code, e.Retryable = llm.CodeProviderAuth, false
	case status == 404:
		e.Code, e.Retryable = llm.CodeModelNotFound, false
	case status == 408 || status == 409 || status == 425:
		e.Code = llm.CodeUnavailable
	default:
		e.Code, e.Retryable = llm.CodeProviderRejected, false
	}
	return e
}

// Fail ends the call with an error.
func Fail(err error) Step {
	return func(context.Context, *llm.ModelRequest, func(llm.Delta) bool) error { return err }
}

// Hang says nothing until the call is cancelled.
func Hang() Step {
	return func(ctx context.Context, _ *llm.ModelRequest, _ func(llm.Delta) bool) error {
		<-ctx.Done()
		return ctx.Err()
	}
}

// Panic panics.
func Panic(v any) Step {
	return func(context.Context, *llm.ModelRequest, func(llm.Delta) bool) error { panic(v) }
}

// Steps does several things in one call.
func Steps(steps ...Step) Step {
	return func(ctx context.Context, req *llm.ModelRequest, out func(llm.Delta) bool) error {
		stopped := false
		n := 0
		for _, s := range steps {
			err := s(context.WithValue(ctx, placeKey{}, n), req, func(d llm.Delta) bool {
				if d.Kind == llm.DeltaToolEnd {
					n++
				}
				stopped = stopped || !out(d)
				return !stopped
			})
			if err != nil || stopped {
				return err
			}
		}
		return nil
	}
}

type placeKey struct{}

func place(ctx context.Context) int {
	n, _ := ctx.Value(placeKey{}).(int)
	return n
}

// Model follows a script. When the script is at its end, it says so as an error.
// It is safe for concurrent use, though concurrent callers then share the steps in the order in which they ask.
type Model struct {
	// Described is what Info returns. [NewModel] makes it one that can do
	// everything.
	Described llm.ModelInfo
	// Rule, when set, answers in place of the script.
	Rule func(req *llm.ModelRequest) Step

	mu    sync.Mutex
	steps []Step
	asked []llm.ModelRequest
}

var _ llm.Model = (*Model)(nil)

// NewModel returns a model with a script of one step a call.
func NewModel(steps ...Step) *Model {
	return &Model{steps: steps, Described: llm.ModelInfo{Provider: "script", Name: "script-1", ContextTokens: 32_768,
		Capabilities: llm.Capabilities{Tools: true, ParallelTools: true, StreamWithTools: true, Vision: true, Thinking: true, StructuredOutput: true}}}
}

// Info describes the model.
func (m *Model) Info() llm.ModelInfo { return m.Described }

// Add appends steps to the script.
func (m *Model) Add(steps ...Step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = append(m.steps, steps...)
}

// Asked returns the requests so far.
func (m *Model) Asked() []llm.ModelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// Generate does the next step.
func (m *Model) Generate(ctx context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m.mu.Lock()
		kept := *req
		kept.Messages = slices.Clone(req.Messages)
		kept.Tools = slices.Clone(req.Tools)
		m.asked = append(m.asked, kept)
		var step Step
		if m.Rule == nil && len(m.steps) > 0 {
			step, m.steps = m.steps[0], m.steps[1:]
		}
		m.mu.Unlock()
		if m.Rule != nil {
			step = m.Rule(req)
		}
		if step == nil {
			yield(llm.Delta{}, fmt.Errorf("chattest: the script has %d steps, and the model was asked once more", len(m.Asked())-1))
			return
		}
		stopped := false
		err := step(ctx, req, func(d llm.Delta) bool {
			if ctx.Err() != nil || stopped {
				return false
			}
			stopped = !yield(d, nil)
			return !stopped
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil && !stopped {
			yield(llm.Delta{}, err)
		}
	}
}
