package advisortest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
)

// Question is the question of the suite, and Answer the answer of its models: JSON, as
// some advisors require.
const (
	Question = "What is the answer to this question?"
	Answer   = `{"answer":"it is forty-two"}`
)

// errInner is the error of a failing inner handler.
var errInner = errors.New("the handler behind the advisor failed")

// TestAdvisor checks an advisor against its contract. newAdvisor returns a new advisor
// each time, ready for use.
//
// It checks that the name and order do not change and are valid for a chain; that nothing
// happens before the stream is read; that the request does not change; that the events
// obey their order, within a client and with a tool; that breaking off after any event
// ends the inner handlers before the loop returns; that errors, panics and cancellation
// are passed on or handled; and that one advisor can serve many turns concurrently. Run
// it with the race detector.
func TestAdvisor(t *testing.T, newAdvisor func() advisor.Advisor) {
	leak.Check(t)
	s := suite{newAdvisor}
	for _, c := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"identity", s.identity},
		{"lazy", s.lazy},
		{"request", s.request},
		{"order", s.order},
		{"breaking off", s.breaking},
		{"errors", s.errors},
		{"panics", s.panics},
		{"cancel", s.cancel},
		{"side by side", s.sideBySide},
		{"client", s.client},
	} {
		t.Run(c.name, c.run)
	}
}

type suite struct{ newAdvisor func() advisor.Advisor }

// inner is the handler behind the advisor. It records whether its streams were started
// and ended.
type inner struct {
	chat.Handler
	begun, left atomic.Int64
}

func (h *inner) Handle(ctx context.Context, req *chat.Request) chat.Stream {
	return func(yield func(chat.Event, error) bool) {
		h.begun.Add(1)
		defer h.left.Add(1)
		h.Handler.Handle(ctx, req)(yield)
	}
}

// answering returns an inner handler that yields reasoning and an answer.
func answering() *inner {
	m := chattest.NewModel()
	m.Rule = func(*llm.ModelRequest) chattest.Step {
		return chattest.Steps(chattest.Think("hm, hm"), chattest.Say(Answer))
	}
	return &inner{Handler: chat.NewModelHandler(m)}
}

// after returns an inner handler that calls do after n events of an answer.
func after(n int, do func(yield func(chat.Event, error) bool)) *inner {
	whole := answering()
	return &inner{Handler: chat.HandlerFunc(func(ctx context.Context, req *chat.Request) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			seen := 0
			if n == 0 {
				do(yield)
				return
			}
			for ev, err := range whole.Handler.Handle(ctx, req) {
				if !yield(ev, err) {
					return
				}
				if seen++; seen == n {
					do(yield)
					return
				}
			}
		}
	})}
}

func newRequest(t *testing.T, conversation string) *chat.Request {
	t.Helper()
	turn, err := chat.NewTurn("t_"+conversation, chat.TurnPolicy{})
	require.NoError(t, err)
	question := llm.UserText(Question)
	question.ID, question.TurnID = "m_1", turn.ID
	return &chat.Request{Conversation: chat.ConversationRef{ID: conversation, Provider: "script"}, Turn: turn,
		Messages: []llm.Message{llm.SystemText("Answer briefly."), question}}
}

func (s suite) identity(t *testing.T) {
	a, b := s.newAdvisor(), s.newAdvisor()
	require.NotNil(t, a)
	assert.NotEmpty(t, a.Name())
	assert.NotEqual(t, advisor.OrderModel, a.Order(), "the place of the model is taken")
	for range 3 {
		assert.Equal(t, b.Name(), a.Name(), "a name does not change")
		assert.Equal(t, b.Order(), a.Order(), "an order does not change")
	}
	_, err := advisor.Chain(a)
	require.NoError(t, err)
	_, err = advisor.Chain(a, b)
	assert.ErrorIs(t, err, llm.ErrInvalid, "two of a name are one too many")
}

func (s suite) lazy(t *testing.T) {
	h := answering()
	stream := s.newAdvisor().Advise(t.Context(), newRequest(t, "c_lazy"), h)
	require.NotNil(t, stream)
	assert.Zero(t, h.begun.Load(), "the model is asked when the stream is read, and not before")
}

