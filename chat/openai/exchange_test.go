package openai_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/leak"
)

// serve returns a model on a real server.
func serve(t *testing.T, handler http.HandlerFunc) *openai.Model {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	p, err := openai.New(&openai.Options{BaseURL: s.URL + "/v1"})
	require.NoError(t, err)
	m := openai.ModelFor(p, "m")
	return m
}

func TestRetryAfterIsNotLost(t *testing.T) {
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "17")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"error":{"message":"slow down","type":"requests"}}`)
	})
	r := run(t, m, request())
	var e *llm.Error
	require.ErrorAs(t, r.err, &e)
	assert.Equal(t, llm.Error{Code: llm.CodeRateLimited, Provider: "openai", Message: "slow down", HTTPStatus: 429, Retryable: true, RetryAfter: 17 * time.Second}, *e)
}

func TestErrorPagesAreRead(t *testing.T) {
	for body, want := range map[string]string{"<html><title>Bad gateway</title></html>": "an HTML page: Bad gateway", "": "bad gateway", `{"code":7}`: "bad gateway"} {
		m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			io.WriteString(w, body)
		})
		r := run(t, m, request())
		var e *llm.Error
		require.ErrorAs(t, r.err, &e)
		assert.Equal(t, llm.CodeUnavailable, e.Code)
		assert.Equal(t, want, e.Message)
	}
}

// The library takes these streams for successes or for other errors.
func TestWhatTheLibraryLoses(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		close bool
		code  llm.Code
		text  string
	}{
		"a body that just ends":       {sse(said("a")), false, llm.CodeStreamBroken, "a"},
		"a connection that breaks":    {sse(said("a")), true, llm.CodeStreamBroken, "a"},
		"a comment before an error":   {": keepalive\n\n" + sse(`{"error":{"message":"m","type":"rate_limit_error"}}`), false, llm.CodeRateLimited, ""},
		"many lines that are no data": {strings.Repeat("event: ping\n\n", 500) + fine, false, "", "ok"},
		"reasoning by another name":   {sse(d(`{"reasoning":"hm"}`), said("ok"), f("stop"), done), false, "", "ok"},
		"a redirect":                  {"", false, llm.CodeProviderRejected, ""},
		"an end without a line end":   {strings.TrimSpace(fine), false, "", "ok"},
		"a long line":                 {sse(said(strings.Repeat("x", 100_000)), f("stop"), done), false, "", strings.Repeat("x", 100_000)},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if name == "a redirect" {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, c.body)
				w.(http.Flusher).Flush()
				if c.close {
					panic(http.ErrAbortHandler)
				}
			})
			r := run(t, m, request())
			if c.code == "" {
				require.NoError(t, r.err)
			} else {
				require.Error(t, r.err)
				assert.Equal(t, c.code, r.code)
			}
			assert.Equal(t, c.text, r.text)
		})
	}
}

func TestALineWithoutAnEnd(t *testing.T) {
	s := &server{answers: []answer{{body: "data: " + strings.Repeat("x", 17<<20)}}}
	r := run(t, ask(t, s, openai.Options{}, "m"), request())
	assert.Equal(t, llm.CodeStreamBroken, r.code)
	s = &server{answers: []answer{{header: map[string]string{"Content-Type": "application/json"}, body: strings.Repeat(" ", 17<<20)}}}
	r = run(t, ask(t, s, openai.Options{}, "m"), request())
	assert.Equal(t, llm.CodeStreamBroken, r.code)
	s = &server{answers: []answer{{header: map[string]string{"Content-Type": "application/json"}, body: fine}}}
	r = run(t, ask(t, s, openai.Options{}, "m"), request())
	assert.Equal(t, "ok", r.text, "a stream under a wrong name")
	s = &server{answers: []answer{{header: map[string]string{"Content-Type": "application/json"}, body: "{", cut: true}}}
	assert.Equal(t, llm.CodeStreamBroken, run(t, ask(t, s, openai.Options{}, "m"), request()).code)
}

func TestAPageIsNoAnswer(t *testing.T) {
	s := &server{answers: []answer{{header: map[string]string{"Content-Type": "text/html; charset=utf-8"}, body: "<html>welcome</html>"}}}
	assert.Equal(t, llm.CodeProviderRejected, run(t, ask(t, s, openai.Options{}, "m"), request()).code)
	assert.Zero(t, s.open)
}

func TestCallsWithoutEnd(t *testing.T) {
	var pieces []string
	for i := range 300 {
		pieces = append(pieces, call(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"getTime","arguments":"{}"}}`, i, i)))
	}
	s := &server{answers: []answer{{body: sse(append(pieces, f("tool_calls"), done)...)}}}
	assert.Equal(t, llm.CodeStreamBroken, run(t, ask(t, s, openai.Options{}, "m"), request("getTime")).code)
	assert.Zero(t, s.open)
}

