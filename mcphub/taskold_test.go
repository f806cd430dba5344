package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// oldTasker is a client of 2025-11-25, without a socket.
type oldTasker struct {
	t       testing.TB
	r       *recorder
	session string
}

func oldTaskClientOf(t testing.TB, h *mcphub.Hub) *oldTasker {
	r := &recorder{h.Handler()}
	id := r.post("", initialize("2025-11-25", `{"elicitation":{}}`)).header.Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	return &oldTasker{t, r, id}
}

func (c *oldTasker) do(method, params string) string {
	return c.r.post(c.session, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{`+params+`}}`).body
}

func (c *oldTasker) begin(tool string) map[string]any {
	c.t.Helper()
	return result(c.t, c.do("tools/call", `"name":"`+tool+`","arguments":{},"task":{"ttl":1000}`))["task"].(map[string]any)
}

func (c *oldTasker) get(id string) map[string]any {
	c.t.Helper()
	return result(c.t, c.do("tasks/get", `"taskId":"`+id+`"`))
}

func TestOldFormLifecycle(t *testing.T) {
	inTasks(t, nil, map[string]taskTool{
		"slow": sleeping(toolspec.TaskRequired, time.Minute), "may": sleeping(toolspec.TaskOptional, time.Second), "never": sleeping(toolspec.TaskNever, time.Second),
		"fails": {support: toolspec.TaskOptional, do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
			return nil, fmt.Errorf("its own fault")
		}},
		"panics": {support: toolspec.TaskOptional, do: func(context.Context, *toolspec.Call) (*toolspec.Result, error) { panic("oh") }},
	}, func(t *testing.T, h *mcphub.Hub, _ *taskClient) {
		c := oldTaskClientOf(t, h)
		support := map[string]any{}
		for _, tool := range result(t, c.do("tools/list", ""))["tools"].([]any) {
			support[tool.(map[string]any)["name"].(string)] = tool.(map[string]any)["execution"]
		}
		optional := map[string]any{"taskSupport": "optional"}
		assert.Equal(t, map[string]any{"slow": map[string]any{"taskSupport": "required"}, "may": optional, "fails": optional, "panics": optional, "never": nil}, support)
		older := recorder{h.Handler()}
		session := older.post("", initialize("2025-06-18", `{}`)).header.Get("Mcp-Session-Id")
		assert.NotContains(t, older.post(session, listTools).body, "taskSupport")
		code, _ := rpcErr(t, older.post(session, call("1", "slow", `{}`)).body)
		assert.Equal(t, -32601, code)

		stamp := time.Now().UTC().Format(time.RFC3339Nano)
		task := c.begin("slow")
		id := task["taskId"].(string)
		assert.Equal(t, map[string]any{"taskId": id, "status": "working", "createdAt": stamp, "lastUpdatedAt": stamp,
			"ttl": float64((40 * time.Minute).Milliseconds()), "pollInterval": 1000.0}, task)
		assert.Equal(t, task, c.get(id))
		began := time.Now()
		r := result(t, c.do("tasks/result", `"taskId":"`+id+`"`))
		assert.Equal(t, time.Minute, time.Since(began), "it waits for the end")
		assert.Equal(t, map[string]any{"content": []any{map[string]any{"type": "text", "text": "done"}},
			"_meta": map[string]any{"io.modelcontextprotocol/related-task": map[string]any{"taskId": id}}}, r)
		assert.Equal(t, "completed", c.get(id)["status"])
		code, _ = rpcErr(t, c.do("tasks/cancel", `"taskId":"`+id+`"`))
		assert.Equal(t, -32602, code, "it has ended")

		fails := c.begin("fails")["taskId"].(string)
		assert.Equal(t, true, result(t, c.do("tasks/result", `"taskId":"`+fails+`"`))["isError"])
		assert.Equal(t, "failed", c.get(fails)["status"])
		panics := c.begin("panics")["taskId"].(string)
		code, _ = rpcErr(t, c.do("tasks/result", `"taskId":"`+panics+`"`))
		assert.Equal(t, -32603, code)

		slow := c.begin("slow")["taskId"].(string)
		assert.Equal(t, "cancelled", result(t, c.do("tasks/cancel", `"taskId":"`+slow+`"`))["status"])
		code, message := rpcErr(t, c.do("tasks/result", `"taskId":"`+slow+`"`))
		assert.Equal(t, -32603, code)
		assert.Contains(t, message, "cancelled")

		for request, want := range map[string]int{
			`"name":"slow"`: -32601, `"name":"never","task":{}`: -32601, `"name":"may","task":7`: -32602,
		} {
			code, _ := rpcErr(t, c.do("tools/call", request))
			assert.Equal(t, want, code, request)
		}
		assert.Equal(t, "done", result(t, c.do("tools/call", `"name":"may"`))["content"].([]any)[0].(map[string]any)["text"])

		other := oldTaskClientOf(t, h)
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
			code, _ := rpcErr(t, other.do(method, `"taskId":"`+id+`"`))
			assert.Equal(t, -32602, code, "a task belongs to its session")
			code, _ = rpcErr(t, c.do(method, `"taskId":7`))
			assert.Equal(t, -32602, code)
		}
		assert.Empty(t, result(t, other.do("tasks/list", ""))["tasks"])
		time.Sleep(11 * time.Minute)
		code, _ = rpcErr(t, c.do("tasks/get", `"taskId":"`+id+`"`))
		assert.Equal(t, -32602, code)
	})
}

func TestOldFormList(t *testing.T) {
	inTasks(t, nil, map[string]taskTool{"slow": sleeping(toolspec.TaskOptional, time.Minute)}, func(t *testing.T, h *mcphub.Hub, _ *taskClient) {
		c := oldTaskClientOf(t, h)
		want := []string{}
		for range 150 {
			want = append(want, c.begin("slow")["taskId"].(string))
			time.Sleep(time.Millisecond)
		}
		var got []string
		cursor := ""
		for {
			r := result(t, c.do("tasks/list", cursor))
			for _, task := range r["tasks"].([]any) {
				got = append(got, task.(map[string]any)["taskId"].(string))
			}
			if r["nextCursor"] == nil {
				break
			}
			require.Len(t, got, 100)
			cursor = `"cursor":"` + r["nextCursor"].(string) + `"`
		}
		assert.Equal(t, want, got)
		code, _ := rpcErr(t, c.do("tasks/list", `"cursor":"x"`))
		assert.Equal(t, -32602, code)
	})
}

// TestOldFormEndsWithItsSession: nobody else can fetch what comes of it.
func TestOldFormEndsWithItsSession(t *testing.T) {
	log := &audits{}
	inTasks(t, &mcphub.Options{Audit: log, Tasks: mcphub.TaskOptions{Max: 2}}, map[string]taskTool{"slow": sleeping(toolspec.TaskOptional, time.Minute)}, func(t *testing.T, h *mcphub.Hub, _ *taskClient) {
		c := oldTaskClientOf(t, h)
		c.begin("slow")
		code, _ := rpcErr(t, c.do("tools/call", `"name":"slow","task":{}`))
		assert.Equal(t, -32603, code, "there is no room")
		req := httptest.NewRequest("DELETE", "http://localhost/mcp", nil)
		req.Header.Set("Mcp-Session-Id", c.session)
		c.r.do(req)
		synctest.Wait()
		require.Len(t, log.list(), 1)
		assert.Equal(t, toolspec.KindCancelled, log.list()[0].Kind)
		oldTaskClientOf(t, h).begin("slow")
	})
}

// TestOldFormBetweenHubs: our own client, over each transport, with progress and
// questions.
func TestOldFormBetweenHubs(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, &mcphub.Options{Tasks: mcphub.TaskOptions{Poll: 20 * time.Millisecond}}, taskTool{support: toolspec.TaskRequired,
		do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
			one, err := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "one"})
			if err != nil {
				return nil, err
			}
			_ = call.Caller().Progress(ctx, toolspec.Progress{Done: 1, Message: "asked"})
			two, err := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "two"})
			return toolspec.TextResult(show(one, nil) + show(two, err)), nil
		}}.pass(t, "ask"))
	web := httptest.NewServer(h.Handler())
	t.Cleanup(web.Close)
	overHTTP, err := client.NewHTTP(client.HTTPConfig{URL: web.URL + "/mcp"}, nil)
	require.NoError(t, err)
	for _, tr := range []client.Transport{overHTTP, h.InProcess(nil)} {
		s := hubtest.Connect(t, tr, &client.DialOptions{Versions: []string{"2025-11-25"}, Capabilities: client.ClientCapabilities{Form: true}})
		tools, err := servers.ListTools(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, toolspec.TaskRequired, tools[0].Task)
		told := make(chan toolspec.Progress, 10)
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"ask"}`), &client.CallOptions{Task: true, Progress: func(p toolspec.Progress) { told <- p },
			Request: func(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
				if string(r.Params) == "" {
					return nil, fmt.Errorf("nothing was asked")
				}
				var p struct{ Message string }
				if json.Unmarshal(r.Params, &p); p.Message == "two" {
					return nil, &client.RPCError{Code: -1, Message: "no more"}
				}
				return json.RawMessage(accepting), nil
			}})
		require.NoError(t, err)
		require.Contains(t, string(raw), "accept")
		assert.Contains(t, string(raw), "no more", "a refusal reaches the tool")
		assert.Equal(t, toolspec.Progress{Done: 1, Message: "asked"}, <-told)
	}
}

