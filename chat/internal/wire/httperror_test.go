package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

func TestHTTPErrorFindsTheCode(t *testing.T) {
	for name, c := range map[string]struct {
		status    int
		body      string
		code      llm.Code
		retryable bool
		message   string
	}{
		"key":                {401, `{"error":{"message":"Incorrect API key provided: sk-abcdefghij0123456789."}}`, llm.CodeProviderAuth, false, "Incorrect API key provided: ***"},
		"forbidden":          {403, `{"error":"not for you"}`, llm.CodeProviderAuth, false, "not for you"},
		"model":              {404, `{"error":{"message":"no such model","code":"model_not_found"}}`, llm.CodeModelNotFound, false, "no such model"},
		"model at 400":       {400, `{"error":{"message":"unknown","code":"model_not_found"}}`, llm.CodeModelNotFound, false, "unknown"},
		"LiteLLM's model":    {400, `{"error":{"message":"Invalid model name passed in model=x","type":null,"code":"400"}}`, llm.CodeModelNotFound, false, "Invalid model name passed in model=x"},
		"page":               {404, `<html><title>Not  here</title>`, llm.CodeModelNotFound, false, "an HTML page: Not here: is the base URL right?"},
		"rate":               {429, `{"message":"slower"}`, llm.CodeRateLimited, true, "slower"},
		"account":            {429, `{"error":{"message":"no credit","type":"insufficient_quota"}}`, llm.CodeRateLimited, false, "no credit"},
		"request time-out":   {408, ``, llm.CodeUnavailable, true, "request timeout"},
		"conflict":           {409, `{}`, llm.CodeUnavailable, true, "conflict"},
		"too early":          {425, ``, llm.CodeUnavailable, true, "too early"},
		"server":             {500, `{"error":{"message":"boom"}}`, llm.CodeUnavailable, true, "boom"},
		"gateway":            {502, "<!DOCTYPE html><html><body><h1>Bad\nGateway</h1></body></html>", llm.CodeUnavailable, true, "an HTML page: Bad Gateway"},
		"overloaded":         {529, ``, llm.CodeUnavailable, true, ""},
		"not implemented":    {501, ``, llm.CodeProviderRejected, false, "not implemented"},
		"overflow by code":   {400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, llm.CodeContextOverflow, false, "too long"},
		"overflow by type":   {400, `{"error":{"code":400,"message":"no room","type":"exceed_context_size_error"}}`, llm.CodeContextOverflow, false, "no room"},
		"overflow by words":  {400, `{"object":"error","message":"This model's maximum context length is 10 tokens"}`, llm.CodeContextOverflow, false, "This model's maximum context length is 10 tokens"},
		"overflow of a 500":  {500, `{"error":"the input exceeds the available context size"}`, llm.CodeContextOverflow, false, "the input exceeds the available context size"},
		"entity":             {413, ``, llm.CodeContextOverflow, false, "request entity too large"},
		"rejected":           {400, `{"detail":[{"loc":["body","seed"],"msg":"must be a number"}]}`, llm.CodeProviderRejected, false, "must be a number"},
		"list":               {422, `[{"error":{"message":"first"}},{"error":{"message":"second"}}]`, llm.CodeProviderRejected, false, "first"},
		"payment":            {402, `{"error":{"message":"pay"}}`, llm.CodeProviderRejected, false, "pay"},
		"redirect":           {302, ``, llm.CodeProviderRejected, false, "found"},
		"control characters": {400, "{\"error\":{\"message\":\"a\\u0000\\u001b[1mb\\u202ec\\nd\"}}", llm.CodeProviderRejected, false, "a[1mbc d"},
		"deep":               {400, `{"error":{"error":{"error":{"error":{"error":{"message":"far"}}}}}}`, llm.CodeProviderRejected, false, "bad request"},
	} {
		t.Run(name, func(t *testing.T) {
			e := wire.HTTPError("p", c.status, http.Header{}, []byte(c.body))
			assert.Equal(t, c.code, e.Code)
			assert.Equal(t, c.retryable, e.Retryable)
			assert.Equal(t, c.status, e.HTTPStatus)
			assert.Equal(t, "p", e.Provider)
			assert.Equal(t, c.message, e.Message)
		})
	}
	long := wire.HTTPError("p", 400, nil, []byte(strings.Repeat("é ", 100_000)))
	assert.LessOrEqual(t, len([]rune(long.Message)), 401)
	bearer := wire.HTTPError("p", 400, nil, []byte("header Authorization: Bearer abc.def-ghi refused"))
	assert.NotContains(t, bearer.Message, "abc")
}

func TestStreamErrorFindsTheCode(t *testing.T) {
	for body, want := range map[string]llm.Error{
		`{"message":"slow","type":"rate_limit_error"}`:     {Code: llm.CodeRateLimited, Retryable: true},
		`{"message":"Rate limit reached"}`:                 {Code: llm.CodeRateLimited, Retryable: true},
		`{"message":"x","code":502}`:                       {Code: llm.CodeUnavailable, Retryable: true, HTTPStatus: 502},
		`{"message":"x","code":400}`:                       {Code: llm.CodeProviderRejected, HTTPStatus: 400},
		`{"message":"x","type":null,"code":"429"}`:         {Code: llm.CodeRateLimited, Retryable: true, HTTPStatus: 429},
		`{"message":"x","type":"invalid_request_error"}`:   {Code: llm.CodeProviderRejected},
		`{"message":"x","type":"authentication_error"}`:    {Code: llm.CodeProviderAuth},
		`{"message":"x","code":"context_length_exceeded"}`: {Code: llm.CodeContextOverflow},
		`{"error":{"message":"x","type":"server_error"}}`:  {Code: llm.CodeUnavailable, Retryable: true},
		`"x"`:                  {Code: llm.CodeUnavailable, Retryable: true},
		`{"code":"something"}`: {Code: llm.CodeUnavailable, Retryable: true},
	} {
		e := wire.StreamError("p", []byte(body))
		assert.Equal(t, want.Code, e.Code, body)
		assert.Equal(t, want.Retryable, e.Retryable, body)
		assert.Equal(t, want.HTTPStatus, e.HTTPStatus, body)
		assert.NotEmpty(t, e.Message, body)
	}
}

