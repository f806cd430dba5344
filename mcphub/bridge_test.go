package mcphub_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
)

// Questions of a server reach the person at the client in every pairing of eras
// and transports, as they were written, and so do the answers.
func TestBridge(t *testing.T) {
	questions := []struct{ name, method, params, want, answer string }{
		{"form", "elicitation/create",
			`{"message":"How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","x-own":9007199254740993}}},"x-more":[1, 2]}`,
			`{"message":"[up] How many?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","x-own":9007199254740993}}},"x-more":[1,2],"_meta":{"localpass/origin":{"server":"up","depth":1}}}`,
			`{"action":"accept","content":{"n":9007199254740993},"x-own":true}`},
		{"url", "elicitation/create", `{"mode":"url","url":"https://example.com/a?b","message":"Open it","task":{},"_meta":{"progressToken":1,"mine":2}}`,
			`{"mode":"url","url":"https://example.com/a?b","message":"[up] Open it","_meta":{"localpass/origin":{"server":"up","depth":1},"mine":2}}`,
			`{"action":"decline"}`},
		{"sampling", "sampling/createMessage", `{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"maxTokens":100000,"modelPreferences":{"hints":[{"name":"m"}]},"tools":[{"name":"t","inputSchema":{}}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"maxTokens":500,"modelPreferences":{"hints":[{"name":"m"}]},"tools":[{"name":"t","inputSchema":{}}],"_meta":{"localpass/origin":{"server":"up","depth":1}}}`,
			`{"role":"assistant","model":"m","content":[{"type":"tool_use","id":"1","name":"t","input":{}}],"stopReason":"toolUse"}`},
		{"roots", "roots/list", `{}`, `{"_meta":{"localpass/origin":{"server":"up","depth":1}}}`, `{"roots":[{"uri":"file:///a","name":"A","x-own":1}]}`},
	}
	for _, clientVersion := range []string{hubtest.Older, hubtest.Newer} {
		for _, serverVersion := range []string{hubtest.Older, hubtest.Newer} {
			for _, over := range []string{"http", "stdio", "in process"} {
				for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
					t.Run(fmt.Sprintf("%s %s %s %s", clientVersion, over, serverVersion, kind), func(t *testing.T) {
						leak.Check(t)
						peer := hubtest.AskingPeer(serverVersion)
						h, c := hubtest.Behind(t, peer.Transport(kind), nil, &servers.Options{
							Relay: servers.RelayPolicy{Sampling: true, SamplingTools: true, Roots: true, MaxTokens: 500}})
						who := &hubtest.Person{}
						s := hubtest.Front(t, h, over, who.Dial(clientVersion))
						require.Equal(t, clientVersion, s.Info().Version)
						status, err := c.Status("up")
						require.NoError(t, err)
						require.Equal(t, serverVersion, status.Protocol)
						for i, q := range questions {
							who.Answers = map[string]string{q.method: q.answer}
							peer.On("tools/call", hubtest.Asks(serverVersion, q.method, q.params)...)
							assert.JSONEq(t, `{"got":`+q.answer+`}`, hubtest.Structured(t, s, "up_ask"), q.name)
							asked := who.Asked()
							require.Len(t, asked, i+1)
							params := asked[i].Params
							if q.name == "url" && clientVersion == hubtest.Older {
								var all map[string]json.RawMessage
								require.NoError(t, json.Unmarshal(params, &all))
								assert.Regexp(t, `^"[0-9a-f]{32}"$`, string(all["elicitationId"]), "a client of that era needs one")
								delete(all, "elicitationId")
								params, _ = json.Marshal(all)
							}
							assert.JSONEq(t, q.want, string(params), q.name)
						}
						require.NoError(t, s.Close())
						require.NoError(t, c.Close())
						require.NoError(t, h.Close())
					})
				}
			}
		}
	}
}
