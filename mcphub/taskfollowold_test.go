package mcphub_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

const (
	oldTasks = `{"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}`
	oldWork  = `"status":"working","createdAt":"2025-11-25T00:00:00Z","lastUpdatedAt":"2025-11-25T00:00:00Z","ttl":60000,"pollInterval":1`
	related  = `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}`
)

func oldPeer() *mcphubtest.Peer {
	return mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2025-11-25"}, Capabilities: oldTasks})
}

func oldStands(states ...string) []mcphubtest.Reaction {
	var all []mcphubtest.Reaction
	for _, s := range states {
		all = append(all, mcphubtest.Reply(`{"taskId":"t","pollInterval":1,`+s+`}`))
	}
	return all
}

// TestOldTask: a call is made as a task, its progress and its questions find the
// call, and the result is fetched.
func TestOldTask(t *testing.T) {
	leak.Check(t)
	for _, kind := range hubtest.NetworkKinds {
		told, answers, token := []toolspec.Progress(nil), make(chan mcphubtest.Message, 2), make(chan string, 1)
		peer := oldPeer().On("tools/call", func(x *mcphubtest.Exchange) {
			token <- string(x.ID)
			x.Notify("notifications/progress", `{"progressToken":`+string(x.ID)+`,"progress":1}`)
			x.Reply(`{"task":{"taskId":"t",` + oldWork + `}}`)
		}).On("tasks/get", append(oldStands(oldWork), func(x *mcphubtest.Exchange) {
			x.Notify("notifications/progress", `{"progressToken":`+<-token+`,"progress":2}`)
			x.Reply(`{"taskId":"t","pollInterval":1,"status":"input_required"}`)
		})...).On("tasks/result", func(x *mcphubtest.Exchange) {
			m, _ := x.Ask("elicitation/create", `{"message":"?",`+related+`}`)
			answers <- m
			m, _ = x.Ask("elicitation/create", `{"message":"?","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"unknown"}}}`)
			answers <- m
			x.Reply(`{"content":[{"type":"text","text":"12345678901234567890"}],` + related + `}`)
		})
		s := hubtest.Connect(t, peer.Transport(kind), &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}, Handler: client.Handler{Request: hubtest.Answer}})
		assert.True(t, s.Info().Capabilities.TaskCalls && s.Info().Capabilities.TaskCancel)
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x","task":{"ttl":1}}`), &client.CallOptions{Task: true,
			Progress: func(p toolspec.Progress) { told = append(told, p) },
			Request: func(context.Context, client.ServerRequest) (json.RawMessage, error) {
				return json.RawMessage(`{"action":"decline","_meta":{"own":1,"io.modelcontextprotocol/related-task":7}}`), nil
			}})
		require.NoError(t, err)
		assert.Equal(t, `{"content":[{"type":"text","text":"12345678901234567890"}],`+related+`}`, string(raw))
		assert.Equal(t, []toolspec.Progress{{Done: 1}, {Done: 2}}, told)
		assert.JSONEq(t, `{"action":"decline","_meta":{"own":1,"io.modelcontextprotocol/related-task":{"taskId":"t"}}}`, string((<-answers).Result))
		second := string((<-answers).Result)
		if kind == client.TransportHTTP { // it comes within the request of the call
			assert.Contains(t, second, "decline")
		} else {
			assert.JSONEq(t, `{"action":"accept","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"unknown"}}}`, second, "the handler's")
		}
		assert.Equal(t, []string{"tools/call", "tasks/get", "tasks/get", "tasks/result"}, slices.DeleteFunc(peer.Methods(), func(m string) bool {
			return !strings.HasPrefix(m, "t")
		}))
		var params struct{ Task struct{ TTL int64 } }
		for _, m := range peer.Seen() {
			if m.Method == "tools/call" {
				require.NoError(t, json.Unmarshal(m.Params, &params))
				assert.InDelta(t, time.Hour.Milliseconds(), params.Task.TTL, 1000, "as long as this side waits")
			}
		}
	}
}

