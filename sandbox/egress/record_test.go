package egress_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// script sends what a tool might, through d, and gives what it saw.
func script(t *testing.T, d doer) (saw []string) {
	t.Helper()
	note := func(body string, err error) {
		saw = append(saw, body+"|"+reason(t, err))
	}
	auth := http.Header{"Authorization": {"Bearer {{secret:K}}"}, "X-Key": {"collected-1"}, "Accept": {"text/x"}}
	note(send(t, d, "GET", "http://good.test/text?key={{secret:K}}&c=collected-1", "", auth))
	note(send(t, d, "POST", "http://good.test/echo", `{"k":"{{secret:K}}"}`, http.Header{"Content-Type": {"application/json"}}))
	note(send(t, d, "POST", "http://good.test/echo", strings.Repeat("long ", 2000), nil))
	note(send(t, d, "GET", "http://good.test/count", "", nil))
	note(send(t, d, "GET", "http://good.test/count", "", nil))
	note(send(t, d, "GET", "http://good.test/binary", "", nil))
	note(send(t, d, "GET", "http://good.test/go?to=http://also.test/text", "", auth))
	note(send(t, d, "GET", "http://nowhere.test/", "", nil))
	note(send(t, d, "GET", "http://10.0.0.1/", "", nil))
	note(send(t, d, "GET", "http://good.test/broken", "", nil))
	return saw
}

func recorded(t *testing.T) (exchanges []egress.Exchange, saw []string) {
	t.Helper()
	count := 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "sid=secret-cookie")
		w.Header().Set("X-Request-Token", "secret-token")
		w.Header().Set("X-Echo", r.Header.Get("X-Key"))
		switch r.URL.Path {
		case "/text":
			io.WriteString(w, "hello collected-1")
		case "/echo":
			body, _ := io.ReadAll(r.Body)
			w.Write(body)
		case "/count":
			count++
			io.WriteString(w, strings.Repeat("I", count))
		case "/binary":
			w.Write([]byte{0, 0xff, 0xfe})
		case "/broken":
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		default:
			redirecting(w, r)
		}
	})
	mask := secret.NewRedactor("collected-1")
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"good.test"}}, handler, public(), nil)
	var rec *egress.Recorder
	call, err := b.NewCall(options(mask, func(next http.RoundTripper) http.RoundTripper {
		rec = egress.NewRecorder(next, &egress.RecorderOptions{Headers: []string{"Accept", "Content-Type", "Authorization", "X-Key"}})
		return rec
	}))
	require.NoError(t, err)
	saw = script(t, call)
	return rec.Exchanges(), saw
}

func options(mask *secret.Redactor, around func(http.RoundTripper) http.RoundTripper) *egress.CallOptions {
	return &egress.CallOptions{Secrets: []egress.Secret{{Name: "K", Hosts: []string{"good.test"}}}, Lookup: secret.Map(map[string]string{"K": "value-of-k"}), Redactor: mask, Around: around}
}

func TestRecordAndReplay(t *testing.T) {
	exchanges, saw := recorded(t)
	assert.Equal(t, []string{
		"hello collected-1|", `{"k":"value-of-k"}|`, strings.Repeat("long ", 2000) + "|", "I|", "II|", "\x00\xff\xfe|", "hello collected-1|",
		"|dns-resolution-failed", "|literal-private-ip", "|io",
	}, saw)

	// As JSON, as a spec carries it, and without secrets.
	text, err := json.MarshalIndent(exchanges, "", " ")
	require.NoError(t, err)
	for _, value := range []string{"collected-1", "value-of-k", "secret-cookie", "secret-token", "Authorization", "Set-Cookie", "Date"} {
		assert.NotContains(t, string(text), value)
	}
	assert.Contains(t, string(text), "key={{secret:K}}")
	var again []egress.Exchange
	require.NoError(t, json.Unmarshal(text, &again))
	require.Len(t, again, 10, "the refused address is not an exchange, a redirect is two")
	assert.Equal(t, "sha256:", again[2].Request.Digest[:7])
	assert.Equal(t, map[string]string{"Accept": "text/x", "X-Key": "***"}, again[0].Request.Headers)
	assert.Equal(t, 302, again[6].Response.Status)
	assert.Equal(t, &egress.ExchangeError{Kind: toolspec.KindSecurity, Reason: "dns-resolution-failed", Message: `[fetch] denied: "nowhere.test" could not be looked up`}, again[8].Error)

	// Without any network, and with another value of the collected secret, the
	// same comes out, masked where a secret was.
	mask := secret.NewRedactor("collected-1", "value-of-k")
	replayer := egress.NewReplayer(again, secret.NewRedactor("collected-1"))
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, nil, func(o *egress.Options) {
		o.Call = *options(nil, func(http.RoundTripper) http.RoundTripper { return replayer })
	})
	call, err := b.NewCall(nil)
	require.NoError(t, err)
	replayed := script(t, call)
	for i := range saw {
		saw[i] = mask.String(saw[i])
	}
	assert.Equal(t, saw, replayed)
	assert.Empty(t, replayer.Unused())
	assert.Empty(t, b.net.dialed)
	assert.Empty(t, b.dns.asked)
	_, err = get(t, call, "http://good.test/count")
	assert.Equal(t, "replay-miss", reason(t, err), "each exchange answers once")
}