// TestOldFormQuestionIsPutAgain: a request that breaks takes no question along.
func TestOldFormQuestionIsPutAgain(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, inquires(toolspec.TaskRequired, 0, 1).pass(t, "ask"))
	c := serve(t, h).open("2025-11-25", `{"elicitation":{}}`)
	id := result(t, c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","task":{}}}`).body)["task"].(map[string]any)["taskId"].(string)
	fetch := `{"jsonrpc":"2.0","id":%d,"method":"tasks/result","params":{"taskId":"` + id + `"}}`
	var asked struct {
		ID     json.RawMessage
		Params struct {
			Message string
			Meta    map[string]map[string]string `json:"_meta"`
		}
	}
	for i := range 2 {
		messages, _ := c.stream(c.request("POST", fmt.Sprintf(fetch, i+2)))
		require.NoError(t, json.Unmarshal([]byte(next(t, messages)), &asked))
		assert.Equal(t, "question 0", asked.Params.Message)
		assert.Equal(t, id, asked.Params.Meta["io.modelcontextprotocol/related-task"]["taskId"])
		if i == 0 {
			c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
			ended(t, messages)
			continue
		}
		c.post(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"decline"}}`)
		assert.Contains(t, next(t, messages), "decline")
	}
}

// TestMCPGoClientTasks: the client of mcp-go calls a tool as a task.
func TestMCPGoClientTasks(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, sleeping(toolspec.TaskRequired, 0).pass(t, "slow"))
	web := httptest.NewServer(h.Handler())
	t.Cleanup(web.Close)
	c, err := mcpclient.NewStreamableHttpClient(web.URL + "/mcp")
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.Start(t.Context()))
	init := mcp.InitializeRequest{}
	init.Params.ProtocolVersion = "2025-11-25"
	_, err = c.Initialize(t.Context(), init)
	require.NoError(t, err)
	ask := mcp.CallToolRequest{}
	ask.Params.Name, ask.Params.Task = "slow", &mcp.TaskParams{}
	_, err = c.CallTool(t.Context(), ask)
	t.Log("mcp-go reads the answer to a call as a result:", err)
	list, err := c.ListTasks(t.Context(), mcp.ListTasksRequest{})
	require.NoError(t, err)
	require.Len(t, list.Tasks, 1)
	look := mcp.GetTaskRequest{}
	look.Params.TaskId = list.Tasks[0].TaskId
	task, err := c.WaitForTask(t.Context(), look, time.Second)
	require.NoError(t, err)
	assert.Equal(t, mcp.TaskStatusCompleted, task.Status)
	fetch := mcp.TaskResultRequest{}
	fetch.Params.TaskId = look.Params.TaskId
	got, err := c.TaskResult(t.Context(), fetch)
	require.NoError(t, err)
	assert.Equal(t, "done", got.Content[0].(mcp.TextContent).Text)
}

// TestOldFormAsksAside: a client that only looks at its task is asked where it
// listens.
func TestOldFormAsksAside(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, inquires(toolspec.TaskRequired, 0, 1).pass(t, "ask"))
	c := serve(t, h).open("2025-11-25", `{"elicitation":{}}`)
	id := result(t, c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","task":{}}}`).body)["task"].(map[string]any)["taskId"].(string)
	look := func() string {
		return result(t, c.post(`{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"`+id+`"}}`).body)["status"].(string)
	}
	require.Eventually(t, func() bool { return look() == "input_required" }, hubtest.Patience, time.Millisecond)
	var asked struct{ ID json.RawMessage }
	for i := range 2 {
		messages, leave := c.stream(c.request("GET", ""))
		require.Eventually(t, func() bool { look(); return len(messages) > 0 }, hubtest.Patience, time.Millisecond)
		require.NoError(t, json.Unmarshal([]byte(next(t, messages)), &asked))
		look() // it is not asked twice
		if i == 0 {
			leave() // it is asked again where it listens next
			continue
		}
		assert.Empty(t, messages)
		c.post(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"decline"}}`)
	}
	require.Eventually(t, func() bool { return look() == "completed" }, hubtest.Patience, time.Millisecond)

	p := stdio(t, h)
	p.send(initialize("2025-11-25", `{"elicitation":{}}`))
	next(t, p.lines)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","task":{}}}`)
	id = result(t, next(t, p.lines))["task"].(map[string]any)["taskId"].(string)
	for {
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"` + id + `"}}`)
		line := next(t, p.lines)
		if line2 := []byte(line); json.Unmarshal(line2, &asked) == nil && string(asked.ID) != "2" {
			break
		}
	}
	p.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"action":"decline"}}`)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"` + id + `"}}`)
	for line := next(t, p.lines); ; line = next(t, p.lines) {
		if json.Unmarshal([]byte(line), &asked) == nil && string(asked.ID) == "3" {
			assert.Contains(t, line, "decline")
			break
		}
	}
}
