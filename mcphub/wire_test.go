package mcphub_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec"
)

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
			var all, one hubtest.WireLog
			s := hubtest.Connect(t, peer.Transport(test.kind), &client.DialOptions{Versions: []string{test.version}, Wire: all.Note})
			assert.Equal(t, test.session, all.Lines())
			_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`),
				&client.CallOptions{Progress: func(toolspec.Progress) {}, Wire: one.Note})
			require.NoError(t, err)
			call := []string{"> tools/call", "< notifications/progress", "< response"}
			assert.Equal(t, call, one.Lines())
			assert.Equal(t, append(test.session, call...), all.Lines())
			_, err = s.Call(t.Context(), "no/such", nil, &client.CallOptions{Wire: one.Note})
			require.Error(t, err)
			assert.Equal(t, append(call, "> no/such", "< response"), one.Lines(), "a refusal is a message too")
			for _, m := range one.All {
				assert.Equal(t, test.kind, m.Kind)
				assert.Equal(t, len(m.Text), m.Size)
				assert.False(t, m.Cut)
				assert.NotEmpty(t, m.At)
				assert.True(t, m.ID != "" || m.Method == "notifications/progress")
			}
			_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`), &client.CallOptions{Progress: func(toolspec.Progress) {}})
			require.NoError(t, err)
			assert.Len(t, one.Lines(), 5, "nobody asked about this one")
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
	var one hubtest.WireLog
	s := hubtest.Connect(t, peer.Transport(client.TransportHTTP), &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
	_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`), &client.CallOptions{Wire: one.Note,
		Request: func(context.Context, client.ServerRequest) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"decline"}`), nil
		}})
	require.NoError(t, err)
	assert.Equal(t, []string{"> tools/call", "< elicitation/create", "> response", "< sampling/createMessage", "> response", "< response"}, one.Lines())
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
	var log hubtest.WireLog
	s := hubtest.Connect(t, tr, &client.DialOptions{Wire: log.Note})
	for range 2 {
		_, err = s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"`+hidden+`"}`), nil)
		require.NoError(t, err)
	}
	assert.NotContains(t, log.Text(), hidden)
	assert.Contains(t, log.Text(), "***")
	large := log.All[len(log.All)-1]
	assert.True(t, large.Cut)
	assert.Greater(t, large.Size, 128<<10)
	assert.LessOrEqual(t, len(large.Text), 64<<10)
	assert.True(t, strings.HasSuffix(large.Text, "ü"), "not cut within a character")
	_, err = s.Call(t.Context(), "tools/call", nil, nil)
	require.ErrorIs(t, err, client.ErrProtocol)
	assert.Equal(t, "<html>not a message", log.All[len(log.All)-1].Text)
}

// A hub in this process is told of too.
func TestWireInProcess(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		var log hubtest.WireLog
		s := hubtest.Connect(t, h.InProcess(nil), &client.DialOptions{Versions: []string{version}, Wire: log.Note})
		_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"text":"hi"}}`), nil)
		require.NoError(t, err)
		lines := log.Lines()
		assert.Equal(t, []string{"> tools/call", "< response"}, lines[len(lines)-2:])
		require.NoError(t, s.Close())
	}
	require.NoError(t, h.Close())
}