func TestOldTaskEnds(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	refused := mcphubtest.Refuse(-32603, "broken")
	for _, tt := range []struct {
		name   string
		states []mcphubtest.Reaction
		result []mcphubtest.Reaction
		want   string
	}{
		{"completed", oldStands(`"status":"completed"`), []mcphubtest.Reaction{mcphubtest.Reply(`{"ok":1}`)}, `{"ok":1}`},
		{"failed with a result", oldStands(`"status":"failed"`), []mcphubtest.Reaction{mcphubtest.Reply(`{"isError":true}`)}, `{"isError":true}`},
		{"failed", oldStands(`"status":"failed"`), []mcphubtest.Reaction{refused}, "broken"},
		{"cancelled", oldStands(`"status":"cancelled"`), nil, "the server cancelled the task"},
		{"asks and fails", oldStands(`"status":"input_required"`, `"status":"failed"`), []mcphubtest.Reaction{refused}, "broken"},
		{"asks by a way of its own", oldStands(`"status":"input_required"`, `"status":"working"`, `"status":"completed"`), []mcphubtest.Reaction{refused, mcphubtest.Reply(`{"ok":2}`)}, `{"ok":2}`},
		{"unknown", []mcphubtest.Reaction{mcphubtest.Refuse(-32602, "never heard of it")}, nil, "never heard of it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			peer := oldPeer().On("tools/call", mcphubtest.Reply(`{"task":{"taskId":"t",`+oldWork+`}}`)).On("tasks/get", tt.states...).On("tasks/result", tt.result...)
			s := hubtest.Connect(t, peer.Transport(client.TransportStdio), nil)
			raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Task: true})
			if err == nil {
				assert.Equal(t, tt.want, string(raw))
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
			assert.NotContains(t, peer.Methods(), "tasks/cancel")
		})
	}
	for name, peer := range map[string]*mcphubtest.Peer{
		"a server without tasks":        mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2025-11-25"}}),
		"a server that makes none":      oldPeer(),
		"a task without a status to it": oldPeer(),
	} {
		s := hubtest.Connect(t, peer.On("tools/call", mcphubtest.Reply(`{"content":[]}`)).Transport(client.TransportStdio), nil)
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Task: true})
		require.NoError(t, err)
		assert.Equal(t, `{"content":[]}`, string(raw), name)
	}
	s := hubtest.Connect(t, oldPeer().On("tools/call", refused).Transport(client.TransportStdio), nil)
	_, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Task: true})
	assert.ErrorContains(t, err, "broken")
	_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`[`), &client.CallOptions{Task: true})
	assert.ErrorContains(t, err, "one JSON object")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Call(gone, "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Task: true})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestOldTaskIsGivenUp: whoever gives a call up gives its task up.
func TestOldTaskIsGivenUp(t *testing.T) {
	for _, status := range []string{`"status":"working"`, `"status":"input_required"`} {
		synctest.Test(t, func(t *testing.T) {
			peer := oldPeer().On("tools/call", mcphubtest.Reply(`{"task":{"taskId":"t",`+oldWork+`}}`)).On("tasks/get", oldStands(status)...).
				On("tasks/result", mcphubtest.Hang()).On("tasks/cancel", mcphubtest.Reply(`{"taskId":"t","status":"cancelled"}`))
			s := hubtest.Connect(t, peer.Transport(client.TransportStdio), nil)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			_, err := s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Task: true})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, time.Minute, time.Since(began))
			synctest.Wait()
			assert.Contains(t, peer.Methods(), "tasks/cancel")
		})
	}
}

