package chat_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// source is a fixed set of tools.
type source []toolspec.Tool

func (s source) Tools(context.Context) ([]toolspec.Tool, error) { return s, nil }

// names are the names of tools.
func names(tools []toolspec.Tool) (names []string) {
	for _, t := range tools {
		func() {
			defer func() { _ = recover() }() // one whose definition panics has no name
			names = append(names, t.Definition().Name)
		}()
	}
	return names
}

func newStore(t *testing.T) conversation.Store {
	t.Helper()
	s, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	return s
}

// newClient returns a client that may offer the tools of a source, which hold no pass.
func newClient(t *testing.T, m llm.Model, opts chat.ClientOptions) *chat.Client {
	t.Helper()
	if tools, ok := opts.Tools.(source); ok && opts.Uncertified == nil {
		opts.Uncertified = names(tools)
	}
	c, err := chat.NewClient(m, &opts)
	require.NoError(t, err)
	return c
}

// watch runs a turn and holds its events against the order.
func watch(t *testing.T, s chat.Stream) ([]chat.Event, error) {
	t.Helper()
	var events []chat.Event
	var failed error
	for ev, err := range s {
		if failed = err; err == nil {
			events = append(events, ev)
		}
	}
	if len(events) > 0 {
		if first, ok := events[0].(*chat.TurnStarted); ok && !first.Resumed {
			assert.NoError(t, chattest.CheckEvents(events))
		}
	}
	return events, failed
}

// stored is the whole history of a conversation, which must be one that a model
// takes.
func stored(t *testing.T, s conversation.Store, id string) []llm.Message {
	t.Helper()
	var all []llm.Message
	for turn, err := range s.Turns(context.Background(), id, conversation.TurnQuery{}) {
		require.NoError(t, err)
		for _, c := range turn.Calls {
			assert.True(t, c.Status.Terminal(), "call %s of turn %s is %s", c.ItemID, turn.ID, c.Status)
		}
		for _, m := range turn.Messages {
			assert.NotEqual(t, conversation.MessageDraft, m.Status)
			assert.NotEmpty(t, m.Message.ID)
		}
		all = append(all, turn.History()...)
	}
	assert.NoError(t, llm.CheckHistory(all))
	return all
}

func status(t *testing.T, s conversation.Store, id string) conversation.ConversationStatus {
	t.Helper()
	c, err := s.Get(context.Background(), id)
	require.NoError(t, err)
	assert.Equal(t, c.Status == conversation.StatusPaused, c.Running != nil)
	return c.Status
}

func TestClient(t *testing.T) {
	store := newStore(t)
	m := chattest.NewModel(chattest.Call("time", "{}"), chattest.Say("It is nine."), chattest.Say("You asked for the time."))
	c := newClient(t, m, chat.ClientOptions{Store: store, Tools: source{textTool("time", "09:00")}, System: "Be short."})
	events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("What time is it, please, where I am?"), nil))
	require.NoError(t, err)
	end := events[len(events)-1].(*chat.TurnFinished)
	assert.Equal(t, conversation.EndCompleted, end.Status)
	assert.Equal(t, 2, end.Rounds)
	assert.Equal(t, llm.FinishStop, end.Finish)
	conv, err := store.Get(t.Context(), "c_1")
	require.NoError(t, err)
	assert.Equal(t, conversation.StatusCompleted, conv.Status)
	assert.Equal(t, "What time is it, pl…", conv.Title)
	assert.Equal(t, "script", conv.Provider)
	assert.Equal(t, 4, conv.Messages)
	assert.Len(t, stored(t, store, "c_1"), 4)
	turn, err := store.Turn(t.Context(), "c_1", 1)
	require.NoError(t, err)
	assert.Equal(t, end.Seq, turn.Events)
	require.Len(t, turn.Calls, 1)
	assert.Equal(t, "09:00", turn.Calls[0].Result)
	assert.Equal(t, conversation.CallCompleted, turn.Calls[0].Status)

	resp, err := c.Ask(t.Context(), "c_1", "What did I ask?", nil)
	require.NoError(t, err)
	assert.Equal(t, "You asked for the time.", resp.Text())
	last := m.Asked()[2].Messages
	require.Len(t, last, 4)
	assert.Equal(t, "Be short.", last[0].Text())
	assert.Equal(t, "[earlier tool call: time, ok: 09:00]\n\nIt is nine.", last[2].Text())
	assert.Equal(t, "What did I ask?", last[3].Text())
}

