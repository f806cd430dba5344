package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
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

// mischief decides what goes wrong. It is safe for concurrent use.
type mischief struct {
	mu     sync.Mutex
	random *rand.Rand
	off    atomic.Bool
}

func (m *mischief) pick(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.IntN(n)
}

// wreck lets one in n calls fail, panic or hang.
func (m *mischief) wreck(ctx context.Context, n int) error {
	if m.off.Load() || m.pick(n) > 0 {
		return nil
	}
	switch m.pick(3) {
	case 0:
		return errors.New("chaos")
	case 1:
		panic("chaos")
	}
	<-ctx.Done()
	return ctx.Err()
}

// wildStore fails now and then, in all that it does.
type wildStore struct {
	conversation.Store
	m *mischief
}

const wild = 40

func (s wildStore) Create(ctx context.Context, c *conversation.Conversation) error {
	if err := s.m.wreck(ctx, wild); err != nil {
		return err
	}
	return s.Store.Create(ctx, c)
}

func (s wildStore) Get(ctx context.Context, id string) (*conversation.Conversation, error) {
	if err := s.m.wreck(ctx, wild); err != nil {
		return nil, err
	}
	return s.Store.Get(ctx, id)
}

func (s wildStore) Update(ctx context.Context, id string, change func(*conversation.Conversation) error) (*conversation.Conversation, error) {
	if err := s.m.wreck(ctx, wild); err != nil {
		return nil, err
	}
	return s.Store.Update(ctx, id, change)
}

func (s wildStore) SaveTurn(ctx context.Context, t *conversation.TurnRecord) error {
	if err := s.m.wreck(ctx, wild); err != nil {
		return err
	}
	return s.Store.SaveTurn(ctx, t)
}

func (s wildStore) Turns(ctx context.Context, id string, q conversation.TurnQuery) iter.Seq2[*conversation.TurnRecord, error] {
	return func(yield func(*conversation.TurnRecord, error) bool) {
		if err := s.m.wreck(ctx, wild); err != nil {
			yield(nil, err)
			return
		}
		s.Store.Turns(ctx, id, q)(yield)
	}
}

func (s wildStore) SaveCheckpoint(ctx context.Context, conversation, turn string, state json.RawMessage) error {
	if err := s.m.wreck(ctx, wild); err != nil {
		return err
	}
	return s.Store.SaveCheckpoint(ctx, conversation, turn, state)
}

func (s wildStore) DeleteCheckpoint(ctx context.Context, conversation, turn string) error {
	if err := s.m.wreck(ctx, wild); err != nil {
		return err
	}
	return s.Store.DeleteCheckpoint(ctx, conversation, turn)
}

// step is what the model does next.
func (m *mischief) step() chattest.Step {
	if m.off.Load() {
		return chattest.Say("fine")
	}
	call := func() chattest.Step {
		names := []string{"well", "fails", "panics", "hangs", "deaf", "gated", "floods", "nothing", "nowhere"}
		var steps []chattest.Step
		for range 1 + m.pick(3) {
			arguments := []string{"{}", `{"n":1}`, fmt.Sprintf(`{"n":%d}`, m.pick(1000)), `{"n":1,}`, "nonsense", ""}[m.pick(6)]
			steps = append(steps, chattest.Write([]string{"", "same", "x"}[m.pick(3)], names[m.pick(len(names))], arguments))
		}
		return chattest.Steps(append(steps, chattest.Finish([]llm.FinishReason{llm.FinishToolCalls, llm.FinishStop, llm.FinishLength}[m.pick(3)]))...)
	}
	switch m.pick(16) {
	case 0:
		return chattest.Hang()
	case 1:
		return chattest.Steps(chattest.Text("half"), chattest.Hang())
	case 2:
		return chattest.Panic("chaos")
	case 3:
		return chattest.Steps(chattest.Text("half"), chattest.Panic("chaos"))
	case 4:
		return chattest.Fail(chattest.HTTPError([]int{0, 400, 401, 404, 408, 429, 500, 503}[m.pick(8)], time.Duration(m.pick(90))*time.Second))
	case 5:
		return chattest.Steps(chattest.Think("hm"), chattest.Text("half"), chattest.Fail(errors.New("chaos")))
	case 6:
		return chattest.Steps(chattest.Text("half"), chattest.One(llm.Delta{Kind: llm.DeltaToolStart, CallID: "a", Name: "well"})) // cut in a call
	case 7:
		return chattest.One(llm.Delta{Kind: llm.DeltaToolArgs, CallID: "none", Text: "{"})
	case 8:
		return chattest.Say(strings.Repeat("flood ", 20_000))
	case 9:
		return chattest.Steps(chattest.Say("x"), chattest.Text("more"))
	case 10:
		return chattest.Finish(llm.FinishStop)
	case 11, 12, 13:
		return call()
	}
	return chattest.Say("an answer")
}

