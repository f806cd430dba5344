package chat_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/toolspec"
)

// If the source of tools or the memory panics, the turn fails and the conversation is
// free again.
func TestSourceAndMemoryPanic(t *testing.T) {
	store := turntest.NewStore(t)
	for name, opts := range map[string]chat.ClientOptions{
		"tools":  {Tools: badSource{}},
		"memory": {Memory: turntest.Memory{BeforeLoad: func(context.Context) error { panic("no memory") }}},
	} {
		opts.Store = store
		_, err := turntest.NewClient(t, chattest.NewModel(), opts).Ask(t.Context(), "c_1", "q", nil)
		require.Error(t, err, name)
		assert.NotEqual(t, conversation.StatusStreaming, turntest.Status(t, store, "c_1"))
	}
	_, err := turntest.NewClient(t, chattest.NewModel(chattest.Say("well")), chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	assert.NoError(t, err)
}

type badSource struct{}

func (badSource) Tools(context.Context) ([]toolspec.Tool, error) { panic("no tools") }

// If middleware panics or fails at any event, the turn ends correctly and the
// conversation can continue.
func TestMiddlewareFailsAtEachEvent(t *testing.T) {
	script := func() *chattest.Model {
		return chattest.NewModel(chattest.Steps(chattest.Think("hm"), chattest.Text("Wait."), chattest.Calls("ok", "{}", "ok", `{"n":1}`)), chattest.Say("done"))
	}
	for k := 0; k < 60; k++ {
		for _, how := range []string{"panics", "fails"} {
			seen := 0
			middleware := func(next chat.Handler) chat.Handler {
				return chat.HandlerFunc(func(ctx context.Context, req *chat.Request) chat.Stream {
					return func(yield func(chat.Event, error) bool) {
						for ev, err := range next.Handle(ctx, req) {
							if seen++; seen > k {
								if how == "panics" {
									panic("oh")
								}
								yield(nil, errors.New("oh"))
								return
							}
							if !yield(ev, err) {
								return
							}
						}
					}
				})
			}
			store := turntest.NewStore(t)
			client := turntest.NewClient(t, script(), chat.ClientOptions{Store: store, Tools: turntest.Tools{turntest.TextTool("ok", "fine")}, Middleware: middleware})
			events, err := turntest.Turn(t, client, "c_1", "q", nil)
			end, _ := ended(t, store, events)
			if err == nil {
				assert.Equal(t, conversation.EndCompleted, end.Status)
				return // the turn ended before event k
			}
			assert.Equal(t, llm.CodeInternal, llm.CodeOf(err))
			if how == "panics" {
				var p *chat.PanicError
				require.ErrorAs(t, err, &p)
			}
			_, err = turntest.NewClient(t, chattest.NewModel(chattest.Say("next")), chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
			require.NoError(t, err)
		}
	}
	t.Fatal("the turn has more events than were looked at")
}

// badManager is a tool calling manager that fails, panics or returns no results.
type badManager struct{ how string }

func (m badManager) Offer(_ context.Context, req *chat.Request) ([]toolspec.Tool, llm.ToolChoice, error) {
	switch m.how {
	case "offer fails":
		return nil, llm.ToolChoice{}, errors.New("no")
	case "offer panics":
		panic("oh")
	}
	return req.Tools, req.ToolChoice, nil
}

func (m badManager) ExecuteRound(_ context.Context, in chat.RoundInput, _ func(chat.Event) bool) (chat.RoundResult, error) {
	switch m.how {
	case "fails":
		return chat.RoundResult{}, errors.New("no")
	case "panics":
		panic("oh")
	case "pauses":
		return chat.RoundResult{Paused: &chat.Pause{Requests: map[string]string{in.Assistant.ToolCalls()[0].ID: "ap_x"}}}, nil
	}
	return chat.RoundResult{}, nil
}

func TestManagerFails(t *testing.T) {
	for _, how := range []string{"offer fails", "offer panics", "fails", "panics", "pauses"} {
		for _, keep := range []bool{true, false} {
			if how == "pauses" && keep {
				continue // a pause with a store is no failure
			}
			opts := chat.ClientOptions{Tools: turntest.Tools{turntest.TextTool("ok", "fine")}, Manager: badManager{how}}
			store := turntest.NewStore(t)
			if keep {
				opts.Store = store
			}
			events, err := turntest.Turn(t, turntest.NewClient(t, chattest.NewModel(chattest.Calls("ok", "{}", "ok", `{"n":1}`)), opts), "c_1", "q", nil)
			require.Error(t, err, how)
			assert.Equal(t, conversation.EndFailed, events[len(events)-1].(*chat.TurnFinished).Status)
			if keep {
				ended(t, store, events)
			}
		}
	}
}

// undefinable is a tool whose Definition panics.
type undefinable struct{ toolspec.Tool }

func (undefinable) Definition() toolspec.Definition { panic("no definition") }

// A panic before the turn has begun is an error and leaves the conversation free.
func TestPanicBeforeTheTurn(t *testing.T) {
	for name, store := range map[string]conversation.Store{"with a store": turntest.NewStore(t), "without": nil} {
		t.Run(name, func(t *testing.T) {
			c := turntest.NewClient(t, chattest.NewModel(chattest.Say("Fine.")), chat.ClientOptions{Store: store, Tools: turntest.Tools{undefinable{}}})
			_, err := c.Ask(t.Context(), "c_1", "Hello?", &chat.TurnOptions{Tools: []string{"x"}})
			var panicked *chat.PanicError
			require.ErrorAs(t, err, &panicked)
			free := turntest.NewClient(t, chattest.NewModel(chattest.Say("Fine.")), chat.ClientOptions{Store: store})
			if store == nil {
				free = c
			}
			_, err = free.Ask(t.Context(), "c_1", "Again?", &chat.TurnOptions{Tools: []string{"x"}})
			require.NotErrorIs(t, err, llm.ErrBusy)
			assert.False(t, c.Running("c_1"))
		})
	}
}
