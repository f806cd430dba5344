package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const (
	canTask = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	noTask  = `{"elicitation":{}}`
)

// taskClient is a client of 2026-07-28 that knows tasks, without a socket.
type taskClient struct {
	t    testing.TB
	r    *recorder
	caps string
	who  string // the bearer; empty: none
}

// inTasks runs do against a hub with these tools, in a bubble of its own time.
func inTasks(t *testing.T, opts *mcphub.Options, tools map[string]taskTool, do func(t *testing.T, h *mcphub.Hub, c *taskClient)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := hubtest.NewHub(t, opts)
		for name, tool := range tools {
			require.NoError(t, h.Add(tool.pass(t, name)))
		}
		do(t, h, &taskClient{t: t, r: &recorder{h.Handler()}, caps: canTask})
		require.NoError(t, h.Close())
	})
}

// taskTool is a tool that may run as a task.
type taskTool struct {
	support toolspec.TaskSupport
	timeout time.Duration
	do      func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error)
}

func (tt taskTool) pass(t testing.TB, name string) *studio.Passed {
	type in struct {
		Certify bool   `json:"certify,omitempty"`
		Text    string `json:"text,omitempty"`
	}
	return hubtest.Certified(t, name, func(ctx context.Context, args in) (*toolspec.Result, error) {
		if args.Certify {
			return toolspec.TextResult("certified"), nil
		}
		return tt.do(ctx, toolspec.CallFrom(ctx))
	}, `{"certify":true}`, `"certified"`, &toolspec.FuncOptions{Level: toolspec.L0, Task: tt.support, Timeout: tt.timeout})
}

// sleeping is a tool that takes so long and says "done".
func sleeping(support toolspec.TaskSupport, d time.Duration) taskTool {
	return taskTool{support: support, do: func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
		select {
		case <-time.After(d):
			return toolspec.TextResult("done"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

// inquires is a tool that takes a while, asks so many questions at the same time, and
// says what the answers were.
func inquires(support toolspec.TaskSupport, before time.Duration, n int) taskTool {
	return taskTool{support: support, do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		time.Sleep(before)
		said := make([]string, n)
		done := make(chan struct{}, n)
		for i := range n {
			go func() {
				defer func() { done <- struct{}{} }()
				time.Sleep(time.Duration(i) * time.Microsecond) // in order
				answer, err := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: fmt.Sprintf("question %d", i)})
				said[i] = show(answer, err)
			}()
		}
		for range n {
			<-done
		}
		return toolspec.TextResult(strings.Join(said, "\n")), nil
	}}
}

func (c *taskClient) request(method, name, params string) *http.Request {
	body := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":` + c.caps + `}}}`
	req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		req.Header.Set(k, v)
	}
	if c.who != "" {
		req.Header.Set("Authorization", "Bearer "+c.who)
	}
	return req
}

func (c *taskClient) do(method, name, params string) answer {
	a := c.r.do(c.request(method, name, params))
	require.True(c.t, json.Valid([]byte(a.body)), a.body)
	return a
}

// call calls a tool; more are members of params beside name and arguments.
func (c *taskClient) call(tool, args string, more ...string) answer {
	return c.do("tools/call", tool, strings.Join(append([]string{`"name":"` + tool + `","arguments":` + args}, more...), ","))
}

// begin calls a tool that becomes a task, and returns its id.
func (c *taskClient) begin(tool, args string, more ...string) string {
	c.t.Helper()
	r := result(c.t, c.call(tool, args, more...).body)
	require.Equal(c.t, "task", r["resultType"], r)
	require.NotContains(c.t, r, "requestState")
	require.NotContains(c.t, r, "inputRequests")
	return r["taskId"].(string)
}

func (c *taskClient) get(id string) map[string]any {
	c.t.Helper()
	r := result(c.t, c.do("tasks/get", id, `"taskId":"`+id+`"`).body)
	require.Equal(c.t, "complete", r["resultType"])
	require.Equal(c.t, id, r["taskId"])
	return r
}

// gone asserts that there is no such task for this client.
func (c *taskClient) gone(id string) {
	c.t.Helper()
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		code, message := rpcErr(c.t, c.do(method, id, `"taskId":"`+id+`","inputResponses":{}`).body)
		assert.Equal(c.t, -32602, code)
		assert.Contains(c.t, message, "no such task")
	}
}

// ack is a request that is answered with nothing.
func (c *taskClient) ack(method, id, more string) {
	c.t.Helper()
	r := result(c.t, c.do(method, id, `"taskId":"`+id+`"`+more).body)
	assert.Equal(c.t, "complete", r["resultType"])
	delete(r, "resultType")
	delete(r, "_meta")
	assert.Empty(c.t, r)
}

// keys are the keys of the questions in a result, in order.
func keys(r map[string]any) []string {
	all := []string{}
	asked, _ := r["inputRequests"].(map[string]any)
	for i := 1; len(all) < len(asked) && i < 1000; i++ {
		if key := fmt.Sprintf("q%d", i); asked[key] != nil {
			all = append(all, key)
		}
	}
	return all
}

// said is the text of the result of a task that completed.
func said(t testing.TB, task map[string]any) string {
	t.Helper()
	require.Equal(t, "completed", task["status"], task)
	return task["result"].(map[string]any)["content"].([]any)[0].(map[string]any)["text"].(string)
}
