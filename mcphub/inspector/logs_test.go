package inspector_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// loggingPeer is a peer whose tools log: "two" two lines, "secret" what it was sent,
// "many" more than is kept, "quiet" nothing.
func loggingPeer() *mcphubtest.Peer {
	p := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2025-11-25"}, Capabilities: `{"tools":{},"logging":{}}`})
	p.On("tools/list", mcphubtest.Reply(hubtest.ToolList("", hubtest.Describe("two", ""), hubtest.Describe("secret", ""), hubtest.Describe("many", ""), hubtest.Describe("quiet", ""))))
	log := func(x *mcphubtest.Exchange, params string) { x.Notify("notifications/message", params) }
	p.On("tools/call", func(x *mcphubtest.Exchange) {
		var params struct{ Name string }
		_ = json.Unmarshal(x.Params, &params)
		switch params.Name {
		case "two":
			log(x, `{"level":"warning","logger":"disk","data":"first\nof two"}`)
			log(x, `{"level":"debug","data":{"free":1.50,"of":"two"}}`)
		case "secret":
			log(x, `{"level":"info","data":"you sent `+x.Header.Get("X-Key")+`"}`)
		case "many":
			log(x, `{"level":"info","logger":"`+strings.Repeat("l", 500)+`","data":"`+strings.Repeat("x", 5000)+`"}`)
			for n := range 300 {
				log(x, fmt.Sprintf(`{"level":"info","data":"line %d"}`, n))
			}
		}
		x.Reply(`{"content":[{"type":"text","text":"done"}]}`)
	})
	return p
}

func logsOf(t testing.TB, i *inspector.Inspector, tool string) *inspector.Inspection {
	t.Helper()
	rec, err := i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: tool})
	return did(t, rec, err)
}

// What a server logs while a tool runs stands with the record of the call, and in
// the feed of the server besides.
func TestInspectorLogsOfACall(t *testing.T) {
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
		t.Run(string(kind), func(t *testing.T) {
			leak.Check(t)
			i, c := inspectorOfPeer(t, loggingPeer().Transport(kind), nil)
			rec := logsOf(t, i, "two")
			require.Len(t, rec.Logs, 2)
			assert.Equal(t, []string{"warning", "disk", "first\nof two"}, []string{rec.Logs[0].Level, rec.Logs[0].Logger, rec.Logs[0].Text})
			assert.Equal(t, []string{"debug", "", `{"free":1.50,"of":"two"}`}, []string{rec.Logs[1].Level, rec.Logs[1].Logger, rec.Logs[1].Text})
			assert.False(t, rec.Logs[0].At.IsZero())
			assert.Zero(t, rec.LogsCut)
			assert.Empty(t, logsOf(t, i, "quiet").Logs, "another call has none of them")
			kept, err := i.Inspection("peer", rec.ID)
			require.NoError(t, err)
			assert.Equal(t, rec.Logs, kept.Logs)
			notes, err := i.Notifications("peer")
			require.NoError(t, err)
			var told []string
			for _, n := range notes {
				told = append(told, string(n.Kind)+" "+n.Level)
			}
			assert.Equal(t, []string{"LOGGING debug", "LOGGING warning"}, told, "the feed has them too")

			rec = logsOf(t, i, "many")
			require.Len(t, rec.Logs, 200)
			assert.Equal(t, 101, rec.LogsCut)
			assert.Less(t, len(rec.Logs[0].Text), 2100)
			assert.Less(t, len(rec.Logs[0].Logger), 110)
			require.NoError(t, i.Close())
			require.NoError(t, c.Close())
		})
	}
}

// Secrets of the connection that a server repeats in its log are masked.
func TestInspectorLogsAreMasked(t *testing.T) {
	leak.Check(t)
	web := httptest.NewServer(loggingPeer())
	defer web.Close()
	c, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{
		Lookup: func(name string) (string, bool) { return "very-secret-4711", name == "KEY" },
	})})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Save(t.Context(), servers.Record{ID: "peer", Kind: client.TransportHTTP, Connection: json.RawMessage(`{"url":"` + web.URL + `","headers":{"X-Key":"${KEY}"}}`)})
	require.NoError(t, err)
	i, err := inspector.New(c, nil)
	require.NoError(t, err)
	defer i.Close()
	rec := logsOf(t, i, "secret")
	require.Len(t, rec.Logs, 1)
	assert.Contains(t, rec.Logs[0].Text, "you sent ")
	assert.NotContains(t, rec.Logs[0].Text, "4711")
}
