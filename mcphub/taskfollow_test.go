package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// TestFollowAHubsTask: what is a task between two hubs is a call for who calls.
func TestFollowAHubsTask(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	// The time is up once the client has asked how the task stands: before, it knows
	// of none that it could cancel.
	limited := hubtest.Timed{Context: t.Context(), Up: make(chan struct{})}
	up := sync.OnceFunc(func() { close(limited.Up) })
	var hangs atomic.Bool
	ctxEnded := make(chan struct{})
	h := hubtest.NewHub(t, &mcphub.Options{Tasks: mcphub.TaskOptions{After: 20 * time.Millisecond, Poll: 30 * time.Millisecond}},
		taskTool{support: toolspec.TaskRequired, do: func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
			first, err := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "early"})
			time.Sleep(100 * time.Millisecond)
			second, err2 := call.Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "late"})
			return toolspec.TextResult(show(first, err) + show(second, err2)), nil
		}}.pass(t, "ask"),
		taskTool{support: toolspec.TaskOptional, do: func(ctx context.Context, _ *toolspec.Call) (*toolspec.Result, error) {
			hangs.Store(true)
			<-ctx.Done()
			close(ctxEnded)
			return nil, ctx.Err()
		}}.pass(t, "hang"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.Handler().ServeHTTP(w, r); hangs.Load() && r.Header.Get("Mcp-Method") == "tasks/get" {
			up()
		}
	}))
	t.Cleanup(server.Close)
	overHTTP, err := client.NewHTTP(client.HTTPConfig{URL: server.URL + "/mcp"}, nil)
	require.NoError(t, err)
	var asked []string
	answer := func(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
		var p struct{ Message string }
		_ = json.Unmarshal(r.Params, &p)
		asked = append(asked, p.Message)
		return json.RawMessage(accepting), nil
	}
	for _, tr := range []client.Transport{overHTTP, h.InProcess(nil)} {
		asked = nil
		s := hubtest.Connect(t, tr, &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
		assert.Contains(t, s.Info().Capabilities.Extensions, "io.modelcontextprotocol/tasks")
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"ask"}`), &client.CallOptions{Rounds: 5, Request: answer})
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count(string(raw), "accept"))
		assert.Equal(t, []string{"early", "late"}, asked)

		// Without rounds the questions are handed out, and the call goes on with Retry.
		_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"ask"}`), nil)
		for range 2 {
			var need *client.InputRequired
			require.ErrorAs(t, err, &need)
			answers := map[string]json.RawMessage{}
			for key := range need.Requests {
				answers[key] = json.RawMessage(`{"action":"decline"}`)
			}
			raw, err = need.Retry(t.Context(), answers)
		}
		require.NoError(t, err)
		assert.Equal(t, 2, strings.Count(string(raw), "decline"))
	}
	s := hubtest.Connect(t, overHTTP, nil)
	_, err = s.Call(limited, "tools/call", json.RawMessage(`{"name":"hang"}`), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ended(t, ctxEnded)
}

// TestFollowOutlivesARequest: the limit of a request is not that of a task.
func TestFollowOutlivesARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hubtest.NewHub(t, nil, sleeping(toolspec.TaskOptional, 5*time.Minute).pass(t, "slow"), sleeping(toolspec.TaskNever, 20*time.Second).pass(t, "plain"))
		conns := hubtest.Connections(t, hubtest.Fakes{"hub": h.InProcess(nil)}, nil)
		require.NoError(t, conns.Connect(t.Context(), "hub"))
		snapshot := conns.Snapshot("hub")
		for tool, want := range map[string]string{"slow": "", "plain": toolspec.ReasonDeadline} {
			up := snapshot.Tool(tool)
			require.NotNil(t, up)
			assert.Equal(t, toolspec.TaskOptional, up.Task, "any call may become a task there")
			remote := servers.NewRemoteTool(conns.Caller("hub"), up, nil)
			assert.Equal(t, toolspec.TaskOptional, remote.Definition().Task)
			r, err := remote.Call(t.Context(), &toolspec.Call{})
			require.NoError(t, err)
			if want == "" {
				require.Nil(t, r.Err)
				assert.Equal(t, "done", r.Content[0].Text)
			} else {
				require.NotNil(t, r.Err)
				assert.Equal(t, want, r.Err.Reason)
			}
		}
		up := *snapshot.Tool("slow")
		r, err := servers.NewRemoteTool(conns.Caller("hub"), &up, &servers.RemoteToolOptions{Timeout: time.Minute}).Call(t.Context(), &toolspec.Call{})
		require.NoError(t, err)
		require.NotNil(t, r.Err)
		assert.Equal(t, toolspec.ReasonDeadline, r.Err.Reason, "its own limit bounds the whole")
	})
}