// tools are all kinds of tools.
func (m *mischief) tools() source {
	fails, panics, hangs, deaf, floods, nothing := textTool("fails", ""), textTool("panics", ""), textTool("hangs", ""), textTool("deaf", ""), textTool("floods", ""), textTool("nothing", "")
	fails.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, errors.New("chaos") }
	panics.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { panic("chaos") }
	hangs.do = func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	deaf.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		time.Sleep(time.Hour)
		return toolspec.TextResult("late"), nil
	}
	floods.do = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		for i := range 200 {
			_ = call.Caller().Progress(ctx, toolspec.Progress{Done: float64(i)})
		}
		return toolspec.TextResult(strings.Repeat("flood ", 50_000)), nil
	}
	nothing.do = func(context.Context, *toolspec.Call) (*toolspec.Result, error) { return nil, nil }
	return source{textTool("well", "ok"), fails, panics, hangs, deaf, floods, nothing, gated("gated", nil)}
}

// Ask is an approver of all kinds.
func (m *mischief) Ask(ctx context.Context, requests []approval.Request) (out []approval.Decision, err error) {
	if err := m.wreck(ctx, 3); err != nil {
		return nil, err
	}
	if !m.off.Load() && m.pick(6) == 0 {
		return nil, approval.ErrPause
	}
	for _, r := range requests {
		d := approval.Decision{Request: r.ID, Outcome: approval.Approved, By: me.Principal, Via: "test"}
		switch m.pick(4) {
		case 0:
			d.Outcome = approval.Declined
		case 1:
			d.Arguments = json.RawMessage("nonsense")
		}
		out = append(out, d)
	}
	return out, nil
}

// chaos holds one conversation of a few turns. Whoever reads may break off, stop
// the turn or be slow.
func (m *mischief) chaos(t *testing.T, client *chat.Client, id string) {
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		stop, how := 1+m.pick(400), m.pick(8)
		var events []chat.Event
		broken := false
		for ev, err := range client.Stream(ctx, id, llm.UserText("q"), me) {
			if err != nil {
				break
			}
			if events = append(events, ev); len(events) != stop {
				continue
			}
			switch how {
			case 0:
				broken = true
			case 1:
				cancel()
			case 2, 3, 4:
				client.Cancel(id, chat.CancelMode(how-1))
			case 5:
				time.Sleep(time.Hour)
			}
			if broken {
				break
			}
		}
		cancel()
		if len(events) > 0 && !broken {
			assert.NoError(t, chattest.CheckEvents(events), id)
			assert.Len(t, find[*chat.TurnFinished](events), 1, id)
		}
	}
}

// 60 chats, 200 with LOCALPASS_FULL, with models, tools, stores, approvers and readers
// that do what they must not: nothing panics, nothing is left behind, each turn ends once, and each
// conversation can go on.
func TestChaos(t *testing.T) {
	const chats = 20
	rounds := uint64(3)
	if os.Getenv("LOCALPASS_FULL") != "" {
		rounds = 10
	}
	for seed := range rounds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &mischief{random: rand.New(rand.NewPCG(seed, 11))}
				store := newStore(t)
				gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, PerMinute: 10_000, Approvers: []approval.Approver{m}})
				require.NoError(t, err)
				model := chattest.NewModel()
				model.Rule = func(*llm.ModelRequest) chattest.Step { return m.step() }
				client := newClient(t, model, chat.ClientOptions{Store: wildStore{store, m}, Tools: m.tools(), Manager: managed(t, chat.ToolManagerOptions{Gate: gate}),
					Policy: chat.TurnPolicy{FirstToken: 5 * time.Second, Idle: 5 * time.Second, Deadline: 10 * time.Minute}})
				var all sync.WaitGroup
				for n := range chats {
					all.Go(func() { m.chaos(t, client, fmt.Sprintf("c_%d", n)) })
				}
				all.Wait()
				time.Sleep(2 * time.Hour) // leases and questions run out, and what was given up ends
				m.off.Store(true)
				for n := range chats {
					id := fmt.Sprintf("c_%d", n)
					if conv, err := store.Get(t.Context(), id); err == nil && conv.Status == conversation.StatusPaused {
						events, err := watch(t, client.Resume(t.Context(), id, me))
						require.NoError(t, err, id)
						require.NotEmpty(t, events)
					}
					resp, err := client.Ask(t.Context(), id, "and now?", me)
					require.NoError(t, err, id)
					assert.Equal(t, "fine", resp.Text(), id)
					var history []llm.Message
					for turn, err := range store.Turns(t.Context(), id, conversation.TurnQuery{}) {
						require.NoError(t, err)
						history = append(history, turn.History()...)
					}
					assert.NoError(t, llm.CheckHistory(history), id)
				}
				for _, req := range model.Asked() {
					require.NoError(t, llm.CheckHistory(req.Messages))
				}
				assert.NoError(t, gate.Close())
				time.Sleep(2 * time.Hour)
			})
		})
	}
}
