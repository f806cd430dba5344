package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// doubler returns a spec that passes.
func doubler(name string) jsonObject {
	return jsonObject{
		"name": name, "description": "Doubles a number. Use it when somebody wants twice of something.", "category": "MATH", "tags": []string{"util"}, "codeType": "Javascript",
		"params":           []jsonObject{{"name": "n", "description": "The number, such as 2.", "required": true, "type": "NUMBER", "testValue": "2"}},
		"sandboxOverrides": jsonObject{"networkMode": "blocked", "fileRead": false, "fileWrite": false},
		"x-tests":          []jsonObject{{"name": "twice", "args": jsonObject{"n": 2}, "want": jsonObject{"twice": 4}}},
		"code":             "return { twice: n * 2 };\n",
	}
}

// publish stores, tests and publishes a tool.
func (w *playground) publish(spec jsonObject) (id string) {
	w.t.Helper()
	tool := w.must(http.StatusCreated, "POST", "/api/tools", spec)
	id = tool["id"].(string)
	status, _, run := w.do("POST", "/api/tools/"+id+"/runs?wait=1", struct{}{})
	require.Equal(w.t, "passed", run["state"], "%d %v", status, run)
	w.must(http.StatusOK, "POST", "/api/tools/"+id+"/publish", jsonObject{"receipt": run["receipt"].(jsonObject)["id"], "confirm": true})
	return id
}

// run tests a tool and returns the run.
func (w *playground) run(id string) jsonObject {
	w.t.Helper()
	_, _, run := w.do("POST", "/api/tools/"+id+"/runs?wait=1", struct{}{})
	return run
}

// stateOf says how the API, its list and the MCP endpoint show a tool, and whether a call
// runs it.
func (w *playground) stateOf(id, name string) string {
	tool := w.get("/api/tools/" + id)
	row := "not listed"
	list := w.get("/api/tools?limit=200")
	for _, it := range list["items"].([]any) {
		if one := it.(jsonObject); one["id"] == id {
			row = fmt.Sprint(one["state"], " ", one["live"])
		}
	}
	_, offered := w.listTools()
	called := w.callTool(name, jsonObject{"n": 2})
	return fmt.Sprintf("tool %v %v, row %s, offered %t, runs %t", tool["state"], tool["live"], row,
		strings.Contains(offered, `"name":"`+name+`"`), strings.Contains(called, `"result"`) && !strings.Contains(called, `"isError":true`))
}

// wantState is what stateOf returns if all agree on the state.
func wantState(state string, live bool) string {
	return fmt.Sprintf("tool %s %t, row %s %t, offered %t, runs %t", state, live, state, live, live, live)
}

// waitForState waits until stateOf a tool is as wanted.
func (w *playground) waitForState(id, name, want string) {
	w.t.Helper()
	var got string
	require.Eventually(w.t, func() bool {
		got = w.stateOf(id, name)
		return got == want
	}, patience, 20*time.Millisecond, "want %s", want)
}

// serveTool serves a tool of another server under an alias, with its current definition
// approved.
func (w *playground) serveTool(server, tool, alias string) {
	w.t.Helper()
	member := w.must(http.StatusOK, "POST", "/api/mcp/compositions", jsonObject{"serverId": server, "toolName": tool, "alias": alias})
	member = w.must(http.StatusOK, "POST", "/api/mcp/compositions/approve", jsonObject{"serverId": server, "toolName": tool, "fingerprint": member["fingerprint"]})
	require.Equal(w.t, "served", member["state"])
}

// noteServer starts a fake MCP server with the tool remember, and counts its calls.
func noteServer(t *testing.T, calls *atomic.Int32) (url string, peer *mcphubtest.Peer) {
	t.Helper()
	peer = mcphubtest.NewPeer(&mcphubtest.PeerOptions{Capabilities: `{"tools":{}}`})
	peer.On("tools/list", func(x *mcphubtest.Exchange) {
		x.Reply(`{"tools":[{"name":"remember","description":"Remembers a note.","inputSchema":{"type":"object","properties":{"note":{"type":"string"}},"required":["note"]}}]}`)
	})
	peer.On("tools/call", func(x *mcphubtest.Exchange) {
		calls.Add(1)
		x.Reply(`{"content":[{"type":"text","text":"noted"}]}`)
	})
	s := httptest.NewServer(peer)
	t.Cleanup(s.Close)
	return s.URL, peer
}

// peerServer is a real MCP server with the tool paintFence, which counts its calls.
type peerServer struct {
	url   string
	calls atomic.Int64
}

type fenceColour struct {
	Colour string `json:"colour"`
}