func TestClientWithoutStore(t *testing.T) {
	c := newClient(t, chattest.NewModel(chattest.Say("a"), chattest.Say("b")), chat.ClientOptions{})
	events, err := watch(t, c.Stream(t.Context(), "", llm.UserText("q"), nil))
	require.NoError(t, err)
	assert.NotEmpty(t, events[0].Header().Conversation)
	_, err = c.Ask(t.Context(), "x", "q", nil)
	require.NoError(t, err)
}

func TestClientRefuses(t *testing.T) {
	store := newStore(t)
	hot := 3.0
	c := newClient(t, chattest.NewModel(chattest.Say("a")), chat.ClientOptions{Store: store})
	_, err := c.Ask(t.Context(), "c_1", "q", nil)
	require.NoError(t, err)

	other := chattest.NewModel(chattest.Say("b"))
	other.Described.Provider = "other"
	_, err = newClient(t, other, chat.ClientOptions{Store: store}).Ask(t.Context(), "c_1", "q", nil)
	assert.ErrorIs(t, err, llm.ErrProviderLocked)
	assert.ErrorContains(t, err, `"script"`)
	_, err = watch(t, c.Stream(t.Context(), "c_1", llm.AssistantText("q"), nil))
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, err = c.Ask(t.Context(), "c_1", "q", &chat.TurnOptions{Options: &llm.Options{Temperature: &hot}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
	assert.Equal(t, conversation.StatusFailed, status(t, store, "c_1"))
	for ev, err := range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
		_ = ev
		_ = err // the script is at its end
	}

	require.NoError(t, store.Create(t.Context(), &conversation.Conversation{ID: "c_2", Principal: toolspec.Principal{Subject: "ada"}}))
	_, err = c.Ask(t.Context(), "c_2", "q", &chat.TurnOptions{Principal: toolspec.Principal{Subject: "bob"}})
	assert.ErrorIs(t, err, llm.ErrNotFound)
	_, err = c.Ask(t.Context(), "c_2", "q", &chat.TurnOptions{Principal: toolspec.Principal{Subject: "ada", Issuer: "https://other.example"}})
	assert.ErrorIs(t, err, llm.ErrNotFound, "somebody of the same name is somebody else")

	_, err = chat.NewClient(nil, nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
	_, err = chat.NewClient(other, &chat.ClientOptions{Policy: chat.TurnPolicy{MaxCalls: -1}})
	assert.ErrorIs(t, err, llm.ErrInvalid)
}

func TestClientOneTurnAtATime(t *testing.T) {
	for _, kind := range []string{"with a store", "without"} {
		t.Run(kind, func(t *testing.T) {
			opts := chat.ClientOptions{}
			if kind == "with a store" {
				opts.Store = newStore(t)
			}
			c := newClient(t, chattest.NewModel(chattest.Say("first"), chattest.Say("second")), opts)
			for ev := range c.Stream(t.Context(), "c_1", llm.UserText("q"), nil) {
				if _, ok := ev.(*chat.TurnStarted); ok {
					assert.True(t, c.Running("c_1"))
					_, err := c.Ask(t.Context(), "c_1", "another", nil)
					assert.ErrorIs(t, err, llm.ErrBusy)
				}
			}
			assert.False(t, c.Running("c_1"))
			_, err := c.Ask(t.Context(), "c_1", "q", nil)
			assert.NoError(t, err)
		})
	}
}

func TestClientFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		step   chattest.Step
		status conversation.TurnStatus
		code   llm.Code
		kept   int // messages of the history
	}{
		{"at once", chattest.Fail(&llm.Error{Code: llm.CodeRateLimited, Retryable: true, HTTPStatus: 429, RetryAfter: time.Second}), conversation.EndFailed, llm.CodeRateLimited, 1},
		{"cut after text", chattest.Text("half"), conversation.EndIncomplete, llm.CodeStreamBroken, 2},
		{"cut at once", chattest.Steps(), conversation.EndFailed, llm.CodeStreamBroken, 1},
		{"cut in a call", chattest.Steps(chattest.One(llm.Delta{Kind: llm.DeltaToolStart, CallID: "x", Name: "a"}), chattest.Fail(errors.New("cut"))), conversation.EndFailed, llm.CodeInternal, 1},
		{"length without text", chattest.Finish(llm.FinishLength), conversation.EndIncomplete, "", 1},
		{"length", chattest.Steps(chattest.Text("a lot"), chattest.Finish(llm.FinishLength)), conversation.EndCompleted, "", 2},
		{"filtered", chattest.Finish(llm.FinishContentFilter), conversation.EndCompleted, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newStore(t)
			events, err := watch(t, newClient(t, chattest.NewModel(c.step), chat.ClientOptions{Store: store, Retry: &llm.RetryPolicy{MaxAttempts: 1}}).Stream(t.Context(), "c_1", llm.UserText("q"), nil))
			end := events[len(events)-1].(*chat.TurnFinished)
			assert.Equal(t, c.status, end.Status)
			assert.Equal(t, c.status.Conversation(), status(t, store, "c_1"))
			failed := find[*chat.TurnFailed](events)
			if c.code == "" {
				assert.NoError(t, err)
				assert.Empty(t, failed)
			} else {
				assert.Equal(t, c.code, llm.CodeOf(err))
				require.Len(t, failed, 1)
				assert.Equal(t, c.code, failed[0].Code)
			}
			history := stored(t, store, "c_1")
			assert.LessOrEqual(t, len(history), c.kept)
		})
	}
}