func TestReplayMiss(t *testing.T) {
	exchange := func() []egress.Exchange {
		return []egress.Exchange{{
			Request:  egress.ExchangeRequest{Method: "POST", URL: "http://good.test/a?b=c", Headers: map[string]string{"accept": "x"}, Body: "body"},
			Response: &egress.ExchangeResponse{Status: 201, Headers: map[string][]string{"x-a": {"1"}}, Body: "made"},
		}}
	}
	for name, tt := range map[string]struct {
		method, url, body string
		accept            string
		change            func(*egress.Exchange)
		want              string
	}{
		"hit":        {"POST", "http://good.test/a?b=c", "body", "x", nil, ""},
		"method":     {"PUT", "http://good.test/a?b=c", "body", "x", nil, "replay-miss"},
		"path":       {"POST", "http://good.test/b?b=c", "body", "x", nil, "replay-miss"},
		"query":      {"POST", "http://good.test/a?b=d", "body", "x", nil, "replay-miss"},
		"host":       {"POST", "http://also.test/a?b=c", "body", "x", nil, "replay-miss"},
		"scheme":     {"POST", "https://good.test/a?b=c", "body", "x", nil, "replay-miss"},
		"body":       {"POST", "http://good.test/a?b=c", "other", "x", nil, "replay-miss"},
		"header":     {"POST", "http://good.test/a?b=c", "body", "y", nil, "replay-miss"},
		"no header":  {"POST", "http://good.test/a?b=c", "body", "", nil, "replay-miss"},
		"bad base64": {"POST", "http://good.test/a?b=c", "body", "x", func(e *egress.Exchange) { e.Response.Base64 = "?" }, "replay-miss"},
		"no answer":  {"POST", "http://good.test/a?b=c", "body", "x", func(e *egress.Exchange) { e.Response = nil }, "replay-miss"},
		"recorded failure": {"POST", "http://good.test/a?b=c", "body", "x", func(e *egress.Exchange) {
			e.Response, e.Error = nil, &egress.ExchangeError{Kind: "HELPER_RUNTIME", Reason: "tls", Message: "[fetch] m"}
		}, "tls"},
		"policy still holds": {"POST", "http://10.0.0.1/", "body", "x", func(e *egress.Exchange) { e.Request.URL = "http://10.0.0.1/" }, literal},
	} {
		t.Run(name, func(t *testing.T) {
			list := exchange()
			if tt.change != nil {
				tt.change(&list[0])
			}
			replayer := egress.NewReplayer(list, nil)
			b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, nil, public(), func(o *egress.Options) {
				o.Call.Around = func(http.RoundTripper) http.RoundTripper { return replayer }
			})
			header := http.Header{}
			if tt.accept != "" {
				header.Set("Accept", tt.accept)
			}
			body, err := send(t, b, tt.method, tt.url, tt.body, header)
			assert.Equal(t, tt.want, reason(t, err))
			if tt.want == "" {
				assert.Equal(t, "made", body)
			}
			assert.Empty(t, b.net.dialed)
			assert.Equal(t, strings.HasPrefix(tt.want, "replay") && tt.change == nil || tt.want == literal, len(replayer.Unused()) == 1)
		})
	}
}

func TestRecorderBounds(t *testing.T) {
	u, err := url.Parse("http://good.test/")
	require.NoError(t, err)
	rec := egress.NewRecorder(roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("12345")), Request: r}, nil
	}), &egress.RecorderOptions{MaxBody: 4})
	_, err = rec.RoundTrip(&http.Request{Method: "GET", URL: u})
	assert.Equal(t, "response-body-too-large", reason(t, err))
	_, err = rec.RoundTrip(&http.Request{Method: "POST", URL: u, Body: io.NopCloser(strings.NewReader("12345"))})
	assert.Equal(t, "response-body-too-large", reason(t, err))
	require.Len(t, rec.Exchanges(), 1)
	assert.Equal(t, "response-body-too-large", rec.Exchanges()[0].Error.Reason)

	failing := egress.NewRecorder(roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("10.0.0.1 does not answer") }), nil)
	_, err = failing.RoundTrip(&http.Request{Method: "GET", URL: u})
	require.Error(t, err)
	assert.Equal(t, &egress.ExchangeError{Kind: toolspec.KindHelperRuntime, Reason: "io", Message: "[fetch] the connection failed"}, failing.Exchanges()[0].Error)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A replay sends nothing: it answers for an internal host that nobody opened, and
// for nothing that it has no exchange with.
func TestReplayInternalHosts(t *testing.T) {
	answer := func(address string) egress.Exchange {
		return egress.Exchange{Request: egress.ExchangeRequest{Method: "GET", URL: address}, Response: &egress.ExchangeResponse{Status: 200, Body: "recorded"}}
	}
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkOpen, Deny: []string{"10.0.0.8"}}, &egress.Options{
		Dial: func(context.Context, string, string) (net.Conn, error) { panic("a replay dials nothing") }})
	require.NoError(t, err)
	defer guard.Close()
	call, err := guard.NewCall(&egress.CallOptions{Replay: egress.NewReplayer([]egress.Exchange{
		answer("http://localhost:11434/x"), answer("http://10.0.0.7/x"), answer("http://10.0.0.8/x"), answer("http://169.254.169.254/x"), answer("http://inner.test/x")}, nil)})
	require.NoError(t, err)
	for address, want := range map[string]string{
		"http://localhost:11434/x": "", "http://10.0.0.7/x": "", "http://inner.test/x": "",
		"http://localhost:11435/x": resolved, "http://10.0.0.9/x": literal, "http://10.0.0.7/y": "replay-miss",
		"http://10.0.0.8/x": "host-in-denylist", "http://169.254.169.254/x": literal,
	} {
		_, err := get(t, call, address)
		assert.Equal(t, want, reason(t, err), "%s: %v", address, err)
	}
	_, err = get(t, guard, "http://10.0.0.7/x")
	assert.Equal(t, literal, reason(t, err), "the guard itself opens nothing")
}
