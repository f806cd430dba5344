package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const acceptIt = `{"action":"accept","content":{}}`

// inGatedHub runs a test with a hub of its own, in a bubble.
func inGatedHub(t *testing.T, change func(*approval.Options, *mcphub.Options), do func(w *gatedHub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newGatedHub(t, change)
		defer w.close()
		do(w)
	})
}

// last is the last message that came.
func (w *gatedHub) last(c *rawClient) reply {
	w.t.Helper()
	synctest.Wait()
	list := c.fresh()
	require.NotEmpty(w.t, list)
	return parseReply(w.t, list[len(list)-1])
}

// question sends a call and returns the question that comes of it.
func (w *gatedHub) question(c *rawClient, tool, text string) reply {
	w.t.Helper()
	c.send(c.call(w.id(), tool, `{"text":"`+text+`"}`, ""))
	r := w.last(c)
	if c.modern {
		require.Equal(w.t, "input_required", r.Result.ResultType)
	} else {
		require.Equal(w.t, "elicitation/create", r.Method)
	}
	return r
}

// answered answers a request of the server.
func (w *gatedHub) answered(c *rawClient, q reply, result string) reply {
	w.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + result + `}`)
	return w.last(c)
}

// again calls again with an answer.
func (w *gatedHub) again(c *rawClient, q reply, tool, text, action string) reply {
	w.t.Helper()
	c.send(c.call(w.id(), tool, `{"text":"`+text+`"}`, `,"inputResponses":{"approval":`+action+`},"requestState":"`+q.Result.RequestState+`"`))
	return w.last(c)
}

func (w *gatedHub) refusedFor(r reply, kind, reason string) string {
	w.t.Helper()
	require.True(w.t, r.Result.IsError, "%+v", r)
	assert.Equal(w.t, kind+" "+reason, r.Result.Meta.Error.Kind+" "+r.Result.Meta.Error.Reason)
	runs, _ := w.took()
	assert.Empty(w.t, runs)
	return r.Result.Content[0].Text
}

func (w *gatedHub) ranOnce(r reply, want ran) {
	w.t.Helper()
	assert.False(w.t, r.Result.IsError, "%+v", r)
	runs, asked := w.took()
	assert.Equal(w.t, []ran{want}, runs)
	assert.LessOrEqual(w.t, len(asked), 1, "asked once")
}

// Without a gate, what wants approval does not run, and the rest does.
func TestGateMissing(t *testing.T) {
	tool := gated(t, "wipe", "Wipes.", toolspec.L3, func(context.Context, *toolspec.Call) { t.Error("it ran") })
	h := hubtest.NewHub(t, nil, tool, hubtest.EchoTool(t, "echo"))
	c := serve(t, h)
	s := c.open("2025-11-25", `{"elicitation":{}}`)
	_, kind, reason := failed(t, s.post(call("1", "wipe", `{"text":"x"}`)).body)
	assert.Equal(t, "SECURITY approval-unavailable", kind+" "+reason)
	_, kind, reason = failed(t, c.modern("1", "tools/call", "wipe", `"name":"wipe","arguments":{"text":"x"}`, "").body)
	assert.Equal(t, "SECURITY approval-unavailable", kind+" "+reason)
	assert.Contains(t, s.post(call("2", "echo", `{"text":"hi"}`)).body, `"text":"hi"`)
}

