package mcphub_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

func TestListenAndServe(t *testing.T) {
	leak.Check(t)
	tool, begun, release := waiting(t)
	h := hubtest.NewHub(t, nil, tool)
	l, err := h.Listen(t.Context(), ":0")
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1", l.Addr().(*net.TCPAddr).IP.String(), "no host means this machine")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()

	err = h.ListenAndServe(t.Context(), l.Addr().String())
	assert.ErrorContains(t, err, l.Addr().String(), "a port in use is named")
	assert.ErrorContains(t, err, "choose another")

	transport := &http.Transport{}
	c := (&httpClient{t: t, url: "http://" + l.Addr().String() + mcphub.Path, http: &http.Client{Transport: transport}}).open("2025-11-25", `{}`)
	elsewhere := *c
	elsewhere.url = "http://" + l.Addr().String() + "/other"
	assert.Equal(t, http.StatusNotFound, elsewhere.post(listTools).status, "Serve answers at Path alone")
	messages, _ := c.stream(c.request(http.MethodGet, ""))
	result := make(chan answer, 1)
	go func() { result <- c.post(call("1", "wait", `{}`)) }()
	<-begun
	cancel()
	ended(t, messages)
	close(release)
	assert.Contains(t, (<-result).body, "released", "a call under way is answered")
	assert.NoError(t, <-done)
	transport.CloseIdleConnections()

	done2 := make(chan error, 1)
	l, err = h.Listen(t.Context(), "localhost:0")
	require.NoError(t, err)
	go func() { done2 <- h.Serve(context.Background(), l) }()
	c.url = "http://" + l.Addr().String() + mcphub.Path
	require.Equal(t, http.StatusOK, c.post(listTools).status, "the session outlives the listener")
	require.NoError(t, h.Close())
	assert.NoError(t, <-done2)
	transport.CloseIdleConnections()
}

func TestServeRefusesTheWorld(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	for _, addr := range []string{"0.0.0.0:0", "[::]:0"} {
		err := h.ListenAndServe(t.Context(), addr)
		if errors.Is(err, mcphub.ErrUnauthenticated) {
			assert.ErrorContains(t, err, "Options.Authenticate")
			continue
		}
		assert.ErrorContains(t, err, addr, "an address that this machine does not have")
	}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	assert.ErrorIs(t, h.Serve(t.Context(), l), mcphub.ErrUnauthenticated)
	_, err = l.Accept()
	assert.ErrorIs(t, err, net.ErrClosed)
	for _, addr := range []string{"nowhere", "127.0.0.1", "127.0.0.1:x", "192.0.2.1:0"} {
		assert.ErrorContains(t, h.ListenAndServe(t.Context(), addr), addr)
	}

	open := hubtest.NewHub(t, &mcphub.Options{Authenticate: mcphub.BearerToken("t0ken")})
	l, err = open.Listen(t.Context(), "0.0.0.0:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	assert.ErrorContains(t, open.Serve(t.Context(), l), "serve", "a listener that is closed")
}

func TestServeOnUnixSocket(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	l, err := net.Listen("unix", t.TempDir()+"/s")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx, l) }()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", l.Addr().String()) }}
	c := &httpClient{t: t, url: "http://localhost" + mcphub.Path, http: &http.Client{Transport: transport}}
	c.open("2025-11-25", `{}`)
	transport.CloseIdleConnections()
	cancel()
	assert.NoError(t, <-done)
}

// Without Authenticate only what arrived on a loopback address is served,
// whatever the client says.
func TestHandlerOffLoopback(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	named := hubtest.NewHub(t, &mcphub.Options{Authenticate: mcphub.BearerToken("t0ken"), AllowedHosts: []string{"mcp.example.com"}})
	free := hubtest.NewHub(t, &mcphub.Options{Authenticate: mcphub.BearerToken("t0ken")})
	for name, tt := range map[string]struct {
		hub    *mcphub.Hub
		local  net.Addr
		host   string
		status int
	}{
		"loopback":             {h, &net.TCPAddr{IP: net.IPv6loopback}, "localhost", 200},
		"another address":      {h, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, "localhost", 403},
		"all zero":             {h, &net.TCPAddr{IP: net.IPv4zero}, "localhost", 403},
		"of another kind":      {h, &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}, "localhost", 403},
		"unknown":              {h, nil, "localhost", 403},
		"named":                {named, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, "mcp.example.com", 200},
		"named otherwise":      {named, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, "192.0.2.1", 403},
		"without names":        {free, &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, "192.0.2.1:80", 200},
		"loopback, other host": {free, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, "192.0.2.1:80", 403},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest(http.MethodPost, "http://"+tt.host+mcphub.Path, strings.NewReader(initialize("2025-11-25", `{}`)))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer t0ken")
			if tt.local != nil {
				req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, tt.local))
			}
			w := httptest.NewRecorder()
			tt.hub.Handler().ServeHTTP(w, req)
			assert.Equal(t, tt.status, w.Code, w.Body)
		})
	}
}

