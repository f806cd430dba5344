package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

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

// compose connects to the peer and serves its tool.
func (w *world) compose(p *peerServer, versions ...string) {
	w.t.Helper()
	record := map[string]any{"id": "painter", "transport": "http", "connection": map[string]any{"url": p.url}}
	if len(versions) > 0 {
		record["protocolVersions"] = versions
	}
	status, _, got := w.do("POST", "/api/mcp/servers", record)
	require.Equal(w.t, http.StatusCreated, status, "%v", got)
	status, _, got = w.do("POST", "/api/mcp/servers/painter/connect", struct{}{})
	require.Less(w.t, status, 300, "%v", got)
	var member map[string]any
	require.Eventually(w.t, func() bool {
		status, _, member = w.do("POST", "/api/mcp/compositions", map[string]any{"serverId": "painter", "toolName": "paintFence"})
		fingerprint, _ := member["fingerprint"].(string)
		return status < 300 && fingerprint != ""
	}, patience, 20*time.Millisecond, "%v", member)
	status, _, got = w.do("POST", "/api/mcp/compositions/approve", map[string]any{"serverId": "painter", "toolName": "paintFence", "fingerprint": member["fingerprint"]})
	require.Less(w.t, status, 300, "%v", got)
}

// asks puts a question and waits until a person is asked about the call.
func (w *world) asks(text string) (conversation, turn, approvalID string) {
	w.t.Helper()
	status, _, conv := w.do("POST", "/api/conversations", map[string]any{})
	require.Equal(w.t, http.StatusCreated, status)
	conversation = conv["id"].(string)
	status, _, begun := w.do("POST", "/api/conversations/"+conversation+"/turns", map[string]any{"text": text}, "Accept", "application/json")
	require.Equal(w.t, http.StatusAccepted, status, "%v", begun)
	turn = begun["turnId"].(string)
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", w.url+"/api/turns/"+turn+"/events", nil)
	require.NoError(w.t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(w.t, err)
	defer res.Body.Close()
	said := bufio.NewScanner(res.Body)
	said.Buffer(nil, 1<<20)
	for said.Scan() { // what is told is stored
		var event struct {
			Type string
			Data struct{ ApprovalID string }
		}
		data, ok := strings.CutPrefix(said.Text(), "data: ")
		if ok && json.Unmarshal([]byte(data), &event) == nil && event.Type == "approval.required" {
			return conversation, turn, event.Data.ApprovalID
		}
	}
	require.Fail(w.t, "nobody is asked about the call", "%v", said.Err())
	return "", "", ""
}

// settled waits until no turn of a conversation runs or waits.
func (w *world) settled(conversation string) map[string]any {
	w.t.Helper()
	var got map[string]any
	require.Eventually(w.t, func() bool {
		_, _, got = w.do("GET", "/api/conversations/"+conversation, nil)
		return got["turnId"] == nil
	}, patience, 20*time.Millisecond, "the turn goes on by itself and ends")
	return got
}

func oneCall(t *testing.T, conv map[string]any) map[string]any {
	t.Helper()
	calls, _ := conv["toolCalls"].([]any)
	require.Len(t, calls, 1, "%v", conv)
	return calls[0].(map[string]any)
}

// The child's side: a playground that serves until it is killed.
func TestCarryOnHelper(t *testing.T) {
	home := os.Getenv("LOCALPASS_TEST_CARRY_ON")
	if home == "" {
		return // not the child
	}
	s, err := server.New(context.Background(), &server.Options{Config: configured(t, home, "-profile", "demo")})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(context.Background(), l) }()
	fmt.Println("at http://" + l.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the end
	require.NoError(t, s.Close())
}

// killable is a playground in a process of its own. kill is kill -9.
func killable(t *testing.T, home string) (w *world, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCarryOnHelper$")
	cmd.Env = append(os.Environ(), "LOCALPASS_TEST_CARRY_ON="+home)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	ended := false
	kill = func() {
		if ended {
			return
		}
		ended = true
		require.NoError(t, cmd.Process.Kill())
		assert.Error(t, cmd.Wait())
		_ = stdin.Close()
	}
	t.Cleanup(kill)
	said := bufio.NewScanner(stdout)
	for said.Scan() {
		if url, ok := strings.CutPrefix(said.Text(), "at "); ok {
			return &world{t: t, url: url}, kill
		}
	}
	t.Fatal("the playground did not start")
	return nil, nil
}

// A playground is killed while a turn waits for the approval of another server's
// tool. After the restart an approval by way of the API is enough: the turn goes on
// by itself, and the tool, which nobody changed, runs once.
func TestChatCarriesOnAfterAKill(t *testing.T) {
	t.Parallel()
	peer := newPeerServer(t)
	home := t.TempDir()
	child, kill := killable(t, home)
	child.compose(peer)
	conversation, _, asked := child.asks("Use the tool painter_paintFence with the colour green.")
	kill()
	require.Zero(t, peer.calls.Load())

	w := serve(t, &server.Options{Config: configured(t, home, "-profile", "demo")})
	status, _, got := w.do("POST", "/api/approvals/"+asked, map[string]any{"decision": "approved", "confirmName": "painter_paintFence"})
	require.Equal(t, http.StatusOK, status, "%v", got)
	call := oneCall(t, w.settled(conversation))
	assert.Equal(t, "COMPLETED", call["state"], "%v", call)
	assert.Contains(t, call["result"], "the fence is")
	assert.EqualValues(t, 1, peer.calls.Load())
	assert.Contains(t, call["because"], "approved by local via http")
	_, _, item := w.do("GET", "/api/approvals/"+asked, nil)
	assert.Equal(t, call["because"], item["because"])
}
