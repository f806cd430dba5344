package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

var versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// TestNegotiation pairs clients and servers of every version.
func TestNegotiation(t *testing.T) {
	leak.Check(t)
	for _, kind := range append(hubtest.NetworkKinds, client.TransportSSE) {
		for i := range versions {
			for j := range versions {
				// Each side knows its version and those before it.
				want := versions[max(i, j)]
				sse := kind == client.TransportSSE
				if sse {
					want = versions[max(i, j, 1)]
				}
				peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: versions[j:], SSE: sse})
				tr := peer.Transport(kind)
				opts := &client.DialOptions{Versions: versions[i:]}
				for range 2 {
					s := hubtest.Connect(t, tr, opts)
					info := s.Info()
					assert.Equal(t, want, info.Version, "%s: %s meets %s", kind, versions[i], versions[j])
					assert.Equal(t, client.Identity{Name: "peer", Title: "A peer", Version: "1.2.3"}, info.Server)
					assert.Equal(t, "Ask away.", info.Instructions)
					assert.True(t, info.Capabilities.Tools && info.Capabilities.ToolsChanged)
					require.NoError(t, client.Ping(t.Context(), s))
					require.NoError(t, s.Close())
				}
				probes := strings.Count(strings.Join(peer.Methods(), " "), "server/discover")
				switch {
				case sse || i > 0:
					assert.Zero(t, probes)
				case j > 0:
					assert.Equal(t, 1, probes, "what was learnt is remembered")
				}
			}
		}
		// An old server and a client that does not go so far back.
		peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: versions[3:], SSE: kind == client.TransportSSE})
		_, err := peer.Transport(kind).Dial(t.Context(), &client.DialOptions{Versions: versions[1:3]})
		require.ErrorIs(t, err, client.ErrUnsupportedProtocol, kind)
		hubtest.Classed(t, err, client.ConnProtocol)
		_, err = peer.Transport(kind).Dial(t.Context(), &client.DialOptions{Versions: versions[:1]})
		require.ErrorIs(t, err, client.ErrUnsupportedProtocol, kind)
	}
}

