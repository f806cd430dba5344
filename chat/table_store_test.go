package chat_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// badStore fails in one way while it is told to.
type badStore struct {
	conversation.Store
	how  string // "", fail, panic, hang
	when atomic.Bool
}

func (s *badStore) SaveTurn(ctx context.Context, t *conversation.TurnRecord) error {
	if s.when.Load() {
		switch s.how {
		case "fail":
			return errors.New("no space left")
		case "panic":
			panic("no space left")
		case "hang":
			<-ctx.Done()
			return ctx.Err()
		}
	}
	return s.Store.SaveTurn(ctx, t)
}

// Row "archive write fails": the turn goes on with one warning, and what was not
// stored is stored at its end; strict mode makes it fatal.
func TestTableArchive(t *testing.T) {
	for _, how := range []string{"fail", "panic", "hang"} {
		for _, strict := range []bool{false, true} {
			t.Run(how+map[bool]string{true: " strict"}[strict], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := &badStore{Store: newStore(t), how: how}
					look := textTool("look", "seen")
					look.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
						store.when.Store(false) // it is well again
						return toolspec.TextResult("seen"), nil
					}
					model := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
					client := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{look}, StrictStore: strict})
					var events []chat.Event
					var failed error
					for ev, err := range client.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
						if failed = err; err != nil {
							break
						}
						if _, begun := ev.(*chat.RoundStarted); begun && len(model.Asked()) == 0 {
							store.when.Store(true)
						}
						events = append(events, ev)
					}
					assert.NoError(t, chattest.CheckEvents(events))
					store.when.Store(false)
					if strict {
						assert.Equal(t, llm.CodeStore, llm.CodeOf(failed))
						assert.Equal(t, conversation.EndFailed, events[len(events)-1].(*chat.TurnFinished).Status)
						stored(t, store, "c_1")
						return
					}
					require.NoError(t, failed)
					assert.Equal(t, []string{chat.WarnArchive}, codesOf(events))
					_, turn := ended(t, store, events)
					assert.Len(t, turn.History(), 4, "all of it is stored in the end")
				})
			})
		}
	}
}

// A source of tools and a memory that fail or panic refuse the turn, and let the
// conversation go.
func TestTableNothingToBeginWith(t *testing.T) {
	store := newStore(t)
	for name, opts := range map[string]chat.ClientOptions{
		"tools":  {Tools: badSource{}},
		"memory": {Memory: badMemory{}},
	} {
		opts.Store = store
		_, err := newClient(t, chattest.NewModel(), opts).Ask(t.Context(), "c_1", "q", nil)
		require.Error(t, err, name)
		assert.NotEqual(t, conversation.StatusStreaming, status(t, store, "c_1"))
	}
	_, err := newClient(t, chattest.NewModel(chattest.Say("well")), chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	assert.NoError(t, err)
	resp, err := newClient(t, chattest.NewModel(chattest.Say("well")), chat.ClientOptions{Memory: amnesiac{}}).Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err, "a memory that cannot keep the turn makes the next one poorer, no more")
	assert.Equal(t, "well", resp.Text())
}

type badSource struct{}

func (badSource) Tools(context.Context) ([]toolspec.Tool, error) { panic("no tools") }

type badMemory struct{ chat.Memory }

func (badMemory) Load(context.Context, string, chat.Window) ([]llm.Message, error) {
	panic("no memory")
}

type amnesiac struct{ chat.Memory }

func (amnesiac) Load(context.Context, string, chat.Window) ([]llm.Message, error) { return nil, nil }

func (amnesiac) Append(context.Context, string, ...llm.Message) error { panic("no memory") }