func newPeerServer(t *testing.T) *peerServer {
	t.Helper()
	p := &peerServer{}
	hub, err := mcphub.New(&mcphub.Options{Store: memory.New()})
	require.NoError(t, err)
	tool, err := toolspec.Func("paintFence", "Paint the garden fence in a colour.", func(_ context.Context, in fenceColour) (string, error) {
		p.calls.Add(1)
		return "the fence is " + in.Colour + " now", nil
	}, nil)
	require.NoError(t, err)
	pass, err := studio.Certify(t.Context(), tool, []toolspec.Case{{Args: json.RawMessage(`{"colour":"red"}`), Want: json.RawMessage(`"the fence is red now"`)}}, nil)
	require.NoError(t, err)
	require.NoError(t, hub.Add(pass))
	require.NoError(t, hub.SetExposure(t.Context(), mcphub.Exposure{AutoAdd: true}))
	s := httptest.NewServer(hub.Handler())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		require.NoError(t, hub.Close())
	})
	p.url = s.URL + mcphub.Path
	p.calls.Store(0)
	return p
}

// compose connects to the peer and serves its tool, approved.
func (w *playground) compose(p *peerServer, versions ...string) {
	w.t.Helper()
	record := jsonObject{"id": "painter", "transport": "http", "connection": jsonObject{"url": p.url}}
	if len(versions) > 0 {
		record["protocolVersions"] = versions
	}
	w.must(http.StatusCreated, "POST", "/api/mcp/servers", record)
	status, _, got := w.do("POST", "/api/mcp/servers/painter/connect", struct{}{})
	require.Less(w.t, status, 300, "%v", got)
	var member jsonObject
	require.Eventually(w.t, func() bool {
		status, _, member = w.do("POST", "/api/mcp/compositions", jsonObject{"serverId": "painter", "toolName": "paintFence"})
		fingerprint, _ := member["fingerprint"].(string)
		return status < 300 && fingerprint != ""
	}, patience, 20*time.Millisecond, "%v", member)
	status, _, got = w.do("POST", "/api/mcp/compositions/approve", jsonObject{"serverId": "painter", "toolName": "paintFence", "fingerprint": member["fingerprint"]})
	require.Less(w.t, status, 300, "%v", got)
}

// fakeModels starts a fake OpenAI-compatible server with one model.
func fakeModels(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"small","object":"model"}]}`))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"id":"x","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// model waits until the model on the first page is in a state.
func (w *playground) model(state string) jsonObject {
	w.t.Helper()
	var m jsonObject
	require.Eventually(w.t, func() bool {
		home := w.get("/api/home")
		m = home["model"].(jsonObject)
		return m["state"] == state
	}, patience, 10*time.Millisecond, "the model becomes %s", state)
	return m
}

// ask runs a turn in a new conversation and returns the conversation.
func (w *playground) ask(text string) jsonObject {
	w.t.Helper()
	conv := w.must(http.StatusCreated, "POST", "/api/conversations", jsonObject{})
	path := "/api/conversations/" + conv["id"].(string)
	w.must(http.StatusAccepted, "POST", path+"/turns", jsonObject{"text": text}, "Accept: application/json")
	var got jsonObject
	require.Eventually(w.t, func() bool {
		got = w.get(path)
		return got["turnId"] == nil
	}, patience, 10*time.Millisecond)
	return got
}

func lastText(conv jsonObject) string {
	all := conv["messages"].([]any)
	return all[len(all)-1].(jsonObject)["content"].(string)
}

// askUntilApproval starts a turn in a new conversation and waits for its approval request.
func (w *playground) askUntilApproval(text string) (conversation, turn, approvalID string) {
	w.t.Helper()
	conv := w.must(http.StatusCreated, "POST", "/api/conversations", jsonObject{})
	conversation = conv["id"].(string)
	begun := w.must(http.StatusAccepted, "POST", "/api/conversations/"+conversation+"/turns", jsonObject{"text": text}, "Accept: application/json")
	turn = begun["turnId"].(string)
	events := w.api.Open("/api/turns/" + turn + "/events")
	defer time.AfterFunc(patience, events.Close).Stop()
	defer events.Close()
	return conversation, turn, events.Until("approval.required").Data["data"].(jsonObject)["approvalId"].(string)
}

// waitForTurn waits until no turn of a conversation runs or waits, and returns the
// conversation.
func (w *playground) waitForTurn(conversation string) jsonObject {
	w.t.Helper()
	var got jsonObject
	require.Eventually(w.t, func() bool {
		got = w.get("/api/conversations/" + conversation)
		return got["turnId"] == nil
	}, patience, 20*time.Millisecond, "the turn goes on by itself and ends")
	return got
}

func onlyCall(t *testing.T, conv jsonObject) jsonObject {
	t.Helper()
	calls, _ := conv["toolCalls"].([]any)
	require.Len(t, calls, 1, "%v", conv)
	return calls[0].(jsonObject)
}

// search returns the results of a search.
func (w *playground) search(query string) (out []jsonObject) {
	w.t.Helper()
	list := w.must(http.StatusOK, "GET", "/api/search?"+query, nil)
	for _, it := range list["items"].([]any) {
		out = append(out, it.(jsonObject))
	}
	return out
}

func (w *playground) traces(query string) []any {
	w.t.Helper()
	page := w.must(http.StatusOK, "GET", "/api/observe/traces?win=all&"+query, nil)
	return page["items"].([]any)
}
