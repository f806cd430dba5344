package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

const accepting = `{"action":"accept","content":{"a":1}}`

// What a tool asks late is asked in the task.
func TestTaskAsks(t *testing.T) {
	inTasks(t, nil, map[string]taskTool{"ask": inquires(toolspec.TaskOptional, time.Second, 3)}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		id := c.begin("ask", `{}`)
		assert.Equal(t, "working", c.get(id)["status"])
		c.ack("tasks/update", id, `,"inputResponses":{"q1":`+accepting+`}`)
		time.Sleep(2 * time.Second)
		r := c.get(id)
		assert.Equal(t, "input_required", r["status"])
		require.Equal(t, []string{"q1", "q2", "q3"}, keys(r), "an answer that came too early counts for nothing")
		assert.Equal(t, map[string]any{"method": "elicitation/create", "params": map[string]any{"message": "question 0",
			"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}}}}, r["inputRequests"].(map[string]any)["q1"])

		code, message := rpcErr(t, c.do("tasks/update", id, `"taskId":"`+id+`","inputResponses":{"q1":`+accepting+`,"q2":"yes"}`).body)
		assert.Equal(t, -32602, code)
		assert.Contains(t, message, `"q2" must be an object`)
		assert.Equal(t, []string{"q1", "q2", "q3"}, keys(c.get(id)), "all or nothing")

		c.ack("tasks/update", id, `,"inputResponses":{"q2":`+accepting+`,"other":17}`)
		r = c.get(id)
		assert.Equal(t, "input_required", r["status"])
		assert.Len(t, r["inputRequests"], 2)
		assert.NotContains(t, r["inputRequests"], "q2")
		c.ack("tasks/update", id, `,"inputResponses":{"q1":{"action":"decline"},"q2":{"action":"cancel"},"q3":{"action":"cancel"}}`)
		synctest.Wait()
		answers := strings.Split(said(t, c.get(id)), "\n")
		require.Len(t, answers, 3)
		assert.Contains(t, answers[0], "decline")
		assert.Contains(t, answers[1], "accept")
		assert.Contains(t, answers[2], "cancel")

		id = c.begin("ask", `{}`)
		time.Sleep(2 * time.Second)
		c.ack("tasks/cancel", id, "")
		synctest.Wait()
		assert.NotContains(t, c.get(id), "inputRequests")

		unable := *c
		unable.caps = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
		id = unable.begin("ask", `{}`)
		time.Sleep(2 * time.Second)
		assert.Contains(t, said(t, c.get(id)), "unsupported", "only what the client declared")
	})
}

func TestTaskAsksTooMuch(t *testing.T) {
	inTasks(t, &mcphub.Options{Tasks: mcphub.TaskOptions{Timeout: time.Minute}}, map[string]taskTool{"ask": inquires(toolspec.TaskOptional, time.Second, 33)},
		func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
			id := c.begin("ask", `{}`)
			time.Sleep(2 * time.Second)
			assert.Len(t, c.get(id)["inputRequests"], 32)
			time.Sleep(time.Minute)
			r := c.get(id)
			assert.Equal(t, "completed", r["status"])
			text := r["result"].(map[string]any)["content"].([]any)[0].(map[string]any)["text"]
			assert.Contains(t, text, "32 questions of one task are open")
			assert.Contains(t, text, "did not answer", "a question that nobody answers ends with the call")
		})
}

// What a tool asks at once is asked before there is a task.
func TestTaskAsksFirst(t *testing.T) {
	tool := taskTool{support: toolspec.TaskRequired, do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		one, err := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "one"})
		two, err2 := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "two"})
		time.Sleep(time.Second)
		return toolspec.TextResult(show(one, err) + show(two, err2)), nil
	}}
	inTasks(t, nil, map[string]taskTool{"ask": tool, "other": tool}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		began := time.Now()
		r := result(t, c.call("ask", `{"text":"x"}`).body)
		assert.Zero(t, time.Since(began))
		assert.Equal(t, "input_required", r["resultType"])
		assert.Equal(t, []string{"q1"}, keys(r))
		assert.NotContains(t, r, "taskId")
		back := func(r map[string]any, answers string) string {
			return `"requestState":"` + r["requestState"].(string) + `","inputResponses":` + answers
		}
		for name, a := range map[string]answer{
			"another tool":    c.call("other", `{"text":"x"}`, back(r, `{"q1":`+accepting+`}`)),
			"other arguments": c.call("ask", `{"text":"y"}`, back(r, `{"q1":`+accepting+`}`)),
		} {
			code, _ := rpcErr(t, a.body)
			assert.Equal(t, -32602, code, name)
		}
		again := result(t, c.call("ask", `{"text":"x"}`, back(r, `{"q1":`+accepting+`}`)).body)
		assert.Equal(t, map[string]any{"q2": map[string]any{"method": "elicitation/create", "params": map[string]any{"message": "two",
			"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}}}}}, again["inputRequests"])
		code, _ := rpcErr(t, c.call("ask", `{"text":"x"}`, back(r, `{"q1":`+accepting+`}`)).body)
		assert.Equal(t, -32602, code, "a state is good for once")
		none := result(t, c.call("ask", `{ "text": "x" }`, back(again, `{}`)).body)
		assert.Contains(t, none["inputRequests"], "q2", "it waits for answers")
		id := c.begin("ask", `{"text":"x"}`, back(none, `{"q2":{"action":"decline"}}`))
		time.Sleep(time.Second)
		assert.Regexp(t, "accept.*decline", said(t, c.get(id)))

		r = result(t, c.call("ask", `{}`).body)
		code, _ = rpcErr(t, c.call("ask", `{}`, back(r, `{"q1":1}`)).body)
		assert.Equal(t, -32602, code)

		r = result(t, c.call("ask", `{}`).body)
		time.Sleep(2*time.Minute + time.Second)
		code, _ = rpcErr(t, c.call("ask", `{}`, back(r, `{"q1":`+accepting+`}`)).body)
		assert.Equal(t, -32602, code, "it waits as any call does")
	})
}

// The wait for a person is a task for a client that knows them.
func TestTaskWaitsForApproval(t *testing.T) {
	tasks := `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	ask := func(id, method, name, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` + tasks + `}}}`
	}
	wait := func(o *approval.Options, _ *mcphub.Options) {
		o.Approvers = []approval.Approver{approval.Inbox(30 * time.Second)}
	}
	for _, outcome := range []approval.Outcome{approval.Approved, approval.Declined} {
		inGatedHub(t, wait, func(w *gatedHub) {
			c := w.overStdio(true, true)
			c.send(ask("1", "tools/call", "note", `"name":"note","arguments":{"text":"x"}`))
			time.Sleep(time.Second)
			whole := c.fresh()
			require.Len(w.t, whole, 1)
			r := result(w.t, whole[0])
			require.Equal(w.t, "task", r["resultType"])
			id := r["taskId"].(string)
			time.Sleep(10 * time.Second)
			_, asked := w.took()
			require.Len(w.t, asked, 1)
			_, err := w.gate.Broker().Decide(w.t.Context(), approval.Decision{Request: asked[0].ID, Outcome: outcome, Via: "http"})
			require.NoError(w.t, err)
			synctest.Wait()
			c.send(ask("2", "tasks/get", id, `"taskId":"`+id+`"`))
			synctest.Wait()
			got := result(w.t, c.fresh()[0])
			if runs, _ := w.took(); outcome == approval.Approved {
				assert.Contains(w.t, said(w.t, got), "done")
				assert.Len(w.t, runs, 1)
			} else {
				assert.Contains(w.t, said(w.t, got), "did not approve")
				assert.Empty(w.t, runs)
			}
		})
	}
	// A question to the client itself comes before the task.
	inGatedHub(t, nil, func(w *gatedHub) {
		for action, runs := range map[string]int{"accept": 1, "decline": 0, "maybe": 0} {
			c := w.overStdio(true, true)
			c.send(ask("1", "tools/call", "wipe", `"name":"wipe","arguments":{"text":"x"}`))
			synctest.Wait()
			r := result(w.t, c.fresh()[0])
			require.Equal(w.t, "input_required", r["resultType"])
			require.Contains(w.t, r["inputRequests"], "approval", "as for any call")
			c.send(ask("2", "tools/call", "wipe", fmt.Sprintf(`"name":"wipe","arguments":{"text":"x"},"requestState":%q,"inputResponses":{"approval":{"action":%q}}`, r["requestState"], action)))
			synctest.Wait()
			r = result(w.t, c.fresh()[0])
			assert.Equal(w.t, "complete", r["resultType"])
			got, _ := w.took()
			assert.Len(w.t, got, runs, action)
		}
	})
}

func TestTaskSubscription(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	go1, go2 := make(chan struct{}), make(chan struct{})
	tool := taskTool{support: toolspec.TaskOptional, do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		<-go1
		_ = call.Caller().Progress(ctx, toolspec.Progress{Done: 1, Message: "half"})
		<-go2
		return toolspec.TextResult("done"), nil
	}}
	h := hubtest.NewHub(t, &mcphub.Options{Tasks: mcphub.TaskOptions{After: -1}}, tool.pass(t, "slow"))
	c := serve(t, h)
	withTasks := func(id, method, name, params string) *httpClient {
		_ = id
		return c.with("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)
	}
	body := func(id, method, params string) string {
		return strings.Replace(modern(id, method, params, ""), `clientCapabilities":{}`, `clientCapabilities":`+canTask, 1)
	}
	r := result(t, withTasks("1", "tools/call", "slow", "").post(body("1", "tools/call", `"name":"slow"`)).body)
	id := r["taskId"].(string)
	for _, also := range []string{"", `,"toolsListChanged":true`} {
		k := withTasks("2", "subscriptions/listen", "", "")
		messages, stop := k.stream(k.request("POST", body("2", "subscriptions/listen", `"notifications":{"taskIds":["`+id+`","`+id+`","none"]`+also+`}`)))
		var ack struct {
			Params struct {
				Notifications struct{ TaskIDs []string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(next(t, messages)), &ack))
		assert.Equal(t, []string{id}, ack.Params.Notifications.TaskIDs)
		tell := func() map[string]any {
			var n struct {
				Method string
				Params map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(next(t, messages)), &n))
			assert.Equal(t, "notifications/tasks", n.Method)
			assert.Equal(t, map[string]any{"io.modelcontextprotocol/subscriptionId": 2.0}, n.Params["_meta"])
			delete(n.Params, "_meta")
			return n.Params
		}
		if also != "" {
			assert.Equal(t, "done", said(t, tell()), "one that has ended is told of once")
			stop()
			continue
		}
		assert.Equal(t, "working", tell()["status"])
		close(go1)
		assert.Equal(t, "half", tell()["statusMessage"])
		close(go2)
		told := tell()
		assert.Equal(t, "done", said(t, told))
		got := result(t, withTasks("3", "tasks/get", id, "").post(body("3", "tasks/get", `"taskId":"`+id+`"`)).body)
		delete(got, "resultType")
		delete(got, "_meta")
		assert.Equal(t, got["result"], told["result"])
		assert.Contains(t, next(t, messages), `"id":2,"result"`, "nothing more can come")
		ended(t, messages)
	}
}

// FuzzTasks sends any params to the methods of tasks.
func FuzzTasks(f *testing.F) {
	h := hubtest.NewHub(f, nil, inquires(toolspec.TaskOptional, 0, 1).pass(f, "ask"))
	for _, params := range []string{`"taskId":"x"`, `"taskId":"x","inputResponses":{}`, `"taskId":null`, `"inputResponses":[]`, `"taskId":"\u0000"`,
		`"name":"ask","requestState":"task:","inputResponses":{"q1":1}`, `"name":"ask","task":{"ttl":-1}`, `"notifications":{"taskIds":["x",1]}`} {
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel", "tools/call", "subscriptions/listen"} {
			f.Add(method, params)
		}
	}
	c := &taskClient{t: f, r: &recorder{h.Handler()}, caps: canTask}
	f.Fuzz(func(t *testing.T, method, params string) {
		if strings.Contains(params, "ListChanged") || strings.ContainsAny(method, "\r\n\"\\") {
			t.Skip("a subscription lasts; a method that HTTP does not carry")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		a := c.r.do(c.request(method, "ask", params).WithContext(ctx))
		switch a.status {
		case 200, 202, 400, 404:
		default:
			t.Fatalf("status %d: %s", a.status, a.body)
		}
		if a.header.Get("Content-Type") == "application/json" {
			require.True(t, json.Valid([]byte(a.body)), a.body)
		}
	})
}
