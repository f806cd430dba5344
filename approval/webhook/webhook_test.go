package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/approval/webhook"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

var webhookKey = []byte("0123456789abcdef-shared")

// service is the service that a webhook calls.
type service struct {
	*httptest.Server
	t     *testing.T
	clock *approvaltest.Clock
	got   []webhook.Request
	raw   [][]byte
}

// newService verifies each message and calls reply. The message is nil if its signature
// is not valid.
func newService(t *testing.T, reply func(w http.ResponseWriter, s *service, m *webhook.Request)) *service {
	s := &service{t: t, clock: approvaltest.NewClock()}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NoError(t, webhook.Verify(webhookKey, r.Header.Get(webhook.HeaderTimestamp), r.Header.Get(webhook.HeaderSignature), body, s.clock.Now(), 0))
		assert.Equal(t, http.MethodPost, r.Method)
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		var m webhook.Request
		assert.NoError(t, json.Unmarshal(body, &m))
		s.got, s.raw = append(s.got, m), append(s.raw, body)
		reply(w, s, &m)
	}))
	t.Cleanup(s.Close)
	return s
}

// signed sends a body with a signature of now.
func (s *service) signed(w http.ResponseWriter, body []byte) {
	s.signedAs(w, webhookKey, s.clock.Now(), body)
}

func (s *service) signedAs(w http.ResponseWriter, key []byte, at time.Time, body []byte) {
	w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(at.Unix()))
	w.Header().Set(webhook.HeaderSignature, webhook.Sign(key, at, body))
	_, _ = w.Write(body)
}

// approving returns a reply that approves all requests of a message.
func approving(m *webhook.Request) []byte {
	reply := webhook.Reply{ID: m.ID}
	for _, r := range m.Requests {
		reply.Decisions = append(reply.Decisions, webhook.Decision{Request: r.ID, Outcome: approval.Approved, By: "ada"})
	}
	body, _ := json.Marshal(reply)
	return body
}

func (s *service) ask(ctx context.Context, opts *webhook.Options, requests ...approval.Request) ([]approval.Decision, error) {
	s.t.Helper()
	if opts == nil {
		opts = &webhook.Options{}
	}
	opts.Clock = s.clock.Now
	a, err := webhook.New(s.URL+"/hook?token=hidden-token", webhookKey, opts)
	require.NoError(s.t, err)
	return a.Ask(ctx, requests)
}

func TestWebhook(t *testing.T) {
	leak.Check(t)
	s := newService(t, func(w http.ResponseWriter, s *service, m *webhook.Request) {
		body, _ := json.Marshal(webhook.Reply{ID: m.ID, Decisions: []webhook.Decision{
			{Request: "r2", Outcome: approval.Declined, Reason: "not now"},
			{Request: "r1", Outcome: approval.Approved, Scope: approval.ScopeCalls, Calls: 3, By: "ada", Arguments: json.RawMessage(`{"path":"other.md"}`), Confirm: "writeNote"},
		}})
		s.signed(w, body)
	})
	got, err := s.ask(t.Context(), nil, approvaltest.Request("r1", toolspec.L3), approvaltest.Request("r2", toolspec.L4))
	require.NoError(t, err)
	host := strings.TrimPrefix(s.URL, "http://")
	assert.Equal(t, []approval.Decision{
		{Request: "r2", Outcome: approval.Declined, Reason: "not now", By: toolspec.Principal{Subject: host, Via: "webhook"}, Via: "webhook"},
		{Request: "r1", Outcome: approval.Approved, Scope: approval.ScopeCalls, Calls: 3, Arguments: json.RawMessage(`{"path":"other.md"}`), Confirm: "writeNote",
			By: toolspec.Principal{Subject: "ada", Issuer: host, Via: "webhook"}, Via: "webhook"},
	}, got)
	require.Len(t, s.got, 1)
	require.Len(t, s.got[0].Requests, 2)
	item := s.got[0].Requests[0]
	assert.Equal(t, approval.StatusPending, item.Status)
	assert.Equal(t, "r1 writeNote L3 Moderate", item.ID+" "+item.Tool+" "+item.Risk)
	assert.JSONEq(t, `{"path":"notes/todo.md","text":"Seoul"}`, string(item.Arguments))
	assert.Contains(t, string(s.raw[0]), `"principal":{"subject":"ada","via":"http"}`)
	assert.False(t, item.Masked)
}