// Row "advisor panics", at any place of the stream: everything that was open is
// closed, and the conversation goes on.
func TestTableHandlerPanics(t *testing.T) {
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
			store := newStore(t)
			client := newClient(t, script(), chat.ClientOptions{Store: store, Tools: source{textTool("ok", "fine")}, Middleware: middleware})
			events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
			end, _ := ended(t, store, events)
			if err == nil {
				assert.Equal(t, conversation.EndCompleted, end.Status)
				return // the whole turn is shorter
			}
			assert.Equal(t, llm.CodeInternal, llm.CodeOf(err))
			if how == "panics" {
				var p *chat.PanicError
				require.ErrorAs(t, err, &p)
			}
			_, err = newClient(t, chattest.NewModel(chattest.Say("next")), chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
			require.NoError(t, err)
		}
	}
	t.Fatal("the turn has more events than were looked at")
}

// A manager that panics or answers nothing leaves no call without a result.
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

func TestTableBadManager(t *testing.T) {
	for _, how := range []string{"offer fails", "offer panics", "fails", "panics", "pauses"} {
		for _, keep := range []bool{true, false} {
			if how == "pauses" && keep {
				continue // that is well
			}
			opts := chat.ClientOptions{Tools: source{textTool("ok", "fine")}, Manager: badManager{how}}
			store := newStore(t)
			if keep {
				opts.Store = store
			}
			events, err := watch(t, newClient(t, chattest.NewModel(chattest.Calls("ok", "{}", "ok", `{"n":1}`)), opts).Stream(t.Context(), "c_1", llm.UserText("q"), nil))
			require.Error(t, err, how)
			assert.Equal(t, conversation.EndFailed, events[len(events)-1].(*chat.TurnFinished).Status)
			if keep {
				ended(t, store, events)
			}
		}
	}
}

// A question that flows in, in small pieces, is not stored anew with each of them.
func TestTableFlood(t *testing.T) {
	store := &counted{Store: newStore(t)}
	model := chattest.NewModel(chattest.Say(strings.Repeat("flood ", 100_000)))
	_, err := newClient(t, model, chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err)
	assert.Less(t, store.saved.Load(), int64(200))
}

type counted struct {
	conversation.Store
	saved atomic.Int64
}

func (s *counted) SaveTurn(ctx context.Context, t *conversation.TurnRecord) error {
	s.saved.Add(1)
	return s.Store.SaveTurn(ctx, t)
}

// Section 8.5: before a call runs that was approved while nobody ran the turn, it
// is looked at anew.
func TestTableResumeLooksAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, g *tool, gate *approval.Gate)
		gone   bool
		answer approval.Outcome
		ran    int
		status conversation.ToolCallStatus
		says   string
	}{
		{name: "nothing changed", answer: approval.Approved, ran: 1, status: conversation.CallCompleted, says: "counted"},
		{name: "declined", answer: approval.Declined, status: conversation.CallDeclined, says: "did not approve"},
		{name: "the tool changed", answer: approval.Approved, change: func(_ *testing.T, g *tool, _ *approval.Gate) { g.def.Fingerprint = "another" },
			status: conversation.CallDeclined, says: "changed"},
		{name: "a tighter policy", answer: approval.Approved, change: func(t *testing.T, _ *tool, gate *approval.Gate) {
			_, err := gate.Policies().Set(t.Context(), approval.Policy{Tool: "gated", Effect: approval.AlwaysDeny}, me.Principal)
			require.NoError(t, err)
		}, status: conversation.CallDeclined, says: "not"},
		{name: "the tool is gone", answer: approval.Approved, gone: true, status: conversation.CallDeclined, says: "not available any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := memory.New()
			store, err := conversation.NewStore(p)
			require.NoError(t, err)
			ran, freely := 0, 0
			g := gated("gated", &ran)
			free := textTool("free", "")
			free.def.Fingerprint, free.do = "f-free", counting(&freely)
			build := func(m llm.Model, tools source) (*chat.Client, *approval.Gate) {
				gate, err := approval.NewGate(&approval.Options{Store: p, NoAudit: true, Approvers: []approval.Approver{pausing{}}})
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, gate.Close()) })
				return newClient(t, m, chat.ClientOptions{Store: store, Tools: tools, Manager: managed(t, chat.ToolManagerOptions{Gate: gate})}), gate
			}
			client, _ := build(chattest.NewModel(chattest.Calls("gated", "{}", "free", "{}")), source{g, free})
			events, err := watch(t, client.Stream(t.Context(), "c_1", llm.UserText("q"), me))
			require.NoError(t, err)
			asked := find[*chat.ApprovalRequired](events)
			require.Len(t, asked, 1)
			assert.Zero(t, freely, "nothing of the batch runs before all is decided")

			tools := source{g, free}
			if c.gone {
				tools = source{free}
			}
			model := chattest.NewModel(chattest.Say("done"))
			client, gate := build(model, tools)
			_, err = gate.Broker().Decide(t.Context(), approval.Decision{Request: asked[0].ApprovalID, Outcome: c.answer, By: me.Principal, Via: "test"})
			require.NoError(t, err)
			if c.change != nil {
				c.change(t, g, gate)
			}
			rest, err := watch(t, client.Resume(t.Context(), "c_1", me))
			require.NoError(t, err)
			assert.NoError(t, chattest.CheckEvents(append(events, rest...)))
			assert.Equal(t, c.ran, ran)
			assert.Equal(t, 1, freely)
			turn, err := store.Turn(t.Context(), "c_1", 1)
			require.NoError(t, err)
			assert.Equal(t, c.status, turn.Calls[0].Status)
			assert.Contains(t, model.Asked()[0].Messages[2].Results()[0].Text(), c.says)
			stored(t, store, "c_1")
		})
	}
}

