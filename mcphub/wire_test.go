package mcphub_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec"
)

// wireLog keeps what a tap is told of.
type wireLog struct {
	mu  sync.Mutex
	all []client.WireMessage
}

func (l *wireLog) note(m client.WireMessage) {
	l.mu.Lock()
	l.all = append(l.all, m)
	l.mu.Unlock()
}

// lines are "> method" for what was sent, "< method" for what came; a response
// has its id in place of the method.
func (l *wireLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []string{}
	for _, m := range l.all {
		arrow, what := "<", m.Method
		if m.Sent {
			arrow = ">"
		}
		if what == "" {
			what = "response"
		}
		out = append(out, arrow+" "+what)
	}
	return out
}

func (l *wireLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, m := range l.all {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// What passes on every transport is told, of the session and of the one call.
func TestWire(t *testing.T) {
	for _, test := range []struct {
		name    string
		kind    client.TransportKind
		version string
		session []string
	}{
		{"http, session", client.TransportHTTP, "2025-11-25", []string{"> initialize", "< response", "> notifications/initialized"}},
		{"http, stateless", client.TransportHTTP, "2026-07-28", []string{"> server/discover", "< response"}},
		{"sse", client.TransportSSE, "2025-06-18", []string{"> initialize", "< response", "> notifications/initialized"}},
		{"stdio, session", client.TransportStdio, "2025-11-25", []string{"> initialize", "< response", "> notifications/initialized"}},
		{"stdio, stateless", client.TransportStdio, "2026-07-28", []string{"> server/discover", "< response"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			leak.Check(t)
			peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{test.version}, SSE: test.kind == client.TransportSSE})
			peer.On("tools/call", func(x *mcphubtest.Exchange) {
				var params struct {
					Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
				}
				_ = json.Unmarshal(x.Params, &params)
				x.Notify("notifications/progress", `{"progressToken":`+string(params.Meta.ProgressToken)+`,"progress":1}`)
				x.Reply(`{"content":[]}`)
			})
			var all, one wireLog
			s := hubtest.Connect(t, peer.Transport(test.kind), &client.DialOptions{Versions: []string{test.version}, Wire: all.note})
			assert.Equal(t, test.session, all.lines())
			_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`),
				&client.CallOptions{Progress: func(toolspec.Progress) {}, Wire: one.note})
			require.NoError(t, err)
			call := []string{"> tools/call", "< notifications/progress", "< response"}
			assert.Equal(t, call, one.lines())
			assert.Equal(t, append(test.session, call...), all.lines())
			_, err = s.Call(t.Context(), "no/such", nil, &client.CallOptions{Wire: one.note})
			require.Error(t, err)
			assert.Equal(t, append(call, "> no/such", "< response"), one.lines(), "a refusal is a message too")
			for _, m := range one.all {
				assert.Equal(t, test.kind, m.Kind)
				assert.Equal(t, len(m.Text), m.Size)
				assert.False(t, m.Cut)
				assert.NotEmpty(t, m.At)
				assert.True(t, m.ID != "" || m.Method == "notifications/progress")
			}
			_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`), &client.CallOptions{Progress: func(toolspec.Progress) {}})
			require.NoError(t, err)
			assert.Len(t, one.lines(), 5, "nobody asked about this one")
		})
	}
}

// A question within a call, and its answer, belong to it.
func TestWireQuestion(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2025-11-25"}}).On("tools/call", func(x *mcphubtest.Exchange) {
		_, _ = x.Ask("elicitation/create", `{"message":"?"}`)
		_, _ = x.Ask("sampling/createMessage", `{}`)
		x.Reply(`{"content":[]}`)
	})
	var one wireLog
	s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
	_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`), &client.CallOptions{Wire: one.note,
		Request: func(context.Context, client.ServerRequest) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"decline"}`), nil
		}})
	require.NoError(t, err)
	assert.Equal(t, []string{"> tools/call", "< elicitation/create", "> response", "< sampling/createMessage", "> response", "< response"}, one.lines())
}

// Secrets of the connection are masked, what is large is cut, and what is no
// message is told of as it came.
func TestWireText(t *testing.T) {
	leak.Check(t)
	const hidden = "s3cr3t-value"
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2025-11-25"}}).
		On("tools/call", mcphubtest.Reply(`{"content":[{"type":"text","text":"`+hidden+`"}]}`), mcphubtest.Reply(`{"text":"`+strings.Repeat("ü", 64<<10)+`"}`), mcphubtest.Garbage())
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp", Headers: map[string]string{"X-Key": hidden}},
		&client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	var log wireLog
	s := hubtest.Connect(t, tr, &client.DialOptions{Wire: log.note})
	for range 2 {
		_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"`+hidden+`"}`), nil)
		require.NoError(t, err)
	}
	assert.NotContains(t, log.text(), hidden)
	assert.Contains(t, log.text(), "***")
	large := log.all[len(log.all)-1]
	assert.True(t, large.Cut)
	assert.Greater(t, large.Size, 128<<10)
	assert.LessOrEqual(t, len(large.Text), 64<<10)
	assert.True(t, strings.HasSuffix(large.Text, "ü"), "not cut within a character")
	_, err = s.Call(t.Context(), "tools/call", nil, nil)
	require.ErrorIs(t, err, client.ErrProtocol)
	assert.Equal(t, "<html>not a message", log.all[len(log.all)-1].Text)
}

// A hub in this process is told of too.
func TestWireInProcess(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		var log wireLog
		s := hubtest.Connect(t, h.InProcess(nil), &client.DialOptions{Versions: []string{version}, Wire: log.note})
		_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"text":"hi"}}`), nil)
		require.NoError(t, err)
		lines := log.lines()
		assert.Equal(t, []string{"> tools/call", "< response"}, lines[len(lines)-2:])
		require.NoError(t, s.Close())
	}
	require.NoError(t, h.Close())
}
