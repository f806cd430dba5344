package mcphub_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
)

// recorder sends requests to a handler without a socket: for tests in a bubble
// and for fuzzing.
type recorder struct{ h http.Handler }

func (r *recorder) post(session, body string) answer {
	req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	return r.do(req)
}

func (r *recorder) do(req *http.Request) answer {
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
	w := httptest.NewRecorder()
	r.h.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, local)))
	return answer{status: w.Code, header: w.Header(), body: w.Body.String()}
}
