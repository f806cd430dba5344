package mcphub_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

// audits keeps the audit records of a hub.
type audits struct {
	mu  sync.Mutex
	all []audit.Record
}

func (a *audits) Audit(_ context.Context, r *audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, *r)
	return nil
}

func (a *audits) list() []audit.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]audit.Record(nil), a.all...)
}

func TestTaskLifecycle(t *testing.T) {
	log := &audits{}
	inTasks(t, &mcphub.Options{Audit: log}, map[string]taskTool{
		"slow":  sleeping(toolspec.TaskOptional, time.Hour/3),
		"quick": sleeping(toolspec.TaskRequired, 50*time.Millisecond),
		"never": sleeping(toolspec.TaskNever, 2*time.Second),
		"steps": {support: toolspec.TaskOptional, do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
			for i := range 3 {
				assert.NoError(t, call.Caller().Progress(ctx, toolspec.Progress{Done: float64(i + 1), Total: 3}))
				time.Sleep(time.Second)
			}
			assert.NoError(t, call.Caller().Progress(ctx, toolspec.Progress{Done: 4, Message: "almost"}))
			assert.Error(t, call.Caller().Log(ctx, toolspec.LogMessage{Level: "error"}), "the protocol has no place for it")
			time.Sleep(time.Second)
			return toolspec.TextResult("stepped"), nil
		}},
	}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		for tool, want := range map[string]time.Duration{"quick": 50 * time.Millisecond, "never": 2 * time.Second} {
			began := time.Now()
			r := result(t, c.call(tool, `{}`).body)
			assert.Equal(t, "complete", r["resultType"], "%s: what ends soon is answered itself", tool)
			assert.Equal(t, want, time.Since(began))
		}
		began := time.Now()
		r := result(t, c.call("slow", `{}`).body)
		assert.Equal(t, 100*time.Millisecond, time.Since(began))
		id := r["taskId"].(string)
		assert.GreaterOrEqual(t, len(id), 26, "nobody guesses it")
		stamp := began.UTC().Format(time.RFC3339Nano)
		delete(r, "_meta")
		assert.Equal(t, map[string]any{"resultType": "task", "taskId": id, "status": "working", "createdAt": stamp, "lastUpdatedAt": stamp,
			"ttlMs": float64((40 * time.Minute).Milliseconds()), "pollIntervalMs": 1000.0}, r)
		assert.Equal(t, "working", c.get(id)["status"])

		time.Sleep(time.Hour/3 + 9*time.Minute)
		r = c.get(id)
		assert.Equal(t, "done", said(t, r))
		assert.Equal(t, "complete", r["result"].(map[string]any)["resultType"])
		assert.Equal(t, float64((time.Hour/3 + 10*time.Minute).Milliseconds()), r["ttlMs"], "kept for ten minutes from its end on")

		steps := c.begin("steps", `{}`)
		assert.Equal(t, "1 of 3", c.get(steps)["statusMessage"])
		time.Sleep(time.Second)
		assert.Equal(t, "2 of 3", c.get(steps)["statusMessage"])
		time.Sleep(2 * time.Second)
		assert.Equal(t, "almost", c.get(steps)["statusMessage"])
		time.Sleep(time.Second)
		assert.Equal(t, "stepped", said(t, c.get(steps)))
		time.Sleep(59 * time.Second)
		assert.Equal(t, "stepped", said(t, c.get(steps)), "an answer may have been lost")
		time.Sleep(2 * time.Second)
		c.gone(steps)
		c.gone(id)
		records := log.list()
		require.Len(t, records, 4, "a task is one call")
		for _, r := range records {
			assert.True(t, r.OK)
			assert.Equal(t, "2026-07-28", r.Protocol)
		}
	})
}

func TestTaskThatNobodyFetches(t *testing.T) {
	inTasks(t, &mcphub.Options{Tasks: mcphub.TaskOptions{After: -1, Keep: time.Hour, Poll: 1500 * time.Microsecond}}, map[string]taskTool{
		"slow": sleeping(toolspec.TaskOptional, time.Minute),
	}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		began := time.Now()
		id := c.begin("slow", `{}`)
		assert.Zero(t, time.Since(began), "below 0 is at once")
		time.Sleep(time.Minute + time.Hour - time.Second)
		r := c.get(id)
		assert.Equal(t, "done", said(t, r))
		assert.Equal(t, 2.0, r["pollIntervalMs"], "whole milliseconds")
		time.Sleep(time.Second + time.Millisecond)
		c.gone(id)
	})
}