// The question of the eras before 2026-07-28, and each way in which it can end.
func TestGateElicitation(t *testing.T) {
	inGatedHub(t, nil, func(w *gatedHub) {
		for name, c := range map[string]*rawClient{"http": w.overHTTP("ada", false, true), "stdio": w.overStdio(false, true)} {
			for _, tool := range []string{"wipe", "note"} {
				q := w.question(c, tool, name)
				assert.Contains(w.t, q.Params.Message, "[risk L")
				assert.Contains(w.t, q.Params.Message, `{"text":"`+name+`"}`)
				runs, asked := w.took()
				assert.Empty(w.t, runs)
				assert.Len(w.t, asked, 1)
				w.ranOnce(w.answered(c, q, acceptIt), ran{tool, 1, name})

				said := w.refusedFor(w.answered(c, w.question(c, tool, "x"), `{"action":"decline"}`), "SECURITY", "approval-denied")
				assert.Contains(w.t, said, `The user did not approve "`+tool+`". It was not run.`)
				w.refusedFor(w.answered(c, w.question(c, tool, "x"), `{"action":"cancel"}`), "SECURITY", "approval-denied")
				w.refusedFor(w.answered(c, w.question(c, tool, "x"), `{"action":"surely"}`), "SECURITY", "approval-failed")
				w.refusedFor(w.answered(c, w.question(c, tool, "x"), `{}`), "SECURITY", "approval-failed")
			}
			w.question(c, "wipe", "late")
			time.Sleep(2*time.Minute + time.Second)
			w.refusedFor(w.last(c), "SECURITY", "approval-timeout")
		}
		mute := w.overHTTP("ada", false, false)
		mute.send(mute.call(w.id(), "wipe", `{"text":"x"}`, ""))
		w.refusedFor(w.last(mute), "SECURITY", "approval-unavailable")
	})
}

// A wrong call costs nobody an answer.
func TestGateChecksArgumentsFirst(t *testing.T) {
	inGatedHub(t, nil, func(w *gatedHub) {
		c := w.overHTTP("ada", false, true)
		c.send(c.call(w.id(), "wipe", `{"text":7}`, ""))
		w.refusedFor(w.last(c), "INVALID_INPUT", "arguments")
		_, asked := w.took()
		assert.Empty(w.t, asked)
	})
}

// While somebody thinks, other calls have the slots, the call's own time does
// not run, and the stream shows that it lives.
func TestGateWaits(t *testing.T) {
	inGatedHub(t, func(_ *approval.Options, o *mcphub.Options) { o.MaxCalls, o.CallTimeout = 1, time.Second }, func(w *gatedHub) {
		c, other := w.overHTTP("ada", false, true), w.overHTTP("bob", false, true)
		q := w.question(c, "wipe", "x")
		for range 3 {
			other.send(other.call(w.id(), "open", `{"text":"meanwhile"}`, ""))
			assert.False(w.t, w.last(other).Result.IsError)
		}
		w.took()
		time.Sleep(100 * time.Second)
		w.ranOnce(w.answered(c, q, acceptIt), ran{"wipe", 1, "x"})
	})
}

func TestGateKeepsStreamsAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGatedHub(t, func(o *approval.Options, _ *mcphub.Options) { o.Approvers = []approval.Approver{approval.Inbox(0)} })
		defer w.close()
		req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(modernCaps("1", "tools/call", `"name":"wipe","arguments":{"text":"x"}`, false)))
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-Who": "ada",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "wipe"} {
			req.Header.Set(name, value)
		}
		resp := httptest.NewRecorder()
		go w.hub.Handler().ServeHTTP(resp, req)
		time.Sleep(80 * time.Second)
		synctest.Wait()
		assert.Equal(t, ":\n\n:\n\n:\n\n", resp.Body.String())
		_, asked := w.took()
		require.Len(t, asked, 1)
		_, err := w.gate.Broker().Decide(w.t.Context(), approval.Decision{Request: asked[0].ID, Outcome: approval.Approved, Via: "http"})
		require.NoError(t, err)
		synctest.Wait()
		before := resp.Body.String()
		assert.Contains(t, before, `"text":"done"`)
		time.Sleep(time.Hour)
		assert.Equal(t, before, resp.Body.String(), "nothing comes after the answer")
	})
}