// TestRemoteToolAsTask: what needs a task is called as one, and its answer says
// nothing of it.
func TestRemoteToolAsTask(t *testing.T) {
	peer := oldPeer().On("tools/list", mcphubtest.Reply(`{"tools":[{"name":"x","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}},`+
		`{"name":"y","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}},{"name":"z","inputSchema":{"type":"object"},"execution":{"taskSupport":"odd"}}]}`)).
		On("tools/call", func(x *mcphubtest.Exchange) {
			if strings.Contains(string(x.Params), `"task"`) {
				x.Reply(`{"task":{"taskId":"t",` + oldWork + `}}`)
			} else {
				x.Reply(`{"content":[{"type":"text","text":"at once"}]}`)
			}
		}).On("tasks/get", oldStands(`"status":"completed"`)...).
		On("tasks/result", mcphubtest.Reply(`{"content":[{"type":"text","text":"as a task"}],`+related+`}`))
	s := hubtest.Connect(t, peer.Transport(client.TransportStdio), nil)
	tools, err := servers.ListTools(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, tools, 3)
	for i, want := range []struct {
		text      string
		there, us toolspec.TaskSupport
	}{{"as a task", toolspec.TaskRequired, toolspec.TaskOptional}, {"at once", toolspec.TaskOptional, toolspec.TaskOptional}, {"at once", toolspec.TaskNever, toolspec.TaskNever}} {
		assert.Equal(t, want.there, tools[i].Task)
		tool := servers.NewRemoteTool(s, tools[i], nil)
		assert.Equal(t, want.us, tool.Definition().Task)
		r, err := tool.Call(t.Context(), &toolspec.Call{})
		require.NoError(t, err)
		require.Nil(t, r.Err)
		assert.Equal(t, want.text, r.Content[0].Text)
		assert.Empty(t, r.Meta)
	}
}

// TestMCPGoTasks calls a tool of mcp-go that wants tasks.
func TestMCPGoTasks(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	far := server.NewMCPServer("far", "1", server.WithTaskCapabilities(true, true, true))
	far.AddTaskTool(mcp.NewTool("slow", mcp.WithTaskSupport(mcp.TaskSupportRequired)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		return &mcp.CreateTaskResult{Content: mcp.NewToolResultText("slowly").Content}, nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(far))
	t.Cleanup(web.Close)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: web.URL + "/mcp"}, nil)
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, &client.DialOptions{Versions: []string{"2025-11-25"}})
	tools, err := servers.ListTools(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, toolspec.TaskRequired, tools[0].Task)
	r, err := servers.NewRemoteTool(s, tools[0], nil).Call(t.Context(), &toolspec.Call{})
	require.NoError(t, err)
	require.Nil(t, r.Err, "%+v", r.Err)
	assert.Equal(t, "slowly", r.Content[0].Text)
}

// TestEverythingTasks calls the task tool of the reference server of the
// TypeScript SDK, which asks in between. See TestEverythingServer.
func TestEverythingTasks(t *testing.T) {
	script := os.Getenv("LOCALPASS_EVERYTHING")
	if script == "" {
		t.Skip("LOCALPASS_EVERYTHING does not name the script of server-everything")
	}
	leak.Check(t)
	tr, err := client.NewStdio(client.StdioConfig{Command: "node", Args: []string{script, "stdio"}}, nil)
	require.NoError(t, err)
	s := hubtest.Connect(t, tr, &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
	tools, err := servers.ListTools(t.Context(), s)
	require.NoError(t, err)
	i := slices.IndexFunc(tools, func(t *servers.OfferedTool) bool { return t.Name == "simulate-research-query" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, toolspec.TaskRequired, tools[i].Task)
	asked := 0
	raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"simulate-research-query","arguments":{"topic":"python","ambiguous":true}}`), &client.CallOptions{Task: true,
		Request: func(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
			asked++
			assert.Equal(t, "elicitation/create", r.Method)
			return json.RawMessage(`{"action":"accept","content":{"interpretation":"snake"}}`), nil
		}})
	require.NoError(t, err)
	assert.Contains(t, string(raw), "snake")
	assert.Equal(t, 1, asked)
}