// Every reply that is forged, repeated or malformed refuses the call.
func TestWebhookForgeries(t *testing.T) {
	var before []byte // reply to an earlier message
	header := func(name, value string) func(http.ResponseWriter, *service, *webhook.Request) {
		return func(w http.ResponseWriter, s *service, m *webhook.Request) {
			body := approving(m)
			w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(s.clock.Now().Unix()))
			w.Header().Set(webhook.HeaderSignature, webhook.Sign(webhookKey, s.clock.Now(), body))
			w.Header().Set(name, value)
			if value == "" {
				w.Header().Del(name)
			}
			_, _ = w.Write(body)
		}
	}
	signedBody := func(body func(*webhook.Request) string) func(http.ResponseWriter, *service, *webhook.Request) {
		return func(w http.ResponseWriter, s *service, m *webhook.Request) { s.signed(w, []byte(body(m))) }
	}
	at := func(apart time.Duration) func(http.ResponseWriter, *service, *webhook.Request) {
		return func(w http.ResponseWriter, s *service, m *webhook.Request) {
			s.signedAs(w, webhookKey, s.clock.Now().Add(apart), approving(m))
		}
	}
	for name, tc := range map[string]struct {
		reply func(http.ResponseWriter, *service, *webhook.Request)
		is    error
	}{
		"no signature":         {header(webhook.HeaderSignature, ""), nil},
		"no timestamp":         {header(webhook.HeaderTimestamp, ""), nil},
		"empty signature":      {header(webhook.HeaderSignature, " "), webhook.ErrSignature},
		"another timestamp":    {header(webhook.HeaderTimestamp, "1785585601"), webhook.ErrSignature},
		"upper-case signature": {func(w http.ResponseWriter, s *service, m *webhook.Request) { upper(w, s, m) }, webhook.ErrSignature},
		"two signatures": {func(w http.ResponseWriter, s *service, m *webhook.Request) {
			w.Header().Add(webhook.HeaderSignature, "00")
			twice(w, s, m)
		}, nil},
		"another key": {func(w http.ResponseWriter, s *service, m *webhook.Request) {
			s.signedAs(w, []byte("another-key-altogether"), s.clock.Now(), approving(m))
		}, webhook.ErrSignature},
		"no key": {func(w http.ResponseWriter, s *service, m *webhook.Request) {
			s.signedAs(w, nil, s.clock.Now(), approving(m))
		}, webhook.ErrSignature},
		"body changed":        {func(w http.ResponseWriter, s *service, m *webhook.Request) { changed(w, s, m) }, webhook.ErrSignature},
		"too old":             {at(-5*time.Minute - time.Second), webhook.ErrSignature},
		"ahead":               {at(5*time.Minute + time.Second), webhook.ErrSignature},
		"a reply from before": {func(w http.ResponseWriter, s *service, m *webhook.Request) { s.signed(w, before) }, approval.ErrInvalid},
		"our message back":    {func(w http.ResponseWriter, s *service, m *webhook.Request) { s.signed(w, s.raw[0]) }, approval.ErrInvalid},
		"another request": {signedBody(func(m *webhook.Request) string {
			return strings.Replace(string(approving(m)), `"r1"`, `"r9"`, 1)
		}), approval.ErrInvalid},
		"decided twice": {signedBody(func(m *webhook.Request) string {
			m.Requests = append(m.Requests, m.Requests[0])
			return string(approving(m))
		}), approval.ErrInvalid},
		"unknown outcome": {signedBody(func(m *webhook.Request) string {
			return strings.Replace(string(approving(m)), `"approved"`, `"Approved"`, 1)
		}), approval.ErrInvalid},
		"outcome of a gate": {signedBody(func(m *webhook.Request) string {
			return strings.Replace(string(approving(m)), `"approved"`, `"timed-out"`, 1)
		}), approval.ErrInvalid},
		"no outcome": {signedBody(func(m *webhook.Request) string { return `{"id":"` + m.ID + `","decisions":[{"request":"r1"}]}` }), approval.ErrInvalid},
		"unknown member": {signedBody(func(m *webhook.Request) string {
			return `{"id":"` + m.ID + `","decisions":[],"all":"approved"}`
		}), approval.ErrInvalid},
		"member twice":           {signedBody(func(m *webhook.Request) string { return `{"id":"x","id":"` + m.ID + `","decisions":[]}` }), approval.ErrInvalid},
		"member in another case": {signedBody(func(m *webhook.Request) string { return `{"ID":"` + m.ID + `","decisions":[]}` }), approval.ErrInvalid},
		"no JSON":                {signedBody(func(*webhook.Request) string { return "approved" }), approval.ErrInvalid},
		"nothing":                {signedBody(func(*webhook.Request) string { return "" }), approval.ErrInvalid},
		"something follows":      {signedBody(func(m *webhook.Request) string { return string(approving(m)) + "{}" }), approval.ErrInvalid},
		"a list":                 {signedBody(func(m *webhook.Request) string { return "[" + string(approving(m)) + "]" }), approval.ErrInvalid},
		"too long":               {signedBody(func(m *webhook.Request) string { return string(approving(m)) + strings.Repeat(" ", 1<<20) }), nil},
		"status 201":             {func(w http.ResponseWriter, s *service, m *webhook.Request) { status(w, s, m, 201) }, nil},
		"status 500":             {func(w http.ResponseWriter, s *service, m *webhook.Request) { status(w, s, m, 500) }, nil},
		"status 401":             {func(w http.ResponseWriter, s *service, m *webhook.Request) { status(w, s, m, 401) }, nil},
		"cut off": {func(w http.ResponseWriter, s *service, m *webhook.Request) {
			w.Header().Set("Content-Length", "99999")
			s.signed(w, approving(m))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			earlier := newService(t, func(w http.ResponseWriter, s *service, m *webhook.Request) {
				before = approving(m)
				s.signed(w, before)
			})
			got, err := earlier.ask(t.Context(), nil, approvaltest.Request("r1", toolspec.L3))
			require.NoError(t, err)
			require.Len(t, got, 1, "the way of the test is right")

			s := newService(t, tc.reply)
			got, err = s.ask(t.Context(), nil, approvaltest.Request("r1", toolspec.L3))
			require.Error(t, err)
			if tc.is != nil {
				require.ErrorIs(t, err, tc.is)
			}
			require.NotErrorIs(t, err, approval.ErrPause)
			assert.Empty(t, got)
			assert.NotContains(t, err.Error(), "hidden-token")
		})
	}
}