// A call that goes away takes its question with it, and a late yes runs nothing.
func TestGateEndsWithTheCall(t *testing.T) {
	for name, end := range map[string]func(w *gatedHub, c *rawClient){
		"cancelled": func(w *gatedHub, c *rawClient) {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, w.nextID))
		},
		"session ended": func(_ *gatedHub, c *rawClient) { c.hangUp() },
		"hub closed":    func(w *gatedHub, _ *rawClient) { assert.NoError(w.t, w.hub.Close()) },
		"gate closed":   func(w *gatedHub, _ *rawClient) { assert.NoError(w.t, w.gate.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			inGatedHub(t, nil, func(w *gatedHub) {
				c := w.overHTTP("ada", false, true)
				q := w.question(c, "wipe", "x")
				_, asked := w.took()
				end(w, c)
				synctest.Wait()
				c.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + acceptIt + `}`)
				synctest.Wait()
				runs, _ := w.took()
				assert.Empty(t, runs)
				if name != "gate closed" { // which closes its broker too
					rec, err := w.gate.Broker().Get(w.t.Context(), asked[0].ID)
					require.NoError(t, err)
					ends := []approval.Outcome{approval.Cancelled}
					if name == "session ended" { // which ends the question, too: either may be first
						ends = append(ends, approval.Failed)
					}
					assert.Contains(t, ends, rec.Outcome)
				}
			})
		})
	}
}

// An orderly end does not wait for people: a question is a no as it begins, and
// the end comes when its call has been recorded.
func TestGateShutdown(t *testing.T) {
	leak.Check(t)
	inGatedHub(t, nil, func(w *gatedHub) {
		c := w.overHTTP("ada", false, true)
		w.question(c, "wipe", "x")
		began := time.Now()
		require.NoError(t, w.hub.Shutdown(w.t.Context()), "nothing had to be cancelled by force")
		assert.Zero(t, time.Since(began))
		said := w.refusedFor(w.last(c), "CANCELLED", "cancelled")
		assert.Contains(t, said, "It was not run")
		n := 0
		for r, err := range w.hub.AuditRecords(w.t.Context()) {
			require.NoError(t, err)
			assert.False(t, r.OK)
			n++
		}
		assert.Equal(t, 1, n)
	})
	inGatedHub(t, nil, func(w *gatedHub) { // stdio whose input ends
		c := w.overStdio(false, true)
		w.question(c, "wipe", "x")
		require.NoError(t, c.stdin.Close())
		w.refusedFor(w.last(c), "SECURITY", "approval-failed")
	})
}

// Two people, of whom one sits at the client.
func TestGateFourEyes(t *testing.T) {
	inGatedHub(t, func(o *approval.Options, _ *mcphub.Options) { o.FourEyes = true }, func(w *gatedHub) {
		require.NoError(t, w.hub.Add(gated(t, "nuke", "Nukes.", toolspec.L5, func(_ context.Context, call *toolspec.Call) { w.ran("nuke", 0, string(call.Arguments)) })))
		c := w.overHTTP("ada", true, true)
		q := w.question(c, "nuke", "x")
		assert.Contains(t, string(q.Result.InputRequests["approval"].Params.RequestedSchema), `"confirm"`)
		_, asked := w.took()

		c.send(c.call(w.id(), "nuke", `{"text":"x"}`, `,"inputResponses":{"approval":{"action":"accept","content":{"confirm":"nuke"}}},"requestState":"`+q.Result.RequestState+`"`))
		synctest.Wait()
		assert.Empty(t, c.fresh(), "held until the other one answers")
		_, err := w.gate.Broker().Decide(w.t.Context(), approval.Decision{Request: asked[0].ID, Outcome: approval.Approved, Confirm: "nuke", Via: "http",
			By: toolspec.Principal{Subject: "operator"}})
		require.NoError(t, err)
		w.ranOnce(w.last(c), ran{"nuke", 0, `{"text":"x"}`})
	})
}