// toolTurn is a script with everything that a turn has.
func toolTurn() *chattest.Model {
	return chattest.NewModel(chattest.Steps(chattest.Think("hm"), chattest.Text("Wait."), chattest.Calls("slow", `{"n":1}`, "slow", `{"n":2}`)),
		chattest.Steps(chattest.Text("Now "), chattest.Say("done.")))
}

// Wherever a turn is broken off or stopped, what is stored can be gone on from.
func TestClientStoppedAnywhere(t *testing.T) {
	slow := textTool("slow", "ok")
	slow.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
			return toolspec.TextResult("ok"), nil
		}
	}
	total := 0
	for range newClient(t, toolTurn(), chat.ClientOptions{Tools: source{slow}}).Stream(t.Context(), "", llm.UserText("q"), nil) {
		total++
	}
	for k := 1; k <= total; k++ {
		for _, how := range []string{"broken off", "cancelled", "cancelled by the context", "after the model"} {
			t.Run(fmt.Sprintf("%s after %d", how, k), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := newStore(t)
					c := newClient(t, toolTurn(), chat.ClientOptions{Store: store, Tools: source{slow}})
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					var events []chat.Event
					for ev, err := range c.Stream(ctx, "c_1", llm.UserText("q"), nil) {
						if err != nil {
							break
						}
						events = append(events, ev)
						if len(events) != k {
							continue
						}
						if how == "broken off" {
							break
						}
						switch how {
						case "cancelled":
							c.Cancel("c_1", chat.CancelNow)
						case "after the model":
							c.Cancel("c_1", chat.CancelAfterModel)
						default:
							cancel()
						}
					}
					if how != "broken off" {
						assert.NoError(t, chattest.CheckEvents(events))
					}
					time.Sleep(time.Minute) // whatever was left alone ends
					stored(t, store, "c_1")
					assert.NotEqual(t, conversation.StatusStreaming, status(t, store, "c_1"))
					assert.False(t, c.Running("c_1"))
					again := newClient(t, chattest.NewModel(chattest.Say("fine")), chat.ClientOptions{Store: store})
					_, err := again.Ask(t.Context(), "c_1", "and now?", nil)
					assert.NoError(t, err)
				})
			})
		}
	}
}

// Random turns, stopped at random: the history stays one that a model takes.
func TestClientHistoryProperty(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				store := newStore(t)
				tool := textTool("slow", "ok")
				tool.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-time.After(time.Duration(random.IntN(100)) * time.Millisecond):
						return toolspec.TextResult("ok"), nil
					}
				}
				model := chattest.NewModel()
				n := 0
				model.Rule = func(req *llm.ModelRequest) chattest.Step {
					assert.NoError(t, llm.CheckHistory(req.Messages))
					n++
					switch random.IntN(6) {
					case 0:
						return chattest.Calls("slow", fmt.Sprintf(`{"n":%d}`, n), "unknown", "{}", "slow", "broken")
					case 1:
						return chattest.Steps(chattest.Text("half"), chattest.Fail(errors.New("cut")))
					case 2:
						return chattest.Steps(chattest.Text("So."), chattest.Call("slow", fmt.Sprintf(`{"n":%d}`, n)))
					case 3:
						return chattest.Steps(chattest.Write("", "slow", "{}"), chattest.Finish(llm.FinishLength))
					}
					return chattest.Say("answer")
				}
				c := newClient(t, model, chat.ClientOptions{Store: store, Tools: source{tool}})
				for range 12 {
					stop := time.Duration(1+random.IntN(200)) * time.Millisecond
					ctx, cancel := context.WithTimeout(t.Context(), stop)
					events, _ := watch(t, c.Stream(ctx, "c_1", llm.UserText("q"), nil))
					cancel()
					assert.NotEmpty(t, events)
					time.Sleep(5 * time.Second)
					stored(t, store, "c_1")
				}
			})
		})
	}
}

