package chat_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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

// scene is everything that a turn has to do with, made anew for each try.
type scene struct {
	store  conversation.Store
	gate   *approval.Gate
	client *chat.Client
	opts   *chat.TurnOptions
}

// close ends what the scene began, and reports the questions that are still open.
func (s *scene) close(t *testing.T) (open []string) {
	t.Helper()
	for r, err := range s.gate.Broker().List(context.Background(), approval.ListOptions{}) {
		require.NoError(t, err)
		if r.Status == approval.StatusPending {
			open = append(open, r.Request.ID)
		}
	}
	assert.NoError(t, s.gate.Close())
	return open
}

// slowly is a tool that takes a second, and ends with its context.
func slowly(name string) *tool {
	s := textTool(name, "ok")
	s.do = func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		_ = call.Caller().Progress(ctx, toolspec.Progress{Done: 1, Total: 2})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
			return toolspec.TextResult("ok"), nil
		}
	}
	return s
}

// scenes are turns with everything that a turn can have.
var scenes = map[string]func() (steps []chattest.Step, format *llm.OutputFormat){
	"thoughts, text, calls": func() ([]chattest.Step, *llm.OutputFormat) {
		return []chattest.Step{chattest.Steps(chattest.Think("hm"), chattest.Text("Wait."), chattest.Calls("slow", "{}", "slow", `{"n":1}`)), chattest.Say("done")}, nil
	},
	"approval": func() ([]chattest.Step, *llm.OutputFormat) {
		return []chattest.Step{chattest.Calls("gated", "{}", "slow", "{}", "gated", `{"n":1}`), chattest.Say("done")}, nil
	},
	"retries": func() ([]chattest.Step, *llm.OutputFormat) {
		return []chattest.Step{chattest.Fail(chattest.HTTPError(503, 0)), chattest.Steps(chattest.Text("half"), chattest.Write("", "slow", "{}"), chattest.Fail(chattest.HTTPError(503, time.Second))),
			chattest.Call("slow", "{}"), chattest.Fail(chattest.HTTPError(429, time.Second)), chattest.Say("done")}, nil
	},
	"structured": func() ([]chattest.Step, *llm.OutputFormat) {
		return []chattest.Step{chattest.Say("nonsense"), chattest.Call("slow", "{}"), chattest.Say(`{"n":1}`)},
			&llm.OutputFormat{Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}
	},
	"failures": func() ([]chattest.Step, *llm.OutputFormat) {
		return []chattest.Step{chattest.Calls("nowhere", "{}", "slow", "nonsense"), chattest.Finish(llm.FinishStop), chattest.Steps(chattest.Text("half"), chattest.Fail(chattest.HTTPError(400, 0)))}, nil
	},
	"direct": func() ([]chattest.Step, *llm.OutputFormat) {
		return []chattest.Step{chattest.Call("direct", "{}")}, nil
	},
}

// set makes a scene.
func set(t *testing.T, steps []chattest.Step, format *llm.OutputFormat) *scene {
	t.Helper()
	p := memory.New()
	store, err := conversation.NewStore(p)
	require.NoError(t, err)
	gate, err := approval.NewGate(&approval.Options{Store: p, NoAudit: true, Approvers: []approval.Approver{approval.ApproverFunc(
		func(ctx context.Context, requests []approval.Request) (out []approval.Decision, err error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Second):
			}
			for _, r := range requests {
				out = append(out, approval.Decision{Request: r.ID, Outcome: approval.Approved, By: me.Principal, Via: "test"})
			}
			return out, nil
		})}})
	require.NoError(t, err)
	direct := textTool("direct", "the answer")
	direct.def.ReturnDirect = true
	g := slowly("gated")
	g.def = gated("gated", nil).def
	client := newClient(t, chattest.NewModel(steps...), chat.ClientOptions{Store: store, Tools: source{slowly("slow"), g, direct}, Retry: &llm.RetryPolicy{MidStream: true},
		Manager: managed(t, chat.ToolManagerOptions{Gate: gate})})
	return &scene{store: store, gate: gate, client: client, opts: &chat.TurnOptions{Principal: me.Principal, Format: format}}
}

