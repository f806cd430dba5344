package mcphub_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

const (
	older = "2025-11-25"
	newer = "2026-07-28"
)

// person answers what a client is asked, and notes it.
type person struct {
	mu      sync.Mutex
	asked   []client.ServerRequest
	told    []client.Notification
	answers map[string]string // by method
	answer  func(ctx context.Context, q client.ServerRequest) (json.RawMessage, error)
}

func (p *person) dial(version string) *client.DialOptions {
	return &client.DialOptions{Versions: []string{version},
		Capabilities: client.ClientCapabilities{Form: true, URL: true, Sampling: true, SamplingTools: true, Roots: true},
		Handler: client.Handler{Request: p.request, Notification: func(_ context.Context, n client.Notification) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.told = append(p.told, n)
		}}}
}

func (p *person) request(ctx context.Context, q client.ServerRequest) (json.RawMessage, error) {
	p.mu.Lock()
	p.asked = append(p.asked, q)
	answer, do := p.answers[q.Method], p.answer
	p.mu.Unlock()
	if do != nil {
		return do(ctx, q)
	}
	return json.RawMessage(answer), nil
}

func (p *person) took() []client.ServerRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]client.ServerRequest(nil), p.asked...)
}

// front connects a client to a hub.
func front(t testing.TB, h *mcphub.Hub, over string, dial *client.DialOptions) client.Session {
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
		tr = &piped{t, h}
	}
	s, err := tr.Dial(t.Context(), dial)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// piped is the way to a hub on stdio.
type piped struct {
	t testing.TB
	h *mcphub.Hub
}

func (p *piped) Describe() client.Endpoint {
	return client.Endpoint{Kind: client.TransportStdio}
}

func (p *piped) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
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

// asks makes a peer's reaction to tools/call that puts one question, in the way
// of its era, and answers with what came back as structured content.
func asks(version, method, params string) []mcphubtest.Reaction {
	if version == newer {
		return []mcphubtest.Reaction{func(x *mcphubtest.Exchange) {
			var in struct {
				InputResponses map[string]json.RawMessage
				RequestState   string
			}
			_ = json.Unmarshal(x.Params, &in) // empty then
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

// upstream is a server of one version with the tool "ask".
func upstreamPeer(version string) *mcphubtest.Peer {
	return mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{version}, Capabilities: `{"tools":{},"logging":{}}`}).
		On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[{"name":"ask","inputSchema":{"type":"object"}}]}`))
}

// behind puts a server behind a hub, which serves its tool as "up_ask".
func behind(t testing.TB, tr client.Transport, hub *mcphub.Options, opts *servers.Options) (*mcphub.Hub, *servers.Connections) {
	t.Helper()
	c := hubtest.Connections(t, hubtest.Fakes{"up": tr}, opts)
	h := hubtest.NewHub(t, hub)
	comp := compose(t, h, c, nil)
	require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "up", Tool: "ask"}))
	require.NoError(t, c.Connect(t.Context(), "up"))
	approve(t, comp, "ask")
	return h, c
}

// structured calls a tool and returns its structured content.
func structured(t testing.TB, s client.Session, name string) string {
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
