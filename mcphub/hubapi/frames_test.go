package hubapi_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

func TestFramesAPI(t *testing.T) {
	peer := hubtest.FullPeer("2025-11-25", false)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: mcphubtest.RoundTripper(peer)})
	require.NoError(t, err)
	w := serveAPI(t, hubtest.Fakes{"peer": tr}, func(w *servedAPI, o *hubapi.Options) {
		var err error
		o.Inspector, err = inspector.New(w.conns, &inspector.Options{Frames: 100})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.Inspector.Close()) })
	})
	const at = "/api/mcp/servers/peer/frames"
	w.OK(200, "POST", "/api/mcp/servers/peer/connect", "")
	assert.Len(t, w.OK(200, "GET", "/api/mcp/servers?q=ECHO", "").List("items"), 1, "by the name of a tool")
	assert.Empty(t, w.OK(200, "GET", "/api/mcp/servers?q=nothing", "").List("items"))
	list := w.OK(200, "GET", at, "")
	assert.Equal(t, "server/discover", list.Text("items.0.method"), "it is asked first what it is")
	assert.Len(t, w.OK(200, "GET", at+"?limit=2", "").List("items"), 2)
	assert.Len(t, w.OK(200, "GET", at+"?after=1&limit=1", "").List("items"), 1)
	w.Fails(400, "invalid_argument", "GET", at+"?after=x", "")
	w.Fails(400, "invalid_argument", "GET", at+"?limit=201", "")
	w.Fails(404, "not_found", "GET", "/api/mcp/servers/nobody/frames", "")

	assert.Equal(t, "server/discover", w.Open(at + "/stream").Until("frame").Data["method"])
	w.OK(200, "POST", "/api/mcp/servers/peer/inspect/ping", "{}")
	var ping string
	find := func() string {
		for _, it := range w.OK(200, "GET", at, "").List("items") {
			if f := it.(map[string]any); f["method"] == "ping" {
				raw, err := json.Marshal(f["n"])
				require.NoError(t, err)
				return string(raw)
			}
		}
		return ""
	}
	require.Eventually(t, func() bool { ping = find(); return ping != "" }, hubtest.Patience, time.Millisecond)
	assert.Equal(t, true, w.OK(200, "PUT", at+"/"+ping+"/pin", `{"pinned":true}`).Get("pinned"))
	w.Fails(400, "invalid_argument", "PUT", at+"/x/pin", `{"pinned":true}`)
	w.Fails(404, "not_found", "PUT", at+"/99999/pin", `{"pinned":true}`)
	assert.Equal(t, "ping", w.OK(200, "POST", at+"/"+ping+"/replay", "").Text("operation"))
	w.Fails(422, "validation_failed", "POST", at+"/2/replay", "")
	w.Fails(400, "invalid_argument", "POST", at+"/x/replay", "")

	export := func(format string) (string, string) {
		resp := w.Raw(t.Context(), "GET", at+"/export?format="+format, "")
		defer resp.Body.Close()
		var b strings.Builder
		_, err := io.Copy(&b, resp.Body)
		require.NoError(t, err)
		return b.String(), resp.Header.Get("Content-Disposition")
	}
	lines, name := export("jsonl")
	assert.Contains(t, name, "peer-traffic.jsonl")
	for line := range strings.Lines(lines) {
		assert.True(t, json.Valid([]byte(line)))
	}
	archive, _ := export("har")
	var har struct {
		Log struct {
			Version string
			Entries []struct {
				Comment  string
				Request  struct{ PostData struct{ Text string } }
				Response struct {
					Status  int
					Content struct{ Text string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(archive), &har))
	assert.Equal(t, "1.2", har.Log.Version)
	assert.Equal(t, "server/discover", har.Log.Entries[0].Comment)
	assert.Contains(t, har.Log.Entries[0].Request.PostData.Text, "clientInfo")
	assert.Equal(t, 200, har.Log.Entries[0].Response.Status)
	assert.Contains(t, archive, "serverInfo")
	w.Fails(400, "invalid_argument", "GET", at+"/export?format=xml", "")
}
