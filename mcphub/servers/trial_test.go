package servers_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// trialOf tries a connection and tells its steps, as "name status".
func trialOf(t *testing.T, kind client.TransportKind, connection map[string]any) (*servers.TestReport, []string) {
	t.Helper()
	c, err := servers.New(memory.New(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	definition, err := json.Marshal(connection)
	require.NoError(t, err)
	report, err := c.Test(t.Context(), servers.Record{ID: "tried", Kind: kind, Connection: definition})
	require.NoError(t, err)
	var out []string
	for _, s := range report.Steps {
		out = append(out, s.Name+" "+string(s.Status))
		assert.GreaterOrEqual(t, s.Duration, time.Duration(0), s.Name)
	}
	return report, out
}

func TestTrialSteps(t *testing.T) {
	peer := mcphubtest.NewPeer(nil)
	peer.On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}`))
	plain := httptest.NewServer(peer)
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(peer) // nobody here trusts it
	t.Cleanup(secure.Close)
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(locked.Close)
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(odd.Close)
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dead := "http://" + l.Addr().String()
	require.NoError(t, l.Close())

	for name, test := range map[string]struct {
		kind       client.TransportKind
		connection map[string]any
		want       []string
		detail     string // of the last step
	}{
		"one that works": {client.TransportHTTP, map[string]any{"url": plain.URL},
			[]string{"resolve skipped", "connect ok", "tls skipped", "auth skipped", "initialize ok", "list ok"}, "1 tools"},
		"with a token": {client.TransportHTTP, map[string]any{"url": plain.URL, "headers": map[string]string{"Authorization": "Bearer x"}},
			[]string{"resolve skipped", "connect ok", "tls skipped", "auth ok", "initialize ok", "list ok"}, "1 tools"},
		"nobody is there": {client.TransportHTTP, map[string]any{"url": dead}, []string{"resolve skipped", "connect failed"}, "refused"},
		"no such name":    {client.TransportHTTP, map[string]any{"url": "http://nobody.invalid"}, []string{"resolve failed"}, "nobody.invalid"},
		"not trusted": {client.TransportHTTP, map[string]any{"url": secure.URL},
			[]string{"resolve skipped", "connect ok", "tls failed"}, "certificate"},
		"locked": {client.TransportHTTP, map[string]any{"url": locked.URL},
			[]string{"resolve skipped", "connect ok", "tls skipped", "auth failed"}, "authorization"},
		"no MCP server": {client.TransportHTTP, map[string]any{"url": odd.URL},
			[]string{"resolve skipped", "connect ok", "tls skipped", "auth skipped", "initialize failed"}, "418"},
		"a value is missing":  {client.TransportHTTP, map[string]any{"url": "${NO_SUCH_URL}"}, []string{"settings failed"}, "NO_SUCH_URL"},
		"no such program":     {client.TransportStdio, map[string]any{"command": "/no/such/program"}, []string{"start failed"}, "/no/such/program"},
		"a program that ends": {client.TransportStdio, map[string]any{"command": "/bin/false"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report, got := trialOf(t, test.kind, test.connection)
			require.NotEmpty(t, got)
			if test.want == nil {
				assert.Contains(t, got[len(got)-1], "failed")
				return
			}
			assert.Equal(t, test.want, got, "%v", report.Steps)
			assert.Contains(t, report.Steps[len(report.Steps)-1].Detail, test.detail)
		})
	}
}