// pausing is an approver that leaves the question open.
type pausing struct{}

func (pausing) Ask(context.Context, []approval.Request) ([]approval.Decision, error) {
	return nil, approval.ErrPause
}

func TestClientPausesAndResumes(t *testing.T) {
	for _, answer := range []approval.Outcome{approval.Approved, approval.Declined} {
		t.Run(string(answer), func(t *testing.T) {
			p := memory.New()
			store, err := conversation.NewStore(p)
			require.NoError(t, err)
			ran := 0
			gated := textTool("gated", "done")
			gated.def.Fingerprint, gated.def.Level = "f1", toolspec.L3
			gated.def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
			gated.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
				ran++
				return toolspec.TextResult("done"), nil
			}
			free := textTool("free", "free")
			free.def.Fingerprint, free.def.Level = "f2", toolspec.L0
			build := func(m llm.Model) (*chat.Client, *approval.Gate) {
				gate, err := approval.NewGate(&approval.Options{Store: p, NoAudit: true, Approvers: []approval.Approver{pausing{}}})
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, gate.Close()) })
				manager, err := chat.NewToolCallingManager(&chat.ToolManagerOptions{Gate: gate})
				require.NoError(t, err)
				return newClient(t, m, chat.ClientOptions{Store: store, Tools: source{free, gated}, Manager: manager}), gate
			}
			me := &chat.TurnOptions{Principal: toolspec.Principal{Subject: "ada", Via: "test"}}
			c, _ := build(chattest.NewModel(chattest.Calls("free", "{}", "gated", `{"x":1}`)))
			events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("q"), me))
			require.NoError(t, err)
			assert.Equal(t, conversation.EndPaused, events[len(events)-1].(*chat.TurnFinished).Status)
			assert.Equal(t, conversation.StatusPaused, status(t, store, "c_1"))
			asked := find[*chat.ApprovalRequired](events)
			require.Len(t, asked, 1)
			assert.Empty(t, find[*chat.ToolCallResult](events), "nothing of the batch runs before all is decided")
			_, err = c.Ask(t.Context(), "c_1", "another", me)
			assert.ErrorIs(t, err, llm.ErrBusy)

			// Another program, later.
			after := chattest.NewModel(chattest.Say("all done"))
			c, gate := build(after)
			_, err = gate.Broker().Decide(t.Context(), approval.Decision{Request: asked[0].ApprovalID, Outcome: answer, By: me.Principal, Via: "test"})
			require.NoError(t, err)
			rest, err := watch(t, c.Resume(t.Context(), "c_1", me))
			require.NoError(t, err)
			assert.NoError(t, chattest.CheckEvents(append(events, rest...)))
			assert.Equal(t, "all done", answers(rest))
			assert.Equal(t, answer == approval.Approved, ran == 1)
			assert.Equal(t, conversation.StatusCompleted, status(t, store, "c_1"))
			history := stored(t, store, "c_1")
			require.Len(t, history, 4)
			assert.Equal(t, "free", history[2].Results()[0].Text())
			_, err = watch(t, c.Resume(t.Context(), "c_1", me))
			assert.ErrorIs(t, err, llm.ErrNotFound)
		})
	}
}

// fullDisk is a store that takes a few turns' writes and then no more.
type fullDisk struct {
	conversation.Store
	room int
}

func (s *fullDisk) SaveTurn(ctx context.Context, t *conversation.TurnRecord) error {
	if s.room--; s.room < 0 {
		return errors.New("no space left")
	}
	return s.Store.SaveTurn(ctx, t)
}

func TestClientWhoseStoreFails(t *testing.T) {
	for _, strict := range []bool{false, true} {
		m := chattest.NewModel(chattest.Call("look", "{}"), chattest.Say("done"))
		c := newClient(t, m, chat.ClientOptions{Store: &fullDisk{Store: newStore(t), room: 1}, Tools: source{textTool("look", "seen")}, StrictStore: strict})
		events, err := watch(t, c.Stream(t.Context(), "c_1", llm.UserText("q"), nil))
		end := events[len(events)-1].(*chat.TurnFinished)
		if strict {
			assert.Equal(t, llm.CodeStore, llm.CodeOf(err))
			assert.Equal(t, conversation.EndFailed, end.Status)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, conversation.EndCompleted, end.Status)
		warned := find[*chat.Warned](events)
		require.Len(t, warned, 1, "once")
		assert.Equal(t, chat.WarnArchive, warned[0].Code)
	}
}
