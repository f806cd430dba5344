package servers

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// StepStatus is the outcome of a step of a trial.
type StepStatus string

// The outcomes.
const (
	StepOK     StepStatus = "ok"
	StepFailed StepStatus = "failed"
	// StepSkipped: there was nothing to do, such as TLS for an http address.
	StepSkipped StepStatus = "skipped"
)

// TestStep is one step of a trial of a connection.
type TestStep struct {
	// Name is "settings" (only when values are missing), "resolve", "connect", "tls"
	// and "auth" over HTTP, "start" for a program, then "initialize" and "list".
	Name   string     `json:"name"`
	Status StepStatus `json:"status"`
	// Duration is how long it took; 0 for a skipped step, and for "auth", which is part
	// of the first request.
	Duration time.Duration `json:"-"`
	// Detail describes the outcome, or the reason of a failure. Secrets are masked.
	Detail string `json:"detail,omitempty"`
}

// trialTrace records how far a trial gets. Callbacks may come late, from goroutines of a
// dial that was given up: they are then ignored.
type trialTrace struct {
	now   func() time.Time
	began time.Time

	mu                          sync.Mutex
	over                        bool
	dnsStart, dnsDone           time.Time
	dnsErr                      error
	connectStart, connectDone   time.Time
	connected                   bool
	connectErr                  error
	to                          string
	tlsStart, tlsDone, firstOut time.Time
	tlsErr                      error
	tlsWith                     string
}

func (t *trialTrace) note(do func(now time.Time)) {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		do(now)
	}
}

// first keeps the first time of an event: later requests do not count.
func first(at *time.Time, now time.Time) {
	if at.IsZero() {
		*at = now
	}
}

// watch adds the trace to the context of the dialling.
func (t *trialTrace) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { t.note(func(now time.Time) { first(&t.dnsStart, now) }) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			t.note(func(now time.Time) {
				if t.dnsDone.IsZero() {
					t.dnsDone, t.dnsErr = now, i.Err
				}
			})
		},
		ConnectStart: func(string, string) { t.note(func(now time.Time) { first(&t.connectStart, now) }) },
		ConnectDone: func(_, addr string, err error) { // several addresses may be tried
			t.note(func(now time.Time) {
				if !t.connected {
					t.connectDone, t.connected, t.connectErr, t.to = now, err == nil, err, addr
				}
			})
		},
		TLSHandshakeStart: func() { t.note(func(now time.Time) { first(&t.tlsStart, now) }) },
		TLSHandshakeDone: func(s tls.ConnectionState, err error) {
			t.note(func(now time.Time) {
				if t.tlsDone.IsZero() {
					t.tlsDone, t.tlsErr, t.tlsWith = now, err, tls.VersionName(s.Version)
				}
			})
		},
	})
}

// wire records the first message that is sent.
func (t *trialTrace) wire(m client.WireMessage) {
	if m.Sent {
		t.note(func(now time.Time) { first(&t.firstOut, now) })
	}
}

// steps returns the steps of the dialling. err is how it ended, and info what was
// negotiated.
func (t *trialTrace) steps(e client.Endpoint, info *client.SessionInfo, err error) []TestStep {
	end := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	why := ""
	if err != nil {
		why = strings.TrimPrefix(rpc.Plain(err), e.String()+": ")
	}
	var missing *client.MissingConfigError
	if errors.As(err, &missing) {
		return []TestStep{{Name: "settings", Status: StepFailed, Detail: "no value for " + strings.Join(missing.Names, ", ")}}
	}
	var list []TestStep
	last := t.began
	switch e.Kind {
	case client.TransportHTTP, client.TransportSSE:
		list, last = t.network(e, err, why)
	case client.TransportStdio:
		start := TestStep{Name: "start", Status: StepOK, Detail: e.Address}
		if t.firstOut.IsZero() && err != nil {
			start.Status, start.Duration, start.Detail = StepFailed, end.Sub(t.began), why
			return []TestStep{start}
		}
		if !t.firstOut.IsZero() {
			start.Duration, last = t.firstOut.Sub(t.began), t.firstOut
		}
		list = []TestStep{start}
	}
	if n := len(list); n > 0 && list[n-1].Status == StepFailed {
		return list
	}
	step := TestStep{Name: "initialize", Status: StepOK, Duration: end.Sub(last)}
	switch {
	case err != nil:
		step.Status, step.Detail = StepFailed, why
	case info != nil:
		step.Detail = strings.TrimSpace(info.Server.Name+" "+info.Server.Version) + ", " + info.Version + ", " + info.Era.String()
	}
	return append(list, step)
}

// network returns the steps up to the first answer.
func (t *trialTrace) network(e client.Endpoint, err error, why string) (list []TestStep, last time.Time) {
	resolve := TestStep{Name: "resolve", Status: StepSkipped, Detail: "the address needs no name server"}
	if !t.dnsStart.IsZero() {
		resolve.Status, resolve.Detail = StepOK, ""
		resolve.Duration = t.dnsDone.Sub(t.dnsStart)
		if t.dnsErr != nil || t.dnsDone.IsZero() {
			resolve.Status, resolve.Duration, resolve.Detail = StepFailed, max(resolve.Duration, 0), why
			return []TestStep{resolve}, t.dnsStart
		}
	}
	connect := TestStep{Name: "connect", Status: StepOK, Detail: t.to}
	switch {
	case t.connected:
		connect.Duration = t.connectDone.Sub(t.connectStart)
	case t.connectStart.IsZero() && err == nil: // through what the options provide
		connect.Status, connect.Detail = StepSkipped, ""
	case t.connectStart.IsZero() && t.firstOut.IsZero(), !t.connectStart.IsZero():
		connect.Status, connect.Detail = StepFailed, why
		if !t.connectDone.IsZero() {
			connect.Duration = t.connectDone.Sub(t.connectStart)
		}
		return []TestStep{resolve, connect}, t.began
	default:
		connect.Status, connect.Detail = StepSkipped, ""
	}
	last = t.began
	if t.connected {
		last = t.connectDone
	}
	secure := TestStep{Name: "tls", Status: StepSkipped, Detail: "the address is not https"}
	if !t.tlsStart.IsZero() {
		secure.Status, secure.Detail = StepOK, t.tlsWith
		if t.tlsErr != nil || t.tlsDone.IsZero() {
			secure.Status, secure.Detail = StepFailed, why
			return []TestStep{resolve, connect, secure}, last
		}
		secure.Duration, last = t.tlsDone.Sub(t.tlsStart), t.tlsDone
	} else if strings.HasPrefix(e.Address, "https:") {
		secure.Detail = ""
	}
	auth := TestStep{Name: "auth", Status: StepOK, Detail: string(e.Auth)}
	if e.Auth == client.AuthNone {
		auth.Status, auth.Detail = StepSkipped, "no credentials are sent"
	}
	var conn *client.ConnError
	if errors.Is(err, client.ErrAuthorizationRequired) || errors.Is(err, client.ErrForbidden) ||
		errors.As(err, &conn) && (conn.Status == http.StatusUnauthorized || conn.Status == http.StatusForbidden) {
		auth.Status, auth.Detail = StepFailed, why
	}
	return []TestStep{resolve, connect, secure, auth}, last
}
