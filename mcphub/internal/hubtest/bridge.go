package hubtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// Front connects a client to a hub, "in process", over "http" or over "stdio".
func Front(t testing.TB, h *mcphub.Hub, over string, dial *client.DialOptions) client.Session {
	t.Helper()
	var tr client.Transport
	switch over {
	case "in process":
		tr = h.InProcess(nil)
	case "http":
		server := httptest.NewServer(h.Handler())
		t.Cleanup(server.Close)
		var err error
		tr, err = client.NewHTTP(client.HTTPConfig{URL: server.URL + mcphub.Path}, nil)
		require.NoError(t, err)
	default:
		tr = &stdioTransport{t, h}
	}
	s, err := tr.Dial(t.Context(), dial)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// stdioTransport connects to a hub on stdio.
type stdioTransport struct {
	t testing.TB
	h *mcphub.Hub
}

func (p *stdioTransport) Describe() client.Endpoint {
	return client.Endpoint{Kind: client.TransportStdio}
}

func (p *stdioTransport) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.h.ServeStdio(context.Background(), in, out)
		_ = out.Close()
	}()
	p.t.Cleanup(func() { _ = stdin.Close(); _ = stdout.Close(); <-ended })
	return client.Connect(ctx, client.StreamConn(pipeEnds{stdout, stdin}, 0), p.Describe(), opts, nil)
}

type pipeEnds struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p pipeEnds) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p pipeEnds) Close() error {
	_ = p.ReadCloser.Close()
	return p.w.Close()
}

// Asks makes a peer's reaction to tools/call that asks one question, in the way of its
// era, and returns the answer as structured content.
func Asks(version, method, params string) []mcphubtest.Reaction {
	if version == Newer {
		return []mcphubtest.Reaction{func(x *mcphubtest.Exchange) {
			var in struct {
				InputResponses map[string]json.RawMessage
				RequestState   string
			}
			_ = json.Unmarshal(x.Params, &in) // empty on failure
			if in.RequestState != "the state" {
				x.Reply(`{"resultType":"input_required","requestState":"the state","inputRequests":{"it":{"method":"` + method + `","params":` + params + `}}}`)
				return
			}
			x.Reply(`{"resultType":"complete","content":[],"structuredContent":{"got":` + string(in.InputResponses["it"]) + `}}`)
		}}
	}
	return []mcphubtest.Reaction{func(x *mcphubtest.Exchange) {
		m, ok := x.Ask(method, params)
		switch {
		case !ok:
		case m.Error != nil:
			x.Reply(`{"content":[],"structuredContent":{"refused":` + string(m.Error) + `}}`)
		default:
			x.Reply(`{"content":[],"structuredContent":{"got":` + string(m.Result) + `}}`)
		}
	}}
}

// AskingPeer returns a server of one version with the tool "ask".
func AskingPeer(version string) *mcphubtest.Peer {
	return mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{version}, Capabilities: `{"tools":{},"logging":{}}`}).
		On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[{"name":"ask","inputSchema":{"type":"object"}}]}`))
}

// Behind puts a server behind a hub, which serves its tool as "up_ask".
func Behind(t testing.TB, tr client.Transport, hub *mcphub.Options, opts *servers.Options) (*mcphub.Hub, *servers.Connections) {
	t.Helper()
	c := Connections(t, Fakes{"up": tr}, opts)
	h := NewHub(t, hub)
	comp := Compose(t, h, c, nil)
	require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "up", Tool: "ask"}))
	require.NoError(t, c.Connect(t.Context(), "up"))
	Approve(t, comp, "ask")
	return h, c
}

// Structured calls a tool and returns its structured content.
func Structured(t testing.TB, s client.Session, name string) string {
	t.Helper()
	raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"`+name+`"}`), &client.CallOptions{Rounds: 10})
	require.NoError(t, err)
	var result struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	require.NoError(t, json.Unmarshal(raw, &result))
	require.False(t, result.IsError, "%s", raw)
	return string(result.StructuredContent)
}
