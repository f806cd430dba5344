package advisor

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// MemoryOptions are the options of [Memory]. The zero value works.
type MemoryOptions struct {
	// Order is the advisor's place. nil is [OrderMemory].
	Order *int
	// Window bounds what the model sees of earlier turns.
	Window chat.Window
}

// Memory lets a client without a store remember: it puts the window of earlier
// turns before the question, and keeps what was said. It is outside of everything that
// adds to the question, and keeps what the person wrote.
//
// The question is kept when the turn begins, the rest when it ends, however it
// ends; calls that were not answered are not kept. A request that brings earlier
// turns along, as that of a client with a store does, gets no window. A memory
// that cannot be read ends the turn; one that cannot be written gives a warning.
func Memory(memory chat.Memory, opts *MemoryOptions) (MemoryOwner, error) {
	if memory == nil {
		return nil, fmt.Errorf("advisor: memory: there is none to keep anything in: chat.NewMemory makes one: %w", llm.ErrInvalid)
	}
	a := &rememberer{memory: memory}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Window.Messages < 0 || a.opts.Window.Tokens < 0 {
		return nil, fmt.Errorf("advisor: MemoryOptions.Window: it must not be negative: %w", llm.ErrInvalid)
	}
	return a, nil
}

type rememberer struct {
	memory chat.Memory
	opts   MemoryOptions
}

var _ MemoryOwner = (*rememberer)(nil)

func (*rememberer) Name() string { return "memory" }

func (a *rememberer) Order() int { return orderOr(a.opts.Order, OrderMemory) }

func (*rememberer) OwnsMemory() {}

func (a *rememberer) Advise(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
	return func(yield func(chat.Event, error) bool) {
		id := req.Conversation.ID
		if id == "" {
			yield(nil, fmt.Errorf("the request names no conversation: %w", llm.ErrInvalid))
			return
		}
		keep := context.WithoutCancel(ctx) // what was said is kept also when the turn is stopped
		own, said := req, []llm.Message(nil)
		if req.Resumed != nil {
			said = append(said, req.Resumed.Assistant) // the pause left it out, for it had no results
		} else {
			var err error
			if own, err = a.recall(ctx, req); err != nil {
				yield(nil, &llm.Error{Code: llm.CodeStore, Message: "the memory of the conversation cannot be read", Err: err})
				return
			}
			if at := asked(req); at >= 0 {
				if err := a.append(keep, id, req.Messages[at]); err != nil && !yield(unkept(req, err), nil) {
					return
				}
			}
		}
		over := false
		finish := func() error {
			over = true
			if said = answered(said); len(said) == 0 {
				return nil
			}
			return a.append(keep, id, said...)
		}
		defer func() {
			if over {
				return
			}
			if err := finish(); err != nil { // the reader has gone
				unkept(req, err)
			}
		}()
		for ev, err := range next.Handle(ctx, own) {
			if err != nil {
				if bad := finish(); bad != nil && !yield(unkept(req, bad), nil) {
					return
				}
				yield(nil, err)
				return
			}
			if m, ok := ev.(*chat.MessageCompleted); ok && m.Message != nil && len(m.Message.Parts) > 0 {
				said = append(said, *m.Message)
			}
			if !yield(ev, nil) {
				return
			}
		}
		if err := finish(); err != nil {
			yield(unkept(req, err), nil)
		}
	}
}

// memoryWait is how long a memory may take to write: what was said is kept also when
// the turn is stopped, but a turn does not hang on it.
const memoryWait = 10 * time.Second

// append adds messages to the memory. One that panics has failed.
func (a *rememberer) append(ctx context.Context, id string, messages ...llm.Message) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &chat.PanicError{Name: "the memory of advisor " + a.Name(), Value: v, Stack: debug.Stack()}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, memoryWait)
	defer cancel()
	return a.memory.Append(ctx, id, messages...)
}

// recall puts the window between the system prompt and the question.
func (a *rememberer) recall(ctx context.Context, req *chat.Request) (*chat.Request, error) {
	first := 0
	for first < len(req.Messages) && req.Messages[first].Role == llm.RoleSystem {
		first++
	}
	if len(req.Messages)-first > 1 { // it brings its own
		return req, nil
	}
	window := a.opts.Window
	if req.Options.MemoryWindow != nil {
		window.Messages = *req.Options.MemoryWindow
	}
	history, err := a.memory.Load(ctx, req.Conversation.ID, window)
	if err != nil || len(history) == 0 {
		return req, err
	}
	own := req.Clone()
	own.Messages = make([]llm.Message, 0, len(req.Messages)+len(history))
	own.Messages = append(own.Messages, req.Messages[:first]...)
	for _, m := range history {
		if m.Role != llm.RoleSystem || first == 0 { // the client's own replaces an earlier one
			own.Messages = append(own.Messages, m)
		}
	}
	own.Messages = append(own.Messages, req.Messages[first:]...)
	return own, nil
}

// unkept tells the operator why something was not kept, and makes the event that
// tells the person.
func unkept(req *chat.Request, err error) chat.Event {
	req.Telemetry.Log().Warn("advisor: a turn could not be remembered", "conversation", req.Conversation.ID, "error", err)
	return &chat.Warned{Warning: chat.Warning{Code: chat.WarnArchive, Message: "what is said cannot be remembered at the moment"}}
}

// answered leaves out the end of a history that a model would not take: calls that
// have no results.
func answered(said []llm.Message) []llm.Message {
	for len(said) > 0 && llm.CheckHistory(said) != nil {
		said = said[:len(said)-1]
	}
	return said
}

// asked is the place of the person's question among the messages of a request, or
// -1. What the program asked the model to do in the person's name is not one.
func asked(req *chat.Request) int {
	last := -1
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := &req.Messages[i]
		if m.Role != llm.RoleUser {
			continue
		}
		if req.Turn != nil && m.ID != "" && m.TurnID == req.Turn.ID && m.Round == 0 {
			return i
		}
		last = max(last, i)
	}
	return last
}
