package mcphub_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

// BenchmarkCall measures one call without a network: from the text of a POST to
// the text of its answer, and in process.
func BenchmarkCall(b *testing.B) {
	h := hubtest.NewHub(b, nil, hubtest.EchoTool(b, "echo"))
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello there"}}}`
	b.Run("http", func(b *testing.B) {
		b.ReportAllocs()
		handler := h.Handler()
		session := (&recorder{h: handler}).post("", initialize("2025-11-25", `{}`)).header.Get("Mcp-Session-Id")
		req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Session-Id", session)
		req.ContentLength = int64(len(body))
		req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}))
		reader := strings.NewReader(body)
		req.Body = io.NopCloser(reader)
		w := &discard{header: http.Header{}}
		for b.Loop() {
			reader.Reset(body)
			handler.ServeHTTP(w, req)
		}
		require.Equal(b, http.StatusOK, w.status)
	})
	b.Run("in-process", func(b *testing.B) {
		b.ReportAllocs()
		tools, err := h.Tools(b.Context())
		require.NoError(b, err)
		arguments := json.RawMessage(`{"text":"hello there"}`)
		for b.Loop() {
			_, _ = tools[0].Call(b.Context(), &toolspec.Call{Arguments: arguments})
		}
	})
	b.Run("tool-alone", func(b *testing.B) {
		b.ReportAllocs()
		pass := hubtest.EchoTool(b, "echo")
		arguments := json.RawMessage(`{"text":"hello there"}`)
		for b.Loop() {
			_, _ = pass.Call(b.Context(), &toolspec.Call{Arguments: arguments})
		}
	})
}

// discard is a ResponseWriter that keeps the status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
