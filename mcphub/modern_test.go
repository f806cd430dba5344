package mcphub_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

const serverInfo = `"io.modelcontextprotocol/serverInfo":{"name":"localpass-built-in-mcp","version":"0.1.0"}`

func TestModernHTTP(t *testing.T) {
	leak.Check(t)
	c := serve(t, hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"), hubtest.Chatty(t)))

	r := result(t, c.modern("1", "server/discover", "", "", "").body)
	assert.Equal(t, []any{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}, r["supportedVersions"])
	assert.Equal(t, "complete", r["resultType"])

	a := c.modern("2", "tools/list", "", "", "")
	assert.Empty(t, a.header.Get("Mcp-Session-Id"))
	r = result(t, a.body)
	assert.Equal(t, []string{"chatty", "echo"}, toolNames(t, a.body))
	assert.Equal(t, "complete", r["resultType"])
	assert.Contains(t, r, "ttlMs")
	assert.Equal(t, "private", r["cacheScope"])

	a = c.modern(`"x"`, "tools/call", "echo", `"name":"echo","arguments":{"text":"hi"}`, "")
	assert.Equal(t, http.StatusOK, a.status)
	assert.Equal(t, `{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"hi"}],"resultType":"complete","_meta":{`+serverInfo+`}}}`, a.body)

	a = c.modern("3", "tools/call", "echo", `"name":"echo","arguments":{}`, "")
	assert.Equal(t, http.StatusOK, a.status)
	_, kind, reason := failed(t, a.body)
	assert.Equal(t, "INVALID_INPUT arguments", kind+" "+reason)
	assert.Contains(t, a.body, serverInfo)

	s := *c // a session id and a last event mean nothing here
	s.session = "made up"
	assert.Equal(t, http.StatusOK, s.with("Last-Event-ID", "7").modern("4", "tools/list", "", "", "").status)
	assert.Equal(t, http.StatusAccepted, c.do(notification(c)).status)

	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		req := c.request(method, "")
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		a = c.do(req)
		assert.Equal(t, http.StatusMethodNotAllowed, a.status)
		assert.Equal(t, "POST", a.header.Get("Allow"))
	}
}

func notification(c *httpClient) *http.Request {
	req := c.request(http.MethodPost, strings.Replace(modern("1", "notifications/cancelled", "", ""), `"id":1,`, "", 1))
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	return req
}