func TestTaskEnds(t *testing.T) {
	inTasks(t, &mcphub.Options{Tasks: mcphub.TaskOptions{Timeout: time.Minute}}, map[string]taskTool{
		"fails": {support: toolspec.TaskOptional, do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
			time.Sleep(time.Second)
			return nil, &toolspec.CallError{Kind: toolspec.KindRuntimeError, Reason: "own", Message: "its own fault"}
		}},
		"panics": {support: toolspec.TaskOptional, do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
			time.Sleep(time.Second)
			panic("a secret")
		}},
		"hangs":   sleeping(toolspec.TaskOptional, time.Hour),
		"bounded": {support: toolspec.TaskOptional, timeout: 10 * time.Second, do: sleeping(0, time.Hour).do},
	}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		fails, panics, hangs, bounded := c.begin("fails", `{}`), c.begin("panics", `{}`), c.begin("hangs", `{}`), c.begin("bounded", `{}`)
		time.Sleep(time.Second)
		r := c.get(fails)
		assert.Contains(t, said(t, r), "its own fault")
		assert.Equal(t, true, r["result"].(map[string]any)["isError"])
		r = c.get(panics)
		assert.Equal(t, "failed", r["status"])
		assert.Equal(t, map[string]any{"code": -32603.0, "message": "the tool failed unexpectedly"}, r["error"])
		assert.NotContains(t, r, "result")
		time.Sleep(10 * time.Second)
		assert.Contains(t, said(t, c.get(bounded)), "TIMEOUT", "a tool's own limit wins")
		time.Sleep(time.Minute)
		assert.Contains(t, said(t, c.get(hangs)), "TIMEOUT")
	})
}

func TestTaskCancel(t *testing.T) {
	log := &audits{}
	stubborn := taskTool{support: toolspec.TaskOptional, do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		time.Sleep(time.Minute)
		return toolspec.TextResult("too late"), nil
	}}
	inTasks(t, &mcphub.Options{Audit: log}, map[string]taskTool{"slow": sleeping(toolspec.TaskOptional, time.Minute), "stubborn": stubborn},
		func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
			for _, tool := range []string{"slow", "stubborn"} {
				id := c.begin(tool, `{}`)
				c.ack("tasks/cancel", id, "")
				r := c.get(id)
				assert.Equal(t, "cancelled", r["status"])
				assert.NotEmpty(t, r["statusMessage"])
				c.ack("tasks/cancel", id, "")
				time.Sleep(59 * time.Second)
				assert.Equal(t, "cancelled", c.get(id)["status"])
			}
			time.Sleep(2 * time.Second)
			records := log.list()
			require.Len(t, records, 2)
			assert.Equal(t, toolspec.KindCancelled, records[0].Kind)

			id := c.begin("slow", `{}`)
			time.Sleep(time.Hour / 60)
			c.ack("tasks/cancel", id, "")
			assert.Equal(t, "done", said(t, c.get(id)), "what has ended is not cancelled any more")
		})
}

func TestTaskWhoseClientLeavesAtOnce(t *testing.T) {
	log := &audits{}
	inTasks(t, &mcphub.Options{Audit: log, Tasks: mcphub.TaskOptions{Max: 2}}, map[string]taskTool{"slow": sleeping(toolspec.TaskRequired, time.Minute)},
		func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				a := c.r.do(c.request("tools/call", "slow", `"name":"slow"`).WithContext(ctx))
				cancel()
				assert.Contains(t, a.body, "cancelled")
			}
			synctest.Wait()
			require.Len(t, log.list(), 3)
			assert.Equal(t, toolspec.KindCancelled, log.list()[0].Kind, "it has no handle to what would run on")
			c.begin("slow", `{}`)
		})
}

func TestTaskOfTheHubThatCloses(t *testing.T) {
	leak.Check(t)
	ended := make(chan error, 1)
	h := hubtest.NewHub(t, nil, taskTool{support: toolspec.TaskOptional, do: func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}}.pass(t, "slow"))
	c := &taskClient{t: t, r: &recorder{h.Handler()}, caps: canTask}
	c.begin("slow", `{}`)
	require.NoError(t, h.Shutdown(t.Context()), "it does not wait for the task")
	assert.ErrorIs(t, <-ended, context.Canceled)
}

func TestTaskBelongsToItsPrincipal(t *testing.T) {
	who := func(r *http.Request) (toolspec.Principal, error) {
		return toolspec.Principal{Subject: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}, nil
	}
	inTasks(t, &mcphub.Options{Authenticate: who, Tasks: mcphub.TaskOptions{Max: 4}}, map[string]taskTool{
		"slow": sleeping(toolspec.TaskRequired, time.Minute), "first": inquires(toolspec.TaskOptional, 0, 1),
	}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		a, b := *c, *c
		a.who, b.who = "a", "b"
		id := a.begin("slow", `{}`)
		b.gone(id)
		a.begin("slow", `{}`)
		code, message := rpcErr(t, a.call("slow", `{}`).body)
		assert.Equal(t, -32603, code, "one has half of the places")
		assert.Contains(t, message, "too many tasks")
		b.begin("slow", `{}`)
		asked := result(t, b.call("first", `{}`).body)
		require.Equal(t, "input_required", asked["resultType"])
		state := `"requestState":"` + asked["requestState"].(string) + `","inputResponses":{"q1":{"action":"decline"}}`
		code, _ = rpcErr(t, a.call("first", `{}`, state).body)
		assert.Equal(t, -32602, code, "a question is answered by whom it was put to")
		assert.Equal(t, "complete", result(t, b.call("first", `{}`, state).body)["resultType"])
	})
}