func TestBearerToken(t *testing.T) {
	c := serve(t, hubtest.NewHub(t, &mcphub.Options{Name: "mine", Authenticate: mcphub.BearerToken("t0ken")}))
	for header, status := range map[string]int{
		"Bearer t0ken":  200,
		"bearer t0ken":  200,
		"Bearer  t0ken": 200,
		"-":             401,
		"Bearer":        401,
		"Bearer ":       401,
		"Bearer t0kem":  401,
		"Bearer t0ken2": 401,
		"Basic t0ken":   401,
		"t0ken":         401,
	} {
		a := c.with("Authorization", header).post(initialize("2025-11-25", `{}`))
		assert.Equal(t, status, a.status, header)
		if status == 401 {
			want := `Bearer realm="mine"`
			if header != "-" {
				want += `, error="invalid_token"`
			}
			assert.Equal(t, want, a.header.Get("WWW-Authenticate"), header)
			assert.NotContains(t, a.body, "t0ken")
		}
	}
	none := mcphub.BearerToken("")
	for _, header := range []string{"", "Bearer", "Bearer "} {
		_, err := none(&http.Request{Header: http.Header{"Authorization": {header}}})
		assert.ErrorIs(t, err, mcphub.ErrUnauthenticated, "an empty token lets nobody in")
	}
}

func TestAuthenticateErrorsStayInside(t *testing.T) {
	var logs bytes.Buffer
	h := hubtest.NewHub(t, &mcphub.Options{
		Telemetry: &genai.Telemetry{Logger: slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		Authenticate: func(*http.Request) (toolspec.Principal, error) {
			return toolspec.Principal{}, errors.New("the directory at 10.0.0.7 is down")
		}})
	a := serve(t, h).post(initialize("2025-11-25", `{}`))
	assert.Equal(t, http.StatusUnauthorized, a.status)
	assert.NotContains(t, a.body, "10.0.0.7")
	assert.Contains(t, logs.String(), "10.0.0.7")
}

// spans collects ended operations.
type spans struct{ names, errors []string }

func (s *spans) Observe(_ context.Context, e genai.Event) {
	s.names, s.errors = append(s.names, e.Name), append(s.errors, e.ErrorType)
}

func TestTelemetry(t *testing.T) {
	var sink spans
	h := hubtest.NewHub(t, &mcphub.Options{Telemetry: &genai.Telemetry{Sink: &sink}}, hubtest.EchoTool(t, "echo"),
		hubtest.ToolDoing(t, "byhand", func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
			return &toolspec.Result{IsError: true}, nil
		}))
	s := serve(t, h).open("2025-11-25", `{}`)
	s.post(call("1", "echo", `{"text":"x"}`))
	s.post(call("1", "echo", `{}`))
	s.post(call("1", "byhand", `{}`))
	assert.Equal(t, []string{"execute_tool echo", "tools/call echo", "tools/call echo", "execute_tool byhand", "tools/call byhand"}, sink.names, "the second was refused before it ran")
	assert.Equal(t, []string{"", "", "INVALID_INPUT", "tool_error", "tool_error"}, sink.errors)
}

// A hub in a server of the program's own answers at any path, and its streams end
// when the server shuts down.
func TestHandlerInAServerOfOnesOwn(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	mux := http.NewServeMux()
	mux.Handle("/tools/of/mine", h.Handler())
	server := &http.Server{Handler: mux}
	server.RegisterOnShutdown(func() { _ = h.Close() })
	l, err := h.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c := (&httpClient{t: t, url: "http://" + l.Addr().String() + "/tools/of/mine", http: &http.Client{Transport: transport}}).open("2025-11-25", `{}`)
	messages, _ := c.stream(c.request(http.MethodGet, ""))
	assert.Contains(t, c.post(call("1", "echo", `{"text":"here"}`)).body, "here")

	within, cancel := context.WithTimeout(t.Context(), hubtest.Patience)
	defer cancel()
	require.NoError(t, server.Shutdown(within), "a listening client does not hold the server")
	ended(t, messages)
	assert.ErrorIs(t, <-done, http.ErrServerClosed)
}