// TestNegotiationOddities meets servers that answer in ways of their own.
func TestNegotiationOddities(t *testing.T) {
	leak.Check(t)
	discovered := `{"supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"odd"}}`
	unsupported := func(supported string) mcphubtest.Reaction {
		return func(x *mcphubtest.Exchange) { x.Refuse(-32022, "Unsupported", `{"supported":`+supported+`}`) }
	}
	for name, tt := range map[string]struct {
		method string
		does   []mcphubtest.Reaction
		want   string
		err    error
	}{
		"answers anything":             {"server/discover", []mcphubtest.Reaction{mcphubtest.Reply(`{}`)}, "2025-11-25", nil},
		"says who it is at the top":    {"server/discover", []mcphubtest.Reaction{mcphubtest.Reply(discovered)}, "2026-07-28", nil},
		"refuses the probe":            {"server/discover", []mcphubtest.Reaction{mcphubtest.Refuse(-32602, "before initialize")}, "2025-11-25", nil},
		"refuses the version once":     {"server/discover", []mcphubtest.Reaction{unsupported(`["2026-07-28"]`), mcphubtest.Reply(discovered)}, "2026-07-28", nil},
		"refuses the version always":   {"server/discover", []mcphubtest.Reaction{unsupported(`["2026-07-28"]`)}, "", client.ErrUnsupportedProtocol},
		"names older versions":         {"server/discover", []mcphubtest.Reaction{unsupported(`["2025-06-18"]`)}, "2025-11-25", nil},
		"offers older versions":        {"server/discover", []mcphubtest.Reaction{mcphubtest.Reply(`{"supportedVersions":["2025-06-18"]}`)}, "2025-11-25", nil},
		"names unknown versions":       {"server/discover", []mcphubtest.Reaction{unsupported(`["1999-01-01"]`)}, "", client.ErrUnsupportedProtocol},
		"asks for a capability":        {"server/discover", []mcphubtest.Reaction{mcphubtest.Refuse(-32021, "elicitation")}, "", &client.RPCError{}},
		"refuses initialize's version": {"initialize", []mcphubtest.Reaction{func(x *mcphubtest.Exchange) { x.Refuse(-32602, "version", `{"supported":["2024-11-05"]}`) }, mcphubtest.Reply(`{"protocolVersion":"2024-11-05"}`)}, "2024-11-05", nil},
		"answers with a future one":    {"initialize", []mcphubtest.Reaction{mcphubtest.Reply(`{"protocolVersion":"2031-01-01"}`)}, "", client.ErrUnsupportedProtocol},
		"refuses initialize":           {"initialize", []mcphubtest.Reaction{mcphubtest.Refuse(-32603, "no")}, "", &client.RPCError{}},
		"introduces itself badly":      {"initialize", []mcphubtest.Reaction{mcphubtest.Reply(`[]`)}, "", client.ErrUnsupportedProtocol},
	} {
		for _, kind := range hubtest.NetworkKinds {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				peer := mcphubtest.NewPeer(nil)
				if tt.method == "initialize" {
					peer.On("server/discover", mcphubtest.Refuse(-32601, "unknown"))
				}
				peer.On(tt.method, tt.does...)
				s, err := peer.Transport(kind).Dial(t.Context(), nil)
				if tt.err != nil {
					var refused *client.RPCError
					if !errors.As(tt.err, &refused) {
						require.ErrorIs(t, err, tt.err)
					} else {
						require.ErrorAs(t, err, &refused)
					}
					return
				}
				require.NoError(t, err)
				assert.Equal(t, tt.want, s.Info().Version)
				require.NoError(t, s.Close())
			})
		}
	}
	// A transport that learnt that its server is old learns again when it is new.
	peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: versions[1:]})
	tr := peer.Transport(client.TransportHTTP)
	hubtest.Connect(t, tr, nil)
	peer.On("initialize", mcphubtest.Refuse(-32601, "gone")).On("server/discover", mcphubtest.Reply(discovered))
	assert.Equal(t, client.EraStateless, hubtest.Connect(t, tr, nil).Info().Era)
	assert.Equal(t, "odd", hubtest.Connect(t, tr, nil).Info().Server.Name)

	// What is answered with 401 is no sign of an old server.
	peer = mcphubtest.NewPeer(nil).On("server/discover", mcphubtest.Unauthorized("Bearer"))
	_, err := peer.Transport(client.TransportHTTP).Dial(t.Context(), nil)
	require.ErrorIs(t, err, client.ErrAuthorizationRequired)
	assert.Equal(t, []string{"server/discover"}, peer.Methods())
}

// TestRawPassing: arguments and results pass as they are written.
func TestRawPassing(t *testing.T) {
	for _, kind := range hubtest.NetworkKinds {
		for _, version := range versions {
			peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Reply(`{"n":12345678901234567890.50,"u":"\u00e9\/","z":{"b":1,"a":2}}`))
			s := hubtest.Connect(t, peer.Transport(kind), &client.DialOptions{Versions: []string{version}})
			raw, err := s.Call(t.Context(), "tools/call", json.RawMessage("{\"name\":\"x\",\n\"arguments\":{\"big\":98765432109876543210,\"e\":1E+2,\"s\":\"\\u00e9\\/\"}}"), nil)
			require.NoError(t, err)
			assert.Equal(t, `{"n":12345678901234567890.50,"u":"\u00e9\/","z":{"b":1,"a":2}}`, string(raw))
			assert.Contains(t, hubtest.LastSeen(t, peer, "tools/call").Body, `"arguments":{"big":98765432109876543210,"e":1E+2,"s":"\u00e9\/"}`)
		}
	}
}