func upper(w http.ResponseWriter, s *service, m *webhook.Request) {
	body := approving(m)
	w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(s.clock.Now().Unix()))
	w.Header().Set(webhook.HeaderSignature, strings.ToUpper(webhook.Sign(webhookKey, s.clock.Now(), body)))
	_, _ = w.Write(body)
}

func twice(w http.ResponseWriter, s *service, m *webhook.Request) {
	body := approving(m)
	w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(s.clock.Now().Unix()))
	w.Header().Add(webhook.HeaderSignature, webhook.Sign(webhookKey, s.clock.Now(), body))
	_, _ = w.Write(body)
}

func changed(w http.ResponseWriter, s *service, m *webhook.Request) {
	body := approving(m)
	w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(s.clock.Now().Unix()))
	w.Header().Set(webhook.HeaderSignature, webhook.Sign(webhookKey, s.clock.Now(), bytes.Replace(body, []byte("approved"), []byte("declined"), 1)))
	_, _ = w.Write(body)
}

func status(w http.ResponseWriter, s *service, m *webhook.Request, code int) {
	body := approving(m)
	w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(s.clock.Now().Unix()))
	w.Header().Set(webhook.HeaderSignature, webhook.Sign(webhookKey, s.clock.Now(), body))
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// The time window applies in both directions, to the second.
func TestVerifyWindow(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	body := []byte(`{}`)
	check := func(at time.Time, window time.Duration) error {
		return webhook.Verify(webhookKey, fmt.Sprint(at.Unix()), webhook.Sign(webhookKey, at, body), body, now, window)
	}
	for _, apart := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute} {
		require.NoError(t, check(now.Add(apart), 0))
	}
	for _, apart := range []time.Duration{5*time.Minute + time.Second, -5*time.Minute - time.Second, 100 * 365 * 24 * time.Hour} {
		require.ErrorIs(t, check(now.Add(apart), 0), webhook.ErrSignature)
	}
	require.ErrorIs(t, check(now.Add(2*time.Second), time.Second), webhook.ErrSignature)
	for _, stamp := range []string{"", "-5", "+1800000000", "01800000000", " 1800000000", "1.8e9", "1800000000.0", "99999999999999999999", "9223372036854775807"} {
		mac := webhook.Sign(webhookKey, now, body)
		require.ErrorIs(t, webhook.Verify(webhookKey, stamp, mac, body, now, 0), webhook.ErrSignature, stamp)
	}
}

