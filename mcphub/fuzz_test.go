package mcphub_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// FuzzHTTP posts any body with any of the headers that matter. Whatever comes,
// the answer is a proper one: a status of the protocol, and JSON where it says
// so.
func FuzzHTTP(f *testing.F) {
	h := hubtest.NewHub(f, &mcphub.Options{MaxBody: 1 << 16}, hubtest.EchoTool(f, "echo"), hubtest.Chatty(f))
	r := &recorder{h: h.Handler()}
	session := r.post("", initialize("2025-11-25", `{"elicitation":{},"sampling":{},"roots":{}}`)).header.Get("Mcp-Session-Id")
	for _, body := range []string{"", "{}", "[]", "null", "\xff", initialize("2025-11-25", `{}`), listTools, call("1", "echo", `{"text":"x"}`), call("1", "echo", `[]`),
		withToken("1", "chatty"), call(`"\u0000"`, "nope", `{}`), modern("1", "tools/list", "", ""), modern("1", "tools/call", `"name":"echo","arguments":{"text":"x"}`, `"progressToken":1`),
		modern("1", "server/discover", "", ""), modern("1", "subscriptions/listen", `"notifications":{}`, ""),
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, strings.Repeat("[", 300)} {
		f.Add(body, true, "2025-11-25", "application/json, text/event-stream", "")
		f.Add(body, false, "2026-07-28", "application/json", "tools/call")
	}
	f.Fuzz(func(t *testing.T, body string, withSession bool, version, accept, method string) {
		if strings.Contains(body, "toolsListChanged") {
			t.Skip("a subscription lasts") // a recorder never goes away
		}
		req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Mcp-Protocol-Version", version)
		req.Header.Set("Accept", accept)
		req.Header.Set("Mcp-Method", method)
		req.Header.Set("Mcp-Name", "echo")
		if withSession {
			req.Header.Set("Mcp-Session-Id", session)
		}
		a := r.do(req)
		switch a.status {
		case 200, 202, 400, 404, 406, 413, 503:
		default:
			t.Fatalf("status %d: %s", a.status, a.body)
		}
		switch a.header.Get("Content-Type") {
		case "application/json":
			require.True(t, json.Valid([]byte(a.body)), a.body)
		case "text/event-stream":
			for event := range strings.SplitSeq(strings.TrimSpace(a.body), "\n\n") {
				if id, rest, ok := strings.Cut(event, "\n"); ok && strings.HasPrefix(id, "id: ") {
					if event = rest; strings.HasPrefix(event, "retry: ") {
						continue // the event that carries nothing but its id
					}
				}
				data, ok := strings.CutPrefix(event, "event: message\ndata: ")
				require.True(t, ok, event)
				require.True(t, json.Valid([]byte(data)), data)
			}
		}
	})
}

// FuzzStdio sends any text over stdio. Each line of the answer is one message.
func FuzzStdio(f *testing.F) {
	h := hubtest.NewHub(f, &mcphub.Options{MaxBody: 1 << 12}, hubtest.EchoTool(f, "echo"), hubtest.Chatty(f))
	for _, text := range []string{"", "\n\n", "{}\n{}", "\xff\n", listTools, initialize("2025-11-25", `{}`) + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + call("1", "echo", `{"text":"a\nb"}`),
		withToken("1", "chatty") + "\r\n" + withToken("2", "chatty"), modern("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`, ""),
		strings.Repeat("x", 5000) + "\n" + listTools, call("1", "nope", `{}`) + "\n" + call("1", "nope", `{}`)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		require.NoError(t, h.ServeStdio(t.Context(), bytes.NewReader(text), &out))
		for line := range strings.Lines(out.String()) {
			var m struct {
				JSONRPC string
				ID      json.RawMessage
				Method  string
			}
			require.NoError(t, json.Unmarshal([]byte(line), &m), line)
			require.Equal(t, "2.0", m.JSONRPC)
			require.True(t, m.ID != nil || m.Method != "", line)
		}
	})
}

// FuzzGuard sends any Origin and Host. What is let in names this machine.
func FuzzGuard(f *testing.F) {
	r := &recorder{h: hubtest.NewHub(f, nil).Handler()}
	for _, s := range []string{"http://localhost", "https://127.0.0.1:80", "http://[::1]:1", "http://localhost.evil.com", "null", "http://127.1", "http://[::ffff:127.0.0.1]", "http://localhost:1:2", "http://0x7f.1"} {
		f.Add(s, strings.TrimPrefix(s, "http://"))
	}
	f.Fuzz(func(t *testing.T, origin, host string) {
		req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(initialize("2025-11-25", `{}`)))
		req.Header.Set("Content-Type", "application/json")
		req.Header["Origin"], req.Host = []string{origin}, host
		if r.do(req).status != http.StatusOK {
			return
		}
		for _, name := range []string{strings.ToLower(origin), strings.ToLower(host)} {
			name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
			require.True(t, strings.HasPrefix(name, "localhost") || strings.HasPrefix(name, "127.") || strings.HasPrefix(name, "[::") || strings.HasPrefix(name, "[0") || name == "::1" ||
				strings.HasPrefix(name, "::") || strings.HasPrefix(name, "0"), name)
			rest := strings.TrimLeft(name, "lochst0123456789.:[]abdef%")
			require.Empty(t, rest, name)
		}
	})
}