func TestTheConnectionIsUsedAgain(t *testing.T) {
	connections := map[string]bool{}
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		connections[r.RemoteAddr] = true
		io.WriteString(w, fine)
	})
	for range 5 {
		require.NoError(t, run(t, m, request()).err)
	}
	assert.Len(t, connections, 1)
}

func TestNoConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l.Close()
	p, err := openai.New(&openai.Options{BaseURL: "http://" + l.Addr().String()})
	require.NoError(t, err)
	m := openai.ModelFor(p, "m")
	r := run(t, m, request())
	var e *llm.Error
	require.ErrorAs(t, r.err, &e)
	assert.Equal(t, llm.CodeUnavailable, e.Code)
	assert.True(t, e.Retryable)
	// A model that the library only accepts for another API.
	m = openai.ModelFor(p, "text-davinci-003")
	assert.Equal(t, llm.CodeProviderRejected, run(t, m, request()).code)
}

func TestAKeyGoesToNoOtherHost(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	p, err := openai.New(&openai.Options{BaseURL: s.URL, APIKey: key})
	require.NoError(t, err)
	m := openai.ModelFor(p, "m")
	assert.Equal(t, llm.CodeProviderRejected, run(t, m, request()).code)
	_, err = p.Models(t.Context())
	assert.Equal(t, llm.CodeProviderRejected, llm.CodeOf(err))
	assert.False(t, asked)
}

// The consumer may stop at every delta.
func TestBreakingOffAnywhere(t *testing.T) {
	leak.Check(t)
	for name, c := range streams() {
		for k := 1; ; k++ {
			s := &server{answers: []answer{{body: c.in}}}
			if strings.HasPrefix(c.in, "{") {
				s.answers[0].header = map[string]string{"Content-Type": "application/json"}
			}
			m := ask(t, s, openai.Options{}, "m")
			n := 0
			for range m.Generate(t.Context(), request("getTime", "getTimeZone", "getWeather")) {
				if n++; n == k {
					break
				}
			}
			require.Zero(t, s.open, "%s broken off after %d", name, k)
			if n < k {
				break
			}
		}
	}
}

func TestBreakingOffARealConnection(t *testing.T) {
	leak.Check(t)
	ended := make(chan struct{}, 10)
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; r.Context().Err() == nil; i++ {
			fmt.Fprint(w, sse(said("x"+strconv.Itoa(i))))
			w.(http.Flusher).Flush()
		}
		ended <- struct{}{}
	})
	for k := 1; k <= 5; k++ {
		n := 0
		for _, err := range m.Generate(t.Context(), request()) {
			require.NoError(t, err)
			if n++; n == k {
				break
			}
		}
		<-ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	var last error
	for _, err := range m.Generate(ctx, request()) {
		cancel()
		last = err
	}
	require.ErrorIs(t, last, context.Canceled)
	<-ended
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	for _, err := range m.Generate(ctx, request()) {
		require.ErrorIs(t, err, context.Canceled)
	}
}

// slow is a body that has some data and then blocks until it is closed.
type slow struct {
	in  io.Reader
	ctx context.Context
}

func (s *slow) Read(p []byte) (int, error) {
	if n, err := s.in.Read(p); err == nil {
		return n, nil
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s *slow) Close() error { return nil }

type slowServer string

func (s slowServer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: &slow{in: strings.NewReader(string(s)), ctx: r.Context()}, Request: r}, nil
}

func TestACompleteAnswerDoesNotWaitForTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		most time.Duration
	}{
		"done":   {fine, time.Second},
		"reason": {sse(said("ok"), f("stop")), 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := openai.New(&openai.Options{HTTPClient: &http.Client{Transport: slowServer(c.body)}})
				require.NoError(t, err)
				m, err := p.Model(t.Context(), "gpt-4o")
				require.NoError(t, err)
				began := time.Now()
				r := run(t, m, request())
				require.NoError(t, r.err)
				assert.Equal(t, "ok", r.text)
				assert.Less(t, time.Since(began), c.most)
			})
		})
	}
}

func TestRawIsKept(t *testing.T) {
	s := &server{answers: []answer{{body: fine}}}
	req := request()
	req.Options.KeepRaw = true
	var raw []string
	for d, err := range ask(t, s, openai.Options{}, "m").Generate(t.Context(), req) {
		require.NoError(t, err)
		if d.Kind == llm.DeltaRaw {
			raw = append(raw, string(d.Raw))
		}
	}
	assert.Equal(t, []string{said("ok"), f("stop")}, raw)
}

func TestStateOfReasoning(t *testing.T) {
	s := &server{answers: []answer{{body: sse(d(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}`), said("ok"), f("stop"), done)}}}
	var state string
	for d, err := range ask(t, s, openai.Options{}, "m").Generate(t.Context(), request()) {
		require.NoError(t, err)
		if d.Kind == llm.DeltaState {
			state = string(d.Provider["reasoning_details"])
		}
	}
	assert.JSONEq(t, `[{"type":"reasoning.encrypted","data":"x"}]`, state)
}