// play runs the turn and stops it at its k-th event; 0 is never.
func (s *scene) play(t *testing.T, k int, how string) (events []chat.Event) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for ev, err := range s.client.Stream(ctx, "c_1", llm.UserText("q"), s.opts) {
		if err != nil {
			break
		}
		if events = append(events, ev); len(events) != k {
			continue
		}
		switch how {
		case "break":
			return events
		case "context":
			cancel()
		case "now":
			s.client.Cancel("c_1", chat.CancelNow)
		case "after the model":
			s.client.Cancel("c_1", chat.CancelAfterModel)
		case "after the tools":
			s.client.Cancel("c_1", chat.CancelAfterTools)
		}
	}
	assert.NoError(t, chattest.CheckEvents(events))
	return events
}

// aftermath holds what a stopped turn leaves against what may be left.
func (s *scene) aftermath(t *testing.T) {
	t.Helper()
	time.Sleep(10 * time.Minute) // what was left alone ends; the bubble fails for what does not
	stored(t, s.store, "c_1")
	assert.NotEqual(t, conversation.StatusStreaming, status(t, s.store, "c_1"))
	assert.False(t, s.client.Running("c_1"))
	again := newClient(t, chattest.NewModel(chattest.Say("fine")), chat.ClientOptions{Store: s.store})
	resp, err := again.Ask(t.Context(), "c_1", "and now?", &chat.TurnOptions{Principal: me.Principal})
	require.NoError(t, err)
	assert.Equal(t, "fine", resp.Text())
	assert.Empty(t, s.close(t), "questions are open")
}

// Whichever turn is stopped, at whichever event and in whichever way: exactly one
// end, nothing left behind, and a history that the next turn can use.
func TestStoppedAtEveryPoint(t *testing.T) {
	for name, script := range scenes {
		for _, how := range []string{"break", "context", "now", "after the model", "after the tools"} {
			t.Run(name+"/"+how, func(t *testing.T) {
				total := 1
				for k := 0; k <= total; k++ { // 0 runs the whole turn, and counts
					synctest.Test(t, func(t *testing.T) {
						s := set(t, first(script()), second(script()))
						events := s.play(t, k, how)
						if k == 0 {
							total = len(events)
						}
						s.aftermath(t)
					})
					if t.Failed() {
						t.Fatalf("stopped at event %d", k)
					}
				}
				assert.Greater(t, total, 5)
			})
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

func second[A, B any](_ A, b B) B { return b }

// The same at random moments, which lie between events too, over several turns of
// random models.
func TestStoppedAtRandom(t *testing.T) {
	seeds := uint64(15)
	if os.Getenv("LOCALPASS_FULL") != "" {
		seeds = 60
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 7))
				s := set(t, nil, nil)
				model := chattest.NewModel()
				n := 0
				model.Rule = func(req *llm.ModelRequest) chattest.Step {
					assert.NoError(t, llm.CheckHistory(req.Messages))
					n++
					time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
					switch random.IntN(8) {
					case 0:
						return chattest.Calls("slow", fmt.Sprintf(`{"n":%d}`, n), "gated", fmt.Sprintf(`{"n":%d}`, n))
					case 1:
						return chattest.Steps(chattest.Text("half"), chattest.Fail(errors.New("cut")))
					case 2:
						return chattest.Steps(chattest.Text("So."), chattest.Call("gated", fmt.Sprintf(`{"n":%d}`, n)))
					case 3:
						return chattest.Fail(chattest.HTTPError(503, 0))
					case 4:
						return chattest.Call("slow", fmt.Sprintf(`{"n":%d}`, n))
					}
					return chattest.Say("answer")
				}
				s.opts.Model = model
				for range 10 {
					ctx, cancel := context.WithCancel(t.Context())
					mode := chat.CancelMode(random.IntN(4))
					stop := time.AfterFunc(time.Duration(random.IntN(6000))*time.Millisecond, func() {
						if mode == 0 {
							cancel()
							return
						}
						s.client.Cancel("c_1", mode)
					})
					events, _ := watch(t, s.client.Stream(ctx, "c_1", llm.UserText("q"), s.opts))
					assert.Len(t, find[*chat.TurnFinished](events), 1)
					stop.Stop()
					cancel()
					stored(t, s.store, "c_1")
				}
				s.aftermath(t)
			})
		})
	}
}