const working = `"status":"working","createdAt":"2026-07-28T00:00:00Z","lastUpdatedAt":"2026-07-28T00:00:00Z","ttlMs":null`

// stands answers tasks/get with these members, one after the other.
func stands(states ...string) []mcphubtest.Reaction {
	var all []mcphubtest.Reaction
	for _, s := range states {
		all = append(all, mcphubtest.Reply(`{"resultType":"complete","taskId":"t","pollIntervalMs":1,`+s+`}`))
	}
	return all
}

// TestFollowOddServers: what servers answer about their tasks, and what comes of
// it.
func TestFollowOddServers(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	question := `"status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"?"}}}`
	for _, tt := range []struct {
		name   string
		states []mcphubtest.Reaction
		want   string // the result, or a part of the error
		seen   string // the methods after the call
		is     error
	}{
		{"completes", stands(working, `"status":"completed","result":{"content":[],"big":12345678901234567890}`), `{"content":[],"big":12345678901234567890}`, "tasks/get tasks/get", nil},
		{"fails", stands(`"status":"failed","error":{"code":-7,"message":"no luck"}`), "no luck (-7)", "tasks/get", nil},
		{"is cancelled there", stands(`"status":"cancelled","statusMessage":"by the operator"`), "the server cancelled the task: by the operator", "tasks/get", nil},
		{"has no result", stands(`"status":"completed"`), "without a result", "tasks/get tasks/cancel", client.ErrProtocol},
		{"is somewhere else", stands(`"status":"dreaming"`), "dreaming", "tasks/get tasks/cancel", client.ErrProtocol},
		{"is forgotten", []mcphubtest.Reaction{mcphubtest.Refuse(-32602, "no such task")}, "no such task", "tasks/get", nil},
		{"asks the same twice", stands(question, question, `"status":"completed","result":{"done":true}`), `{"done":true}`, "tasks/get tasks/update tasks/get tasks/get", nil},
		{"asks more than once", stands(question, strings.Replace(question, `"k"`, `"l"`, 1), `"status":"completed","result":{}`), `{}`, "tasks/get tasks/update tasks/get tasks/update tasks/get", nil},
		{"asks too often", stands(question, strings.Replace(question, `"k"`, `"l"`, 1), strings.Replace(question, `"k"`, `"m"`, 1)), "needs answers first", "tasks/get tasks/update tasks/get tasks/update tasks/get tasks/cancel", nil},
		{"asks what is not declared", stands(strings.Replace(question, "elicitation/create", "roots/list", 1)), "cannot be answered", "tasks/get tasks/cancel", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cancelled := make(chan struct{}, 1)
			peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Reply(`{"resultType":"task","taskId":"t","pollIntervalMs":1,`+working+`}`)).
				On("tasks/get", tt.states...).On("tasks/update", mcphubtest.Reply(`{"resultType":"complete"}`)).
				On("tasks/cancel", func(x *mcphubtest.Exchange) { x.Reply(`{"resultType":"complete"}`); cancelled <- struct{}{} })
			s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
			raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Rounds: 2, Request: hubtest.Answer})
			if err == nil {
				assert.Equal(t, tt.want, string(raw))
			} else {
				assert.ErrorContains(t, err, tt.want)
				if tt.is != nil {
					assert.ErrorIs(t, err, tt.is)
				}
			}
			if strings.Contains(tt.seen, "cancel") {
				select {
				case <-cancelled:
				case <-time.After(hubtest.Patience):
					t.Fatal("it is not cancelled")
				}
			}
			methods := peer.Methods()
			assert.Equal(t, tt.seen, strings.Join(methods[slices.Index(methods, "tools/call")+1:], " "))
			for _, m := range peer.Seen() {
				if strings.HasPrefix(m.Method, "tasks/") {
					assert.Equal(t, "t", m.Header.Get("Mcp-Name"))
				}
			}
		})
	}
	for name, tt := range map[string]struct {
		then []mcphubtest.Reaction
		want string
	}{
		"it has ended": {stands(question, `"status":"completed","result":{"ok":1}`), ""},
		"it has not":   {stands(question), "too late"},
	} { // an answer that the server refuses
		peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Reply(`{"resultType":"task","taskId":"t","pollIntervalMs":1,`+working+`}`)).
			On("tasks/get", tt.then...).On("tasks/update", mcphubtest.Refuse(-32602, "too late")).On("tasks/cancel", mcphubtest.Reply(`{}`))
		s := hubtest.Connect(t, peer.Transport(client.TransportStdio), &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Rounds: 2, Request: hubtest.Answer})
		if tt.want == "" {
			require.NoError(t, err, name)
			assert.Equal(t, `{"ok":1}`, string(raw))
		} else {
			assert.ErrorContains(t, err, tt.want, name)
		}
	}
	for method, reply := range map[string]string{"tools/call": `{"resultType":"task"}`, "prompts/get": `{"resultType":"task","taskId":"t",` + working + `}`} {
		s := hubtest.Connect(t, mcphubtest.NewPeer(nil).On(method, mcphubtest.Reply(reply)).Transport(client.TransportHTTP), nil)
		raw, err := s.Call(t.Context(), method, json.RawMessage(hubtest.CallX), nil)
		if method == "tools/call" { // nothing that could be followed
			require.NoError(t, err)
			assert.Equal(t, reply, string(raw))
		} else {
			assert.ErrorIs(t, err, client.ErrProtocol, "%s knows no tasks", method)
		}
	}
}