func TestWebhookPause(t *testing.T) {
	leak.Check(t)
	s := newService(t, func(w http.ResponseWriter, _ *service, _ *webhook.Request) {
		w.WriteHeader(http.StatusAccepted)
	})
	got, err := s.ask(t.Context(), nil, approvaltest.Request("r1", toolspec.L3))
	require.ErrorIs(t, err, approval.ErrPause)
	assert.Empty(t, got)
}

func TestWebhookFollowsNoRedirect(t *testing.T) {
	leak.Check(t)
	reached := false
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer target.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, client := range []*http.Client{nil, {}} {
			s := newService(t, func(w http.ResponseWriter, _ *service, _ *webhook.Request) {
				w.Header().Set("Location", target.URL)
				w.WriteHeader(code)
			})
			_, err := s.ask(t.Context(), &webhook.Options{Client: client}, approvaltest.Request("r1", toolspec.L3))
			require.ErrorContains(t, err, "redirect")
		}
	}
	assert.False(t, reached)
}

func TestWebhookEndsWithItsContext(t *testing.T) {
	leak.Check(t)
	for name, begin := range map[string]bool{"before the answer": false, "within it": true} {
		t.Run(name, func(t *testing.T) {
			arrived, release := make(chan struct{}), make(chan struct{})
			s := newService(t, func(w http.ResponseWriter, s *service, m *webhook.Request) {
				if begin {
					w.Header().Set("Content-Length", "500")
					_, _ = w.Write([]byte("{"))
					_ = http.NewResponseController(w).Flush()
				}
				close(arrived)
				<-release
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			_, err := s.ask(ctx, nil, approvaltest.Request("r1", toolspec.L3))
			close(release)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
	s := newService(t, nil)
	s.Close()
	_, err := s.ask(t.Context(), nil, approvaltest.Request("r1", toolspec.L3))
	require.ErrorContains(t, err, "refused")
	assert.NotContains(t, err.Error(), "hidden-token")
}

func TestWebhookAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://approve.example.com/hook": true, "http://127.0.0.1:8080/": true, "http://[::1]:8080/": true, "http://localhost/": true,
		"http://approve.example.com/": false, "http://10.0.0.1/": false, "http://localhost.example.com/": false, "http://127.0.0.1.example.com/": false,
		"ftp://127.0.0.1/": false, "127.0.0.1:80": false, "": false, "https://": false, "https://ada:pass@approve.example.com/": false, "http://0.0.0.0/": false, "%": false,
	} {
		_, err := webhook.New(address, webhookKey, nil)
		assert.Equal(t, ok, err == nil, "%s: %v", address, err)
		if err != nil {
			assert.NotContains(t, err.Error(), "pass@")
		}
	}
	_, err := webhook.New("http://approve.example.com/", webhookKey, &webhook.Options{Insecure: true})
	require.NoError(t, err)
	_, err = webhook.New("https://approve.example.com/", []byte("too short"), nil)
	require.ErrorContains(t, err, "at least 16")
}

// Secrets are not sent, and their masks cannot come back as arguments.
func TestWebhookRedacts(t *testing.T) {
	edited := `{"path":"a","text":"***"}`
	s := newService(t, func(w http.ResponseWriter, s *service, m *webhook.Request) {
		body, _ := json.Marshal(webhook.Reply{ID: m.ID, Decisions: []webhook.Decision{
			{Request: "r1", Outcome: approval.Approved, Arguments: json.RawMessage(edited)}}})
		s.signed(w, body)
	})
	r := approvaltest.Request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"a","text":"s3cr3t-value"}`)
	r.Prompt, r.Shown, r.Why, r.Changes = "with s3cr3t-value", "s3cr3t-value", []string{"s3cr3t-value"}, []string{"s3cr3t-value"}
	opts := &webhook.Options{Redactor: secret.NewRedactor("s3cr3t-value")}
	_, err := s.ask(t.Context(), opts, r)
	require.ErrorIs(t, err, approval.ErrInvalid)
	require.ErrorContains(t, err, "mask")
	assert.NotContains(t, string(s.raw[0]), "s3cr3t")
	assert.True(t, s.got[0].Requests[0].Masked)
	assert.Equal(t, `{"path":"a","text":"s3cr3t-value"}`, string(r.Arguments), "the caller's request was changed")
	edited = `{"path":"b","text":"plain"}`
	got, err := s.ask(t.Context(), opts, r)
	require.NoError(t, err)
	assert.JSONEq(t, edited, string(got[0].Arguments))
	edited = "null"
	got, err = s.ask(t.Context(), opts, r)
	require.NoError(t, err)
	assert.Nil(t, got[0].Arguments, "null is no edit")
}