func TestModernHTTPRefusals(t *testing.T) {
	tool, err := toolspec.Func("mirrored", "Has a mirrored argument.", func(_ context.Context, in struct {
		Region string `json:"region"`
	}) (string, error) {
		return in.Region, nil
	}, &toolspec.FuncOptions{InputSchema: []byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`)})
	require.NoError(t, err)
	c := serve(t, hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"), hubtest.Certify(t, tool, `{"region":"eu"}`, `"eu"`)))
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	echo := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},` + meta + `}}`
	mirrored := strings.ReplaceAll(echo, `"echo","arguments":{"text":"x"}`, `"mirrored","arguments":{"region":"eu"}`)
	good := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo"}
	for name, tt := range map[string]struct {
		header []string
		body   string
		status int
		code   int
	}{
		"good":                     {good, echo, 200, 0},
		"name in base64":           {append(good[:4:4], "Mcp-Name", "=?base64?ZWNobw==?="), echo, 200, 0},
		"no version header":        {good[2:], echo, 400, -32020},
		"other version header":     {append([]string{"Mcp-Protocol-Version", "2025-11-25"}, good[2:]...), echo, 400, -32020},
		"no version in the body":   {good, call("1", "echo", `{"text":"x"}`), 400, -32602},
		"no method header":         {[]string{good[0], good[1], good[4], good[5]}, echo, 400, -32020},
		"other method header":      {append(good[:2:2], "Mcp-Method", "tools/list", "Mcp-Name", "echo"), echo, 400, -32020},
		"no name header":           {good[:4], echo, 400, -32020},
		"other name header":        {append(good[:4:4], "Mcp-Name", "other"), echo, 400, -32020},
		"no capabilities":          {good, strings.Replace(echo, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1), 400, -32602},
		"capabilities no object":   {good, strings.Replace(echo, `clientCapabilities":{}`, `clientCapabilities":[]`, 1), 400, -32602},
		"later version":            {append([]string{"Mcp-Protocol-Version", "2027-01-01"}, good[2:]...), strings.Replace(echo, "2026-07-28", "2027-01-01", 1), 400, -32022},
		"no such level":            {good, strings.Replace(echo, `Capabilities":{}`, `Capabilities":{},"io.modelcontextprotocol/logLevel":"loud"`, 1), 400, -32602},
		"a response":               {good[:2], `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, -32600},
		"unknown tool":             {append(good[:4:4], "Mcp-Name", "nope"), strings.Replace(echo, `"echo"`, `"nope"`, 1), 400, -32602},
		"initialize":               {append(good[:2:2], "Mcp-Method", "initialize"), strings.Replace(echo, "tools/call", "initialize", 1), 404, -32601},
		"unknown method":           {append(good[:2:2], "Mcp-Method", "nope"), strings.Replace(echo, "tools/call", "nope", 1), 404, -32601},
		"mirrored":                 {append(good[:4:4], "Mcp-Name", "mirrored", "Mcp-Param-Region", "eu"), mirrored, 200, 0},
		"mirrored wrong":           {append(good[:4:4], "Mcp-Name", "mirrored", "Mcp-Param-Region", "us"), mirrored, 400, -32020},
		"mirrored not":             {append(good[:4:4], "Mcp-Name", "mirrored"), mirrored, 400, -32020},
		"subscription, no streams": {append(good[:2:2], "Mcp-Method", "subscriptions/listen", "Accept", "application/json"), strings.Replace(echo, "tools/call", "subscriptions/listen", 1), 400, -32600},
		"subscription, malformed":  {append(good[:2:2], "Mcp-Method", "subscriptions/listen"), strings.NewReplacer("tools/call", "subscriptions/listen", `"name"`, `"notifications":7,"name"`).Replace(echo), 400, -32602},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.with(tt.header...)
			r.t = t
			a := r.post(tt.body)
			assert.Equal(t, tt.status, a.status, a.body)
			code, _ := rpcErr(t, a.body)
			assert.Equal(t, tt.code, code, a.body)
		})
	}
	a := c.with(append([]string{"Mcp-Protocol-Version", "2027-01-01"}, good[2:]...)...).post(strings.Replace(echo, "2026-07-28", "2027-01-01", 1))
	assert.Contains(t, a.body, `"supported":["2026-07-28",`)
	assert.Contains(t, a.body, `"requested":"2027-01-01"`)
}

func TestModernSubscription(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil)
	c := serve(t, h)
	req := c.modernRequest(`"sub"`, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true,"promptsListChanged":true}`, "")
	messages, stop := c.stream(req)
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"},"notifications":{"toolsListChanged":true}}}`, next(t, messages))
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}`
	assert.Equal(t, changed, next(t, messages))
	require.NoError(t, h.Remove("echo"))
	assert.Equal(t, changed, next(t, messages))
	stop()

	a := c.modern("1", "subscriptions/listen", "", `"notifications":{"promptsListChanged":true}`, "")
	require.Len(t, a.events, 2, "a subscription to nothing ends at once")
	assert.Contains(t, a.events[0], `"notifications":{}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,`+serverInfo+`}}}`, a.events[1])

	messages, _ = c.stream(c.modernRequest("2", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, ""))
	next(t, messages)
	require.NoError(t, h.Close())
	assert.Contains(t, next(t, messages), `"id":2,"result"`, "a server that closes ends its subscriptions in good order")
	ended(t, messages)
	assert.Equal(t, http.StatusServiceUnavailable, c.modern("3", "tools/list", "", "", "").status)
}

func TestHTTPListeningStream(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil)
	c := serve(t, h)
	s := c.open("2025-11-25", `{}`)
	require.NoError(t, h.Add(hubtest.EchoTool(t, "early")))
	messages, _ := s.stream(s.request(http.MethodGet, ""))
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	assert.Equal(t, changed, next(t, messages), "a change before the stream was open is not lost")
	require.NoError(t, h.Add(hubtest.EchoTool(t, "late")))
	assert.Equal(t, changed, next(t, messages))

	again, _ := s.stream(s.request(http.MethodGet, ""))
	ended(t, messages)
	require.NoError(t, h.Remove("early"))
	assert.Equal(t, changed, next(t, again), "the newest stream counts")
	s.do(s.request(http.MethodDelete, ""))
	ended(t, again)

	other := c.open("2025-11-25", `{}`)
	messages, _ = other.stream(other.request(http.MethodGet, ""))
	require.NoError(t, h.Close())
	ended(t, messages)
}

// Changes in a row go out as one or two.
func TestChangesInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(nil)
		require.NoError(t, err)
		var told atomic.Int64
		s, err := h.InProcess(nil).Dial(t.Context(), &client.DialOptions{Versions: []string{"2025-11-25"},
			Handler: client.Handler{Notification: func(context.Context, client.Notification) { told.Add(1) }}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		listened := make(chan error, 1)
		go func() { listened <- s.Listen(ctx, &client.Subscription{Tools: true}) }()
		synctest.Wait()
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			require.NoError(t, h.Add(hubtest.EchoTool(t, name)))
			synctest.Wait()
		}
		assert.EqualValues(t, 1, told.Load(), "at once")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualValues(t, 2, told.Load(), "and what came within the gap")
		cancel()
		require.Error(t, <-listened)
		require.NoError(t, s.Close())
		require.NoError(t, h.Close())
	})
}

func TestTwoClientsAreToldBoth(t *testing.T) {
	h := hubtest.NewHub(t, &mcphub.Options{})
	c := serve(t, h)
	one, two := c.open("2025-11-25", `{}`), c.open("2025-03-26", `{}`)
	first, _ := one.stream(one.request(http.MethodGet, ""))
	second, _ := two.stream(two.request(http.MethodGet, ""))
	third, _ := c.stream(c.modernRequest("1", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, ""))
	next(t, third) // the acknowledgement
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	for _, messages := range []<-chan string{first, second, third} {
		assert.Contains(t, next(t, messages), "notifications/tools/list_changed")
	}
}