// What a person changed is what runs, is recorded, and is told to the model.
func TestGateEditedArguments(t *testing.T) {
	for _, tool := range []string{"wipe", "note"} {
		inGatedHub(t, nil, func(w *gatedHub) {
			c := w.overHTTP("ada", false, true)
			w.question(c, tool, "everything")
			_, asked := w.took()
			_, err := w.gate.Broker().Decide(w.t.Context(), approval.Decision{Request: asked[0].ID, Outcome: approval.Approved, Via: "http", Arguments: json.RawMessage(`{"text":"one thing"}`)})
			require.NoError(t, err)
			r := w.last(c)
			w.ranOnce(r, ran{tool, 1, "one thing"})
			texts := ""
			for _, content := range r.Result.Content {
				texts += content.Text + "\n"
			}
			assert.Contains(t, texts, "done")
			assert.Equal(t, 1, strings.Count(texts, "A person changed the arguments"), texts)
			assert.Contains(t, texts, `{"text":"one thing"}`)
		})
	}
}

// An answer beside the client releases a call that is held, also of a client that
// cannot be asked.
func TestGateInbox(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Second} {
		inGatedHub(t, func(o *approval.Options, _ *mcphub.Options) { o.Approvers = []approval.Approver{approval.Inbox(pause)} }, func(w *gatedHub) {
			for _, c := range []*rawClient{w.overHTTP("ada", true, true), w.overHTTP("ada", true, false), w.overHTTP("ada", false, true), w.overStdio(true, false)} {
				c.send(c.call(w.id(), "note", `{"text":"x"}`, ""))
				time.Sleep(10 * time.Second)
				assert.Empty(t, c.fresh(), "no question to the client: nobody configured that")
				_, asked := w.took()
				require.Len(t, asked, 1)
				_, err := w.gate.Broker().Decide(w.t.Context(), approval.Decision{Request: asked[0].ID, Outcome: approval.Approved, Via: "http"})
				require.NoError(t, err)
				w.ranOnce(w.last(c), ran{"note", 1, "x"})
			}
		})
	}
}

// What is allowed in the chat is not allowed to the network, whatever a client
// or a context of the server says.
func TestGateSides(t *testing.T) {
	inGatedHub(t, nil, func(w *gatedHub) {
		ctx := w.t.Context()
		_, err := w.gate.Policies().Set(ctx, approval.Policy{Tool: "note", Side: approval.SideChat, Effect: approval.AlwaysAllow, OverridesRequired: true}, toolspec.Principal{Subject: "owner"})
		require.NoError(t, err)
		note := func() toolspec.Tool {
			tools, err := w.hub.Tools(ctx)
			require.NoError(t, err)
			return tools[0]
		}()
		require.Equal(t, "note", note.Definition().Name)
		inProcess := func(ctx context.Context) reply {
			result, err := note.Call(ctx, &toolspec.Call{Arguments: json.RawMessage(`{"text":"x"}`), Principal: toolspec.Principal{Subject: "owner"}})
			require.NoError(t, err)
			return reply{Result: replyResult{IsError: result.IsError}}
		}
		w.ranOnce(inProcess(approval.WithSide(ctx, approval.SideChat)), ran{"note", 1, "x"})
		assert.True(t, inProcess(ctx).Result.IsError, "who does not say is the server")
		w.took()

		c := w.overHTTP("owner", false, false)
		handler := w.hub.Handler()
		c.handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			handler.ServeHTTP(rw, r.WithContext(approval.WithSide(r.Context(), approval.SideChat)))
		})
		c.send(c.call(w.id(), "note", `{"text":"x"}`, `,"_meta":{"side":"chat","playgroundInteractiveHitl":true}`))
		w.refusedFor(w.last(c), "SECURITY", "approval-unavailable")
	})
}