func TestTaskBounds(t *testing.T) {
	inTasks(t, &mcphub.Options{MaxCalls: 1, Tasks: mcphub.TaskOptions{Max: 6, MaxRunning: 1, Timeout: time.Minute}}, map[string]taskTool{
		"slow": sleeping(toolspec.TaskOptional, 25*time.Second), "plain": sleeping(toolspec.TaskNever, 0),
	}, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		one, two, three := c.begin("slow", `{}`), c.begin("slow", `{}`), c.begin("slow", `{}`)
		assert.Equal(t, "complete", result(t, c.call("plain", `{}`).body)["resultType"], "tasks keep no other calls out")
		began := time.Now()
		assert.Equal(t, "complete", result(t, c.call("slow", `{}`).body)["resultType"], "without room a call is a plain one")
		assert.Equal(t, 25*time.Second, time.Since(began))
		assert.Equal(t, "done", said(t, c.get(one)))
		assert.Equal(t, "working", c.get(two)["status"], "they wait for each other")
		time.Sleep(time.Minute)
		assert.Equal(t, "done", said(t, c.get(two)))
		assert.Contains(t, said(t, c.get(three)), "TIMEOUT")
		time.Sleep(time.Minute)
		c.begin("slow", `{}`)
	})
}

func TestTaskCapability(t *testing.T) {
	tools := map[string]taskTool{"must": sleeping(toolspec.TaskRequired, time.Second), "may": sleeping(toolspec.TaskOptional, time.Second)}
	inTasks(t, nil, tools, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		assert.Contains(t, c.do("server/discover", "", `"a":1`).body, `"extensions":{"io.modelcontextprotocol/tasks":{}}`)
		id := c.begin("may", `{}`)
		plain := *c
		plain.caps = noTask
		assert.Equal(t, "complete", result(t, plain.call("may", `{}`).body)["resultType"])
		refused := []answer{plain.call("must", `{}`), plain.do("subscriptions/listen", "", `"notifications":{"taskIds":["`+id+`"]}`)}
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			refused = append(refused, plain.do(method, id, `"taskId":"`+id+`","inputResponses":{}`))
		}
		for _, a := range refused {
			assert.Equal(t, http.StatusBadRequest, a.status)
			assert.Contains(t, a.body, `"code":-32021`)
			assert.Contains(t, a.body, `"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
		}
		for name, a := range map[string]answer{
			"no id":       c.do("tasks/get", "x", `"a":1`),
			"a number":    c.do("tasks/get", "x", `"taskId":1`),
			"two ids":     c.do("tasks/cancel", id, `"taskId":"`+id+`","taskId":"`+id+`"`),
			"no answers":  c.do("tasks/update", id, `"taskId":"`+id+`"`),
			"a list":      c.do("tasks/update", id, `"taskId":"`+id+`","inputResponses":[]`),
			"other state": c.call("may", `{}`, `"requestState":"task:none"`),
		} {
			code, _ := rpcErr(t, a.body)
			assert.Equal(t, -32602, code, name)
		}
		for name, header := range map[string]string{"missing": "", "another": "x", "malformed": "=?base64?%%?="} {
			a := c.do("tasks/get", header, `"taskId":"`+id+`"`)
			code, _ := rpcErr(t, a.body)
			assert.Equal(t, -32020, code, name)
			assert.Equal(t, http.StatusBadRequest, a.status)
		}
		for _, method := range []string{"tasks/list", "tasks/result"} {
			code, _ := rpcErr(t, c.do(method, id, `"taskId":"`+id+`"`).body)
			assert.Equal(t, -32601, code)
		}
	})
	inTasks(t, &mcphub.Options{Tasks: mcphub.TaskOptions{Off: true}}, tools, func(t *testing.T, _ *mcphub.Hub, c *taskClient) {
		assert.NotContains(t, c.do("server/discover", "", `"a":1`).body, "tasks")
		assert.Equal(t, "complete", result(t, c.call("must", `{}`).body)["resultType"])
		code, _ := rpcErr(t, c.do("tasks/get", "x", `"taskId":"x"`).body)
		assert.Equal(t, -32601, code)
	})
}
