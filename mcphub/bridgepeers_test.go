package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// TestBridgeToMCPGo puts a server made with mcp-go, in its own process, behind a
// hub: its questions reach clients of either era, whichever it speaks.
func TestBridgeToMCPGo(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	address := hubtest.OnHTTP(t, "mcpgo")
	answers := map[string]struct{ method, answer, want string }{
		"form":     {"elicitation/create", `{"action":"accept","content":{"name":"Ada"}}`, "Ada"},
		"sampling": {"sampling/createMessage", `{"role":"assistant","content":{"type":"text","text":"Yo"},"model":"m"}`, "Yo"},
		"roots":    {"roots/list", `{"roots":[{"uri":"file:///a","name":"A"}]}`, "file:///a"},
	}
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
		for _, serverVersion := range []string{hubtest.Older, hubtest.Newer} {
			for _, clientVersion := range []string{hubtest.Older, hubtest.Newer} {
				t.Run(fmt.Sprint(kind, " ", serverVersion, " ", clientVersion), func(t *testing.T) {
					tr, err := client.NewHTTP(client.HTTPConfig{URL: address + "/mcp"}, nil)
					if kind == client.TransportStdio {
						tr, err = hubtest.Program(t, "mcpgo", nil), nil
					}
					require.NoError(t, err)
					c := hubtest.Connections(t, hubtest.Fakes{"up": tr}, &servers.Options{Relay: servers.RelayPolicy{Sampling: true, Roots: true},
						Dial: client.DialOptions{Versions: []string{serverVersion}}})
					h := hubtest.NewHub(t, nil)
					comp := hubtest.Compose(t, h, c, nil)
					require.NoError(t, comp.Put(t.Context(), mcphub.Member{Server: "up", Tool: "question"}))
					if kind == client.TransportHTTP && serverVersion == hubtest.Older { // it asks on the listening stream, too
						listening(t, c)
					}
					require.NoError(t, c.Connect(t.Context(), "up"))
					hubtest.Approve(t, comp, "question")
					who := &hubtest.Person{Answers: map[string]string{}}
					for _, a := range answers {
						who.Answers[a.method] = a.answer
					}
					s := hubtest.Front(t, h, "in process", who.Dial(clientVersion))
					for name, a := range answers {
						raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"up_question","arguments":{"kind":"`+name+`"}}`), &client.CallOptions{Rounds: 3})
						require.NoError(t, err)
						assert.Contains(t, string(raw), a.want)
						assert.NotContains(t, string(raw), `"isError":true`)
					}
				})
			}
		}
	}
}

// listening keeps a session with the server, and its listening stream, open.
func listening(t testing.TB, c *servers.Connections) {
	lease, err := c.Lease(t.Context(), "up")
	require.NoError(t, err)
	ready := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = lease.Session().Listen(ctx, &client.Subscription{Ready: func() {
			select {
			case ready <- struct{}{}:
			default:
			}
		}})
	}()
	<-ready
	t.Cleanup(func() { cancel(); <-done; lease.Release() })
}