// Rows "two turns at once" and the lock: refused at the door, with nothing changed.
func TestTableRefusedAtTheDoor(t *testing.T) {
	store := newStore(t)
	client := newClient(t, chattest.NewModel(chattest.Say("one"), chattest.Say("two")), chat.ClientOptions{Store: store})
	elsewhere := newClient(t, chattest.NewModel(chattest.Say("x")), chat.ClientOptions{Store: store})
	other := chattest.NewModel(chattest.Say("x"))
	other.Described.Provider = "other"
	tried := false
	for ev, err := range client.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
		require.NoError(t, err)
		if _, ok := ev.(*chat.RoundStarted); !ok {
			continue
		}
		tried = true
		for _, c := range []*chat.Client{client, elsewhere} { // in this program and in another
			_, err := c.Ask(t.Context(), "c_1", "q", nil)
			assert.Equal(t, llm.CodeBusy, llm.CodeOf(err))
			_, err = watch(t, c.Resume(t.Context(), "c_1", nil))
			assert.Equal(t, llm.CodeBusy, llm.CodeOf(err))
		}
	}
	assert.True(t, tried)
	before, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	_, err = newClient(t, other, chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	assert.Equal(t, llm.CodeProviderLocked, llm.CodeOf(err))
	_, err = client.Ask(t.Context(), "c_1", "q", &chat.TurnOptions{Model: other})
	assert.Equal(t, llm.CodeProviderLocked, llm.CodeOf(err), "nor by a single turn's model")
	after, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// A lease that could not be renewed does not let a second turn in beside the first.
func TestTableLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		client := newClient(t, chattest.NewModel(chattest.Say("one"), chattest.Say("two")), chat.ClientOptions{Store: store, Lease: 30 * time.Second})
		for ev, err := range client.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
			require.NoError(t, err)
			if _, ok := ev.(*chat.RoundStarted); ok {
				_, err := store.Update(t.Context(), "c_1", func(c *conversation.Conversation) error {
					c.Running.Until = time.Now().Add(-time.Second)
					return nil
				})
				require.NoError(t, err)
				_, err = client.Ask(t.Context(), "c_1", "q", nil)
				assert.ErrorIs(t, err, llm.ErrBusy)
				_, err = watch(t, client.Resume(t.Context(), "c_1", nil))
				assert.ErrorIs(t, err, llm.ErrBusy)
			}
		}
		assert.Equal(t, conversation.StatusCompleted, status(t, store, "c_1"))
	})
}