// request checks that the advisor does not change data that it does not own: the request,
// and the memory after the ends of its slices.
func (s suite) request(t *testing.T) {
	req := newRequest(t, "c_request")
	spare := llm.UserText("spare")
	messages := append(slices.Grow([]llm.Message(nil), len(req.Messages)+4), req.Messages...)
	req.Messages = messages
	behind := messages[:cap(messages)]
	for i := len(messages); i < len(behind); i++ {
		behind[i] = spare
	}
	req.Tools = append(make([]toolspec.Tool, 0, 4), lookTool{})
	req.Options.Stop = append(make([]string, 0, 4), "stop")
	before, copied := snapshot(t, req), *req
	for range s.newAdvisor().Advise(t.Context(), req, answering()) {
	}
	assert.Equal(t, before, snapshot(t, req), "a request is changed on a clone")
	assert.Equal(t, copied.Values, req.Values)
	assert.Same(t, copied.Turn, req.Turn)
	for i := len(messages); i < len(behind); i++ {
		assert.Equal(t, "spare", behind[i].Text(), "an append to the request's own list")
	}
	assert.Nil(t, req.Tools[:2][1], "an append to the request's own list")
}

func snapshot(t *testing.T, req *chat.Request) string {
	t.Helper()
	raw, err := json.Marshal(struct {
		Conversation any
		Messages     []llm.Message
		Tools        int
		Choice       any
		Options      llm.Options
		Format       *llm.OutputFormat
		Round        int
	}{req.Conversation, req.Messages, len(req.Tools), req.ToolChoice, req.Options, req.Format, req.Round})
	require.NoError(t, err)
	return string(raw)
}

// read reads a stream to its end, and checks that nothing comes after an error.
func read(t testing.TB, stream chat.Stream) (events []chat.Event, failed error) {
	t.Helper()
	for ev, err := range stream {
		if failed != nil {
			t.Errorf("after the error %v came %v, %v", failed, ev, err)
		}
		switch {
		case err != nil:
			failed = err
			if ev != nil {
				t.Errorf("the error %v comes with an event", err)
			}
		case ev == nil:
			t.Error("an element has neither event nor error")
		default:
			events = append(events, ev)
		}
	}
	return events, failed
}

// answered returns an error unless the events are a complete answer.
func answered(events []chat.Event) error {
	message, finished := false, false
	for _, ev := range events {
		switch e := ev.(type) {
		case *chat.MessageCompleted:
			message = message || e.Role == llm.RoleAssistant && e.Status == conversation.MessageFinal
		case *chat.RoundFinished:
			finished = true
		}
	}
	if !message || !finished {
		return errors.New("it ends without an error, and the answer is not whole")
	}
	return chattest.CheckRound(events)
}

func (s suite) order(t *testing.T) {
	h := answering()
	events, err := read(t, s.newAdvisor().Advise(t.Context(), newRequest(t, "c_order"), h))
	require.NoError(t, err)
	assert.NoError(t, answered(events), "the shape of an answer, also of one that no model gave")
	assert.Equal(t, h.begun.Load(), h.left.Load())
}

func (s suite) breaking(t *testing.T) {
	whole, err := read(t, s.newAdvisor().Advise(t.Context(), newRequest(t, "c_whole"), answering()))
	require.NoError(t, err)
	for k := 1; k <= len(whole); k++ {
		h := answering()
		seen := 0
		for _, err := range s.newAdvisor().Advise(t.Context(), newRequest(t, fmt.Sprintf("c_break%d", k)), h) {
			require.NoError(t, err)
			if seen++; seen == k {
				break
			}
		}
		assert.Equal(t, h.begun.Load(), h.left.Load(), "broken off after %d events, what is further in is left too", k)
	}
}

func (s suite) errors(t *testing.T) {
	for n := range 8 {
		h := after(n, func(yield func(chat.Event, error) bool) {
			yield(nil, &llm.Error{Code: llm.CodeUnavailable, Provider: "script", Err: errInner})
		})
		events, err := read(t, s.newAdvisor().Advise(t.Context(), newRequest(t, "c_error"), h))
		if err == nil {
			assert.NoError(t, answered(events), "an error after %d events", n)
			continue
		}
		assert.ErrorIs(t, err, errInner, "an error after %d events", n)
		assert.Equal(t, llm.CodeUnavailable, llm.CodeOf(err), "what wraps an error keeps its code")
		assert.Equal(t, h.begun.Load(), h.left.Load())
	}
}