func TestRetryAfterReadsEveryForm(t *testing.T) {
	for _, c := range []struct {
		header map[string]string
		want   time.Duration
	}{
		{nil, 0},
		{map[string]string{"Retry-After-Ms": "1500", "Retry-After": "9"}, 1500 * time.Millisecond},
		{map[string]string{"Retry-After": "9"}, 9 * time.Second},
		{map[string]string{"Retry-After": " 0.5 "}, 500 * time.Millisecond},
		{map[string]string{"Retry-After": "-3"}, 0},
		{map[string]string{"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30 * time.Second},
		{map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0},
		{map[string]string{"Retry-After": "soon"}, 0},
		{map[string]string{"Retry-After": "1e300"}, 7 * 24 * time.Hour},
		{map[string]string{"Retry-After": "NaN"}, 0},
		{map[string]string{"X-Ratelimit-Reset-Requests": "1s", "X-Ratelimit-Reset-Tokens": "6m0s"}, 6 * time.Minute},
		{map[string]string{"X-Ratelimit-Reset-Requests": "1s", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Tokens": "6m0s", "X-Ratelimit-Remaining-Tokens": "10"}, time.Second},
		{map[string]string{"X-Ratelimit-Reset-Tokens": "20ms"}, 20 * time.Millisecond},
		{map[string]string{"X-Ratelimit-Reset": "12"}, 12 * time.Second},
		{map[string]string{"X-Ratelimit-Reset": "later"}, 0},
		{map[string]string{"X-Ratelimit-Reset": "1500000000"}, 0},
		{map[string]string{"X-Ratelimit-Reset": "1500000000000"}, 0},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		assert.Equal(t, c.want, wire.RetryAfter(h), "%v", c.header)
	}
	e := wire.HTTPError("p", 429, http.Header{"Retry-After": {"7"}}, nil)
	assert.Equal(t, 7*time.Second, e.RetryAfter)
}

func TestTransportErrors(t *testing.T) {
	ctx := t.Context()
	var e *llm.Error
	require.ErrorAs(t, wire.TransportError(ctx, "p", errors.New("refused"), false), &e)
	assert.Equal(t, llm.CodeUnavailable, e.Code)
	assert.True(t, e.Retryable)
	err := wire.TransportError(ctx, "p", io.EOF, true)
	require.ErrorAs(t, err, &e)
	assert.Equal(t, llm.CodeStreamBroken, e.Code)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorAs(t, wire.TransportError(ctx, "p", wire.ErrTooLong, true), &e)
	assert.False(t, e.Retryable)
	require.ErrorAs(t, wire.TransportError(ctx, "p", context.DeadlineExceeded, true), &e)
	assert.Equal(t, llm.CodeProviderTimeout, e.Code, "a limit of the HTTP client, not of the caller")
	require.ErrorAs(t, wire.TransportError(ctx, "p", &net.OpError{Op: "dial", Err: context.DeadlineExceeded}, false), &e)
	assert.Equal(t, llm.CodeUnavailable, e.Code, "there is no connection")
	known := &llm.Error{Code: llm.CodeBudget}
	assert.Same(t, known, wire.TransportError(ctx, "p", known, true))

	why := errors.New("why")
	stopped, cancel := context.WithCancelCause(ctx)
	cancel(why)
	err = wire.TransportError(stopped, "p", errors.New("x"), true)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, why)
	plain, stop := context.WithCancel(ctx)
	stop()
	require.ErrorIs(t, wire.TransportError(plain, "p", errors.New("x"), true), context.Canceled)
}

func TestPostStaysWhereItWasSent(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer elsewhere.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.Equal(t, "v", r.Header.Get("X-Own"))
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	mux.HandleFunc("/near", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusTemporaryRedirect) })
	mux.HandleFunc("/get", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/ok", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTooManyRequests)
		w.Write(bytes.Repeat([]byte("x"), 1<<20))
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	asked := 0
	client := wire.Client(&http.Client{Transport: s.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { asked++; return nil }})
	header := http.Header{"X-Own": {"v"}}
	for _, path := range []string{"/ok", "/near"} {
		resp, err := wire.Post(t.Context(), client, "p", s.URL+path, header, []byte(`{"a":1}`))
		require.NoError(t, err, path)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		assert.Equal(t, `{"a":1}`, string(body), path)
	}
	assert.Equal(t, 1, asked)
	var e *llm.Error
	for _, path := range []string{"/away", "/get"} {
		_, err := wire.Post(t.Context(), client, "p", s.URL+path, header, nil)
		require.ErrorAs(t, err, &e, path)
		assert.Equal(t, llm.CodeProviderRejected, e.Code, path)
	}
	_, err := wire.Post(t.Context(), client, "p", s.URL+"/busy", header, nil)
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 3*time.Second, e.RetryAfter)
	_, err = wire.Post(t.Context(), client, "p", "http://[", nil, nil)
	assert.Equal(t, llm.CodeInvalidArgument, llm.CodeOf(err))
	s.Close()
	_, err = wire.Post(t.Context(), wire.Client(nil), "p", s.URL+"/ok", nil, nil)
	assert.Equal(t, llm.CodeUnavailable, llm.CodeOf(err))
}