// TestMeta: what the protocol says wins over the call's options, and those over
// the params.
func TestMeta(t *testing.T) {
	for _, version := range versions[:2] {
		peer := mcphubtest.NewPeer(nil).On("tools/call", mcphubtest.Echo())
		s := hubtest.Connect(t, peer.Transport(client.TransportStdio), &client.DialOptions{Versions: []string{version}, Client: client.Identity{Name: "me", Title: "Me", Version: "9"},
			Capabilities: client.ClientCapabilities{Form: true, URL: true, Sampling: true, SamplingTools: true, Roots: true, RootsChanged: true,
				Extensions: map[string]json.RawMessage{"io.example/b": json.RawMessage(`{"x":1}`), "io.example/a": json.RawMessage(`bad`)}}})
		params := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"forged","progressToken":"forged","own":1,"both":1},"name":"x"}`
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(params), &client.CallOptions{
			Progress: func(toolspec.Progress) {}, Meta: map[string]json.RawMessage{"both": json.RawMessage("2"), "traceparent": json.RawMessage(`"00-1"`), "progressToken": json.RawMessage("7")}})
		require.NoError(t, err)
		var got struct {
			Name string
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal(raw, &got))
		assert.Equal(t, "x", got.Name)
		assert.Equal(t, "1", string(got.Meta["own"]))
		assert.Equal(t, "2", string(got.Meta["both"]))
		assert.Equal(t, `"00-1"`, string(got.Meta["traceparent"]))
		assert.Equal(t, "2", string(got.Meta["progressToken"]), "the id of the call")
		caps := `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},"extensions":{"io.example/a":{},"io.example/b":{"x":1}}}`
		if version == "2026-07-28" {
			assert.Equal(t, `"2026-07-28"`, string(got.Meta["io.modelcontextprotocol/protocolVersion"]))
			assert.Equal(t, `{"name":"me","title":"Me","version":"9"}`, string(got.Meta["io.modelcontextprotocol/clientInfo"]))
			assert.JSONEq(t, strings.Replace(caps, `"x":1}`, `"x":1},"io.modelcontextprotocol/tasks":{}`, 1), string(got.Meta["io.modelcontextprotocol/clientCapabilities"]))
		} else {
			assert.Equal(t, `"forged"`, string(got.Meta["io.modelcontextprotocol/protocolVersion"]), "nobody reads it")
			var params struct{ Capabilities json.RawMessage }
			require.NoError(t, json.Unmarshal(peer.Seen()[0].Params, &params))
			assert.JSONEq(t, strings.Replace(caps, `"roots":{}`, `"roots":{"listChanged":true}`, 1), string(params.Capabilities))
		}
		for _, bad := range []string{`{"_meta":7}`, `[]`, `{"a":}`} {
			_, err = s.Call(t.Context(), "tools/call", json.RawMessage(bad), &client.CallOptions{Progress: func(toolspec.Progress) {}})
			require.Error(t, err, bad)
		}
		_, err = s.Call(t.Context(), "tools/call", nil, &client.CallOptions{Meta: map[string]json.RawMessage{"x": json.RawMessage("{")}})
		require.ErrorContains(t, err, `"x"`)
	}
}

// TestServerSends: notifications arrive in order and before the result, progress
// at the call that asked for it, and batches as what they hold.
func TestServerSends(t *testing.T) {
	leak.Check(t)
	for _, kind := range append(hubtest.NetworkKinds, client.TransportSSE) {
		var notes []string
		var told []toolspec.Progress
		peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: kind == client.TransportSSE}).On("tools/call", func(x *mcphubtest.Exchange) {
			x.Notify("notifications/message", `{"level":"info","data":"one"}`)
			x.Notify("notifications/progress", `{"progressToken":`+string(x.ID)+`,"progress":1,"total":4,"message":"go"}`)
			x.Notify("notifications/progress", `{"progressToken":"another","progress":1}`)
			x.Raw(`[{"jsonrpc":"2.0","method":"notifications/a"},{"jsonrpc":"2.0","method":"notifications/b"}]`)
			x.Raw(`{"jsonrpc":"2.0","id":12345,"result":{}}`) // nobody asked
			x.Raw(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
			x.Reply(`{"content":[]}`)
		})
		s := hubtest.Connect(t, peer.Transport(kind), &client.DialOptions{Versions: hubtest.Sessions2025.Versions,
			Handler: client.Handler{Notification: func(_ context.Context, n client.Notification) { notes = append(notes, n.Method+string(n.Params)) }}})
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(hubtest.CallX), &client.CallOptions{Progress: func(p toolspec.Progress) { told = append(told, p) }})
		if kind == client.TransportHTTP {
			// On the response to a request, an error without an id is its own.
			var refused *client.RPCError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, -32700, refused.Code)
		} else {
			require.NoError(t, err)
			assert.JSONEq(t, `{"content":[]}`, string(raw))
		}
		assert.Equal(t, []string{`notifications/message{"level":"info","data":"one"}`, `notifications/progress{"progressToken":"another","progress":1}`, "notifications/a", "notifications/b"}, notes)
		assert.Equal(t, []toolspec.Progress{{Done: 1, Total: 4, Message: "go"}}, told)
	}
}

// TestServerAsks: questions of the server reach the handler as far as they were
// declared.
func TestServerAsks(t *testing.T) {
	leak.Check(t)
	for _, kind := range append(hubtest.NetworkKinds, client.TransportSSE) {
		for _, tt := range []struct {
			caps           client.ClientCapabilities
			method, params string
			want           string
		}{
			{client.ClientCapabilities{}, "ping", "", `{}`},
			{client.ClientCapabilities{}, "elicitation/create", `{"message":"?"}`, "-32601"},
			{client.ClientCapabilities{Form: true}, "elicitation/create", `{"message":"?"}`, `{"action":"accept"}`},
			{client.ClientCapabilities{Form: true}, "elicitation/create", `{"mode":"url","url":"https://a.example"}`, "-32602"},
			{client.ClientCapabilities{URL: true}, "elicitation/create", `{"mode":"url","url":"https://a.example"}`, `{"action":"accept"}`},
			{client.ClientCapabilities{URL: true}, "elicitation/create", `{"mode":"form"}`, "-32602"},
			{client.ClientCapabilities{URL: true, Form: true}, "elicitation/create", `{"mode":"hologram"}`, "-32602"},
			{client.ClientCapabilities{}, "sampling/createMessage", `{}`, "-32601"},
			{client.ClientCapabilities{Sampling: true}, "sampling/createMessage", `{}`, `{"action":"accept"}`},
			{client.ClientCapabilities{Sampling: true}, "sampling/createMessage", `{"tools":[]}`, "-32602"},
			{client.ClientCapabilities{Sampling: true, SamplingTools: true}, "sampling/createMessage", `{"tools":[]}`, `{"action":"accept"}`},
			{client.ClientCapabilities{}, "roots/list", "", "-32601"},
			{client.ClientCapabilities{Roots: true}, "roots/list", "", `{"action":"accept"}`},
			{client.ClientCapabilities{Roots: true}, "tools/list", "", "-32601"},
			{client.ClientCapabilities{Roots: true}, "roots/list", `{"answer":"private"}`, "-32603"},
			{client.ClientCapabilities{Roots: true}, "roots/list", `{"answer":"rpc"}`, "-1"},
			{client.ClientCapabilities{Roots: true}, "roots/list", `{"answer":"unsupported"}`, "-32601"},
			{client.ClientCapabilities{Roots: true}, "roots/list", `{"answer":"nothing"}`, "-32603"},
			{client.ClientCapabilities{Roots: true}, "roots/list", `{"answer":"panic"}`, "-32603"},
		} {
			t.Run(fmt.Sprint(kind, tt.method, tt.params, tt.caps), func(t *testing.T) {
				answers := make(chan mcphubtest.Message, 1)
				peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{SSE: kind == client.TransportSSE}).On("tools/call", func(x *mcphubtest.Exchange) {
					if m, ok := x.Ask(tt.method, tt.params); ok {
						answers <- m
					}
					x.Reply(`{}`)
				})
				s := hubtest.Connect(t, peer.Transport(kind), &client.DialOptions{Versions: hubtest.Sessions2025.Versions, Capabilities: tt.caps, Handler: client.Handler{Request: hubtest.Answer}})
				_, err := hubtest.CallTool(s)
				require.NoError(t, err)
				m := <-answers
				if m.Error != nil {
					var e struct {
						Code    int
						Message string
						Data    json.RawMessage
					}
					require.NoError(t, json.Unmarshal(m.Error, &e))
					assert.Equal(t, tt.want, fmt.Sprint(e.Code))
					assert.NotContains(t, e.Message, "private")
					if e.Code == -1 {
						assert.Equal(t, `{"a":1}`, string(e.Data))
					}
					return
				}
				assert.Equal(t, tt.want, string(m.Result))
			})
		}
	}
}

// TestServerTakesBack: a question that the server takes back ends, and is not
// answered; so do those of a session that ends.
func TestServerTakesBack(t *testing.T) {
	leak.Check(t)
	begun, ended := make(chan struct{}, 100), make(chan error, 100)
	opts := &client.DialOptions{Versions: hubtest.Sessions2025.Versions, Capabilities: client.ClientCapabilities{Roots: true}, Handler: client.Handler{
		Request: func(ctx context.Context, _ client.ServerRequest) (json.RawMessage, error) {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}}}
	refused := make(chan string, 100)
	peer := mcphubtest.NewPeer(nil).On("tools/call", func(x *mcphubtest.Exchange) {
		x.Raw(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
		<-begun
		x.Notify("notifications/cancelled", `{"requestId":"q"}`)
		x.Notify("notifications/cancelled", `{"requestId":"other"}`)
		<-ended
		x.Reply(`{}`)
	}).On("tools/list", func(x *mcphubtest.Exchange) {
		for range 40 { // more than are served side by side
			go func() {
				m, ok := x.Ask("roots/list", "")
				if ok {
					refused <- string(m.Error)
				}
			}()
		}
		for range 8 {
			refused <- <-refused
		}
		x.Reply(`{}`)
	})
	s := hubtest.Connect(t, peer.Transport(client.TransportStdio), opts)
	_, err := hubtest.CallTool(s)
	require.NoError(t, err)
	_, err = s.Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Contains(t, <-refused, "-32600")
	require.NoError(t, s.Close())
	for _, m := range peer.Seen() {
		assert.NotContains(t, m.Body, `"id":"q"`, "no answer is wanted")
	}
}

// TestHandlerPanics: a handler that panics ends its session, not the program.
func TestHandlerPanics(t *testing.T) {
	leak.Check(t)
	peer := mcphubtest.NewPeer(nil).On("tools/call", func(x *mcphubtest.Exchange) {
		x.Notify("notifications/message", `{}`)
		x.Reply(`{}`)
	})
	s := hubtest.Connect(t, peer.Transport(client.TransportStdio), &client.DialOptions{Handler: client.Handler{Notification: func(context.Context, client.Notification) { panic("oh") }}})
	_, err := hubtest.CallTool(s)
	require.ErrorContains(t, err, "the handler panicked: oh")
}

// TestNotSentDuplex: a request that was given up before it was written says so.
func TestNotSentDuplex(t *testing.T) {
	leak.Check(t)
	ctx := hubtest.Timed{Context: t.Context(), Up: make(chan struct{})}
	peer := mcphubtest.NewPeer(nil).On("tools/call", func(x *mcphubtest.Exchange) {
		close(ctx.Up)
		<-x.Context().Done()
	})
	s := hubtest.Connect(t, peer.Transport(client.TransportStdio), nil)
	_, err := s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), nil)
	assert.True(t, hubtest.Classed(t, err, client.ConnTimeout).Sent)
	_, err = s.Call(ctx, "tools/call", json.RawMessage(hubtest.CallX), nil)
	assert.False(t, hubtest.Classed(t, err, client.ConnTimeout).Sent)
}