func (s suite) panics(t *testing.T) {
	for n := range 8 {
		chain, err := advisor.Chain(s.newAdvisor())
		require.NoError(t, err)
		h := after(n, func(func(chat.Event, error) bool) { panic("the handler behind the advisor panicked") })
		events, err := read(t, chain(h).Handle(t.Context(), newRequest(t, "c_panic")))
		if err == nil {
			assert.NoError(t, answered(events), "a panic after %d events", n)
			continue
		}
		var panicked *chat.PanicError
		assert.ErrorAs(t, err, &panicked, "a panic after %d events", n)
	}
}

func (s suite) cancel(t *testing.T) {
	for n := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		h := after(n, func(yield func(chat.Event, error) bool) {
			cancel() // cancelled by the inner handler, because an advisor may hold events back
			<-ctx.Done()
			yield(nil, ctx.Err())
		})
		events, err := read(t, s.newAdvisor().Advise(ctx, newRequest(t, "c_cancel"), h))
		cancel()
		if err == nil {
			assert.NoError(t, answered(events))
			continue
		}
		assert.ErrorIs(t, err, context.Canceled)
	}
}

func (s suite) sideBySide(t *testing.T) {
	a := s.newAdvisor()
	var all sync.WaitGroup
	for n := range 8 {
		req := newRequest(t, fmt.Sprintf("c_side%d", n))
		all.Go(func() {
			for k := range 4 {
				events, err := read(t, a.Advise(context.Background(), req, answering()))
				assert.NoError(t, err)
				assert.NoError(t, answered(events))
				for range a.Advise(context.Background(), req, answering()) {
					if k--; k < 0 {
						break
					}
				}
			}
		})
	}
	all.Wait()
}

// lookTool is a tool for the client of the test.
type lookTool struct{}

func (lookTool) Definition() toolspec.Definition {
	return toolspec.Definition{Name: "look", Description: "Looks.", InputSchema: json.RawMessage(`{"type":"object"}`), Level: toolspec.L0}
}

func (lookTool) Call(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	return toolspec.TextResult("seen"), nil
}

type tools []toolspec.Tool

func (t tools) Tools(context.Context) ([]toolspec.Tool, error) { return t, nil }

// client tests the advisor in a client whose model calls a tool before it answers.
func (s suite) client(t *testing.T) {
	chain, err := advisor.Chain(s.newAdvisor())
	require.NoError(t, err)
	m := chattest.NewModel()
	m.Rule = func(req *llm.ModelRequest) chattest.Step {
		if n := len(req.Messages); len(req.Tools) > 0 && req.Messages[n-1].Role != llm.RoleTool {
			return chattest.Call("look", "{}")
		}
		return chattest.Say(Answer)
	}
	c, err := chat.NewClient(m, &chat.ClientOptions{Middleware: chain, Tools: tools{lookTool{}}, Uncertified: []string{"look"}})
	require.NoError(t, err)
	turn := func(most int) (events []chat.Event) {
		for ev, err := range c.Stream(t.Context(), "c_client", llm.UserText(Question), nil) {
			require.NoError(t, err)
			if events = append(events, ev); len(events) == most {
				break
			}
		}
		return events
	}
	events := turn(0)
	require.NoError(t, chattest.CheckEvents(events))
	assert.NoError(t, llm.CheckHistory(said(events)))
	for k := 1; k < len(events); k++ {
		turn(k)
		assert.False(t, c.Running("c_client"), "broken off after %d events, the turn has ended", k)
	}
	require.NoError(t, chattest.CheckEvents(turn(0)), "the conversation goes on after turns that were broken off")
}

func said(events []chat.Event) []llm.Message {
	c := chat.NewCollector()
	for _, ev := range events {
		c.Add(ev)
	}
	return c.Response().Messages
}