// TestFollowThroughBreaks: a task outlives connections.
func TestFollowThroughBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int64
		bad := func(x *mcphubtest.Exchange) {
			tries.Add(1)
			x.Status(502, "")
		}
		peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Reply(`{"resultType":"task","taskId":"t",`+working+`}`)).
			On("tasks/get", append([]mcphubtest.Reaction{bad, bad, bad, bad}, append(stands(`"status":"completed","result":{"ok":1}`), bad)...)...)
		s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), nil)
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), nil)
		require.NoError(t, err)
		assert.Equal(t, `{"ok":1}`, string(raw))
		assert.EqualValues(t, 4, tries.Load())
		_, err = s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), nil)
		var conn *client.ConnError
		require.ErrorAs(t, err, &conn)
		assert.EqualValues(t, 9, tries.Load(), "not for ever")
	})
}

// TestFollowEndsByItself: a task without end is left after an hour.
func TestFollowEndsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, interval := range []string{"0", "-1", "60000", `"x"`, "0.001", "1e300"} {
			peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Reply(`{"resultType":"task","taskId":"t",`+working+`}`)).
				On("tasks/get", mcphubtest.Reply(fmt.Sprintf(`{"taskId":"t","pollIntervalMs":%s,%s}`, interval, working)))
			s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), nil)
			began := time.Now()
			ctx, cancel := context.Background(), func() {}
			if interval == "0.001" {
				ctx, cancel = context.WithTimeout(ctx, time.Minute)
			}
			_, err := s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), nil)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			took, polls := time.Since(began), 0
			for _, m := range peer.Methods() {
				if m == "tasks/get" {
					polls++
				}
			}
			synctest.Wait()
			assert.Contains(t, peer.Methods(), "tasks/cancel")
			switch interval {
			case "0", "-1", `"x"`:
				assert.InDelta(t, 3600, polls, 2)
				assert.Equal(t, time.Hour, took)
			case "0.001":
				assert.InDelta(t, 3000, polls, 60, "not more often than every 20 ms")
			default:
				assert.InDelta(t, 120, polls, 2, "not less often than every 30 s")
			}
		}
	})
}