// A chat asks for all calls of a turn itself: what it cleared is not asked about
// by the hub, nor by the tool's own gate; and once is once.
func TestGateClearanceInProcess(t *testing.T) {
	says := approval.ApproverFunc(func(_ context.Context, requests []approval.Request) (list []approval.Decision, err error) {
		for _, r := range requests {
			list = append(list, approval.Decision{Request: r.ID, Outcome: approval.Approved})
		}
		return list, nil
	})
	inGatedHub(t, func(o *approval.Options, _ *mcphub.Options) { o.Approvers = []approval.Approver{says} }, func(w *gatedHub) {
		ctx := approval.WithSide(w.t.Context(), approval.SideChat)
		tools, err := w.hub.Tools(ctx)
		require.NoError(t, err)
		for _, tool := range tools {
			def := tool.Definition()
			if def.Name == "open" {
				continue
			}
			own := &toolspec.Call{ID: "1", Arguments: json.RawMessage(`{"text":"x"}`), Principal: toolspec.Principal{Subject: "ada", Via: "in-process"}}
			out := w.gate.Check(ctx, []approval.Call{{Definition: def, Call: own, Side: approval.SideChat}})[0]
			require.True(t, out.Allowed(), out.Message)
			cleared := approval.WithClearance(ctx, out.Clearance)
			result, err := tool.Call(cleared, own)
			require.NoError(t, err)
			assert.False(t, result.IsError, result.Text())
			runs, asked := w.took()
			assert.Len(t, runs, 1)
			assert.Len(t, asked, 1)

			_, err = tool.Call(cleared, own) // the clearance is used up: asked anew
			require.NoError(t, err)
			other := *own
			other.Arguments = json.RawMessage(`{"text":"y"}`)
			_, err = tool.Call(cleared, &other)
			require.NoError(t, err)
			_, asked = w.took()
			assert.Len(t, asked, 2)
		}
	})
}

// A question that cannot be recorded is not put, and a call that cannot be
// recorded ends with neither a question nor a result.
func TestGateAuditFails(t *testing.T) {
	inGatedHub(t, nil, func(w *gatedHub) {
		w.audit.fail = errors.New("the disk is full")
		c, modern := w.overHTTP("ada", false, true), w.overHTTP("ada", true, true)
		c.send(c.call(w.id(), "wipe", `{"text":"x"}`, ""))
		w.refusedFor(w.last(c), "SECURITY", "approval-failed")
		modern.send(modern.call(w.id(), "wipe", `{"text":"x"}`, ""))
		w.refusedFor(w.last(modern), "SECURITY", "approval-failed")
	})
	inGatedHub(t, func(_ *approval.Options, o *mcphub.Options) { o.Audit = failingAuditor{} }, func(w *gatedHub) {
		c := w.overHTTP("ada", true, true)
		c.send(c.call(w.id(), "wipe", `{"text":"x"}`, ""))
		r := w.last(c)
		w.refusedFor(r, "RUNTIME_ERROR", "audit-unavailable")
		assert.Empty(t, r.Result.RequestState)
	})
}

type failingAuditor struct{}

func (failingAuditor) Audit(context.Context, *audit.Record) error { return errors.New("no") }

// Nobody is asked about arguments that a spec would not take.
func TestGateChecksParametersFirst(t *testing.T) {
	st := newStudio(t, &fakeRunner{}, &studio.Options{})
	spec := specOf(t, 1, "one")
	spec.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	passed, report, err := st.TestAndPublish(t.Context(), spec, &studio.TestOptions{ByAuthor: true})
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.Nil(t, passed.Check(json.RawMessage(`{"text":"x"}`)))
	require.NotNil(t, passed.Check(json.RawMessage(`{"times":1}`)))
	assert.Equal(t, toolspec.KindInvalidInput, passed.Check(json.RawMessage(`{"times":1}`)).Kind)
	assert.Nil(t, new(studio.Passed).Check(nil))

	asked := 0
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{
		approval.ApproverFunc(func(context.Context, []approval.Request) ([]approval.Decision, error) {
			asked++
			return nil, approval.ErrUnavailable
		})}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, gate.Close()) })
	h := hubtest.NewHub(t, &mcphub.Options{Approval: gate})
	require.NoError(t, h.Attach(st))
	s := serve(t, h).open("2025-11-25", `{}`)
	assert.Contains(t, s.post(call("1", "one", `{"times":1}`)).body, "missing")
	assert.Zero(t, asked)
	s.post(call("2", "one", `{"text":"x"}`))
	assert.Equal(t, 1, asked)
}
