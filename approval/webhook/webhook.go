package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Headers of the requests and replies of a webhook.
const (
	// HeaderTimestamp is when the message was signed, in Unix seconds.
	HeaderTimestamp = "X-Localpass-Timestamp"
	// HeaderSignature is [Sign] of the timestamp and the body.
	HeaderSignature = "X-Localpass-Signature"
)

const (
	minWebhookSecret = 16
	maxWebhookReply  = 1 << 20
	webhookWindow    = 5 * time.Minute
)

// Options are the options of [New].
type Options struct {
	// Client sends the requests. Redirects and cookies are not used. nil: a client
	// without a proxy.
	Client *http.Client
	// Insecure lets requests go over plain HTTP to other machines: anyone on the
	// network path can then read the arguments of calls, though not answer.
	Insecure bool
	// Redactor masks secrets in requests. nil masks nothing.
	Redactor *secret.Redactor
	// MaxReply bounds a reply, in bytes; default 1 MiB.
	MaxReply int64
	// Window is how old, or how far ahead, the timestamp of a reply may be;
	// default 5 minutes.
	Window time.Duration
	// Clock replaces time.Now.
	Clock func() time.Time
}

// Request is the body of a webhook request.
type Request struct {
	// ID identifies this message; the reply repeats it.
	ID string `json:"id"`
	// Requests are the approval requests as [approvalapi.API] shows them, with secrets
	// masked.
	Requests []approval.View `json:"requests"`
}

// Reply is the body of the response, with status 200. Status 202 without a body says that
// the decision comes later, through [approvalapi.API].
type Reply struct {
	// ID is the ID of the answered Request.
	ID        string     `json:"id"`
	Decisions []Decision `json:"decisions"`
}

// Decision answers one request.
type Decision struct {
	Request string `json:"request"`
	// Outcome is [approval.Approved], [approval.Declined] or [approval.Cancelled].
	Outcome   approval.Outcome `json:"outcome"`
	Scope     approval.Scope   `json:"scope,omitempty"`
	Calls     int              `json:"calls,omitempty"`
	Until     time.Time        `json:"until,omitzero"`
	Arguments json.RawMessage  `json:"arguments,omitempty"`
	Confirm   string           `json:"confirm,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	// By is the service's name of the person who decided. Empty: the service itself.
	By string `json:"by,omitempty"`
}

// New returns an approver that asks another service: it posts the requests as JSON,
// signed with the shared secret, and accepts a recent reply with the same kind of
// signature that covers exactly these requests. The service may keep the HTTP request
// open until a person has decided, bounded by the context, or answer 202, which means
// [approval.ErrPause].
//
// The error says what is wrong with the address or the secret: the secret must have at
// least 16 bytes, and the address must be https, or http on this machine.
func New(address string, key []byte, opts *Options) (approval.Approver, error) {
	w := &webhook{address: address, key: bytes.Clone(key)}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.MaxReply <= 0 {
		w.opts.MaxReply = maxWebhookReply
	}
	if w.opts.Window <= 0 {
		w.opts.Window = webhookWindow
	}
	w.clock = clock.Clock{NowFunc: w.opts.Clock}
	if len(key) < minWebhookSecret {
		return nil, fmt.Errorf("webhook: the secret has %d bytes: use a random one of at least %d", len(key), minWebhookSecret)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("approval: the address of a webhook: %w", err)
	}
	switch {
	case u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("webhook: %q is not an address: write https, a host and a path", u.Redacted())
	case u.User != nil:
		return nil, fmt.Errorf("webhook: the address %q holds credentials: leave them out, the messages are signed", u.Redacted())
	case u.Scheme == "http" && !w.opts.Insecure && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("webhook: the address %q would send the arguments of calls unencrypted to another machine: use https", u.Redacted())
	}
	w.host = u.Host
	w.client = http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		DisableCompression: true, DisableKeepAlives: true, ForceAttemptHTTP2: true}}
	if w.opts.Client != nil {
		w.client = *w.opts.Client
	}
	w.client.Jar = nil
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

type webhook struct {
	address string
	host    string
	key     []byte
	opts    Options
	client  http.Client
	clock   clock.Clock
}

// Ask posts the requests and waits for the reply.
func (w *webhook) Ask(ctx context.Context, requests []approval.Request) ([]approval.Decision, error) {
	message := Request{ID: w.clock.ID(), Requests: make([]approval.View, len(requests))}
	for i, r := range requests {
		message.Requests[i] = (&approval.Record{Request: r, Status: approval.StatusPending}).View(w.opts.Redactor)
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("webhook: %s: %w", w.host, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("webhook: %s: %w", w.host, err)
	}
	stamp := w.clock.Now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set(HeaderTimestamp, fmt.Sprint(stamp.Unix()))
	req.Header.Set(HeaderSignature, Sign(w.key, stamp, body))
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("webhook: %s: %w", w.host, withoutURL(err))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusAccepted:
		return nil, fmt.Errorf("%w: the webhook %s accepted the request", approval.ErrPause, w.host)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fmt.Errorf("webhook: %s answered with a redirect (%d): give its real address", w.host, resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("webhook: %s answered with status %d, not 200 or 202", w.host, resp.StatusCode)
	}
	reply, err := io.ReadAll(io.LimitReader(resp.Body, w.opts.MaxReply+1))
	if err != nil {
		return nil, fmt.Errorf("webhook: %s: read the reply: %w", w.host, err)
	}
	if int64(len(reply)) > w.opts.MaxReply {
		return nil, fmt.Errorf("webhook: %s: the reply is longer than %d bytes", w.host, w.opts.MaxReply)
	}
	if err := w.verify(resp.Header, reply); err != nil {
		return nil, fmt.Errorf("webhook: %s: %w", w.host, err)
	}
	decisions, err := w.decisions(message.ID, requests, reply)
	if err != nil {
		return nil, fmt.Errorf("webhook: %s: %w", w.host, err)
	}
	return decisions, nil
}

// withoutURL removes the URL from an error of an HTTP client, because its query may
// contain secrets.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// verify checks the signature and the time of a reply.
func (w *webhook) verify(h http.Header, body []byte) error {
	stamps, signatures := h.Values(HeaderTimestamp), h.Values(HeaderSignature)
	if len(stamps) != 1 || len(signatures) != 1 {
		return fmt.Errorf("the reply is not signed: send %s and %s once each", HeaderTimestamp, HeaderSignature)
	}
	return Verify(w.key, stamps[0], signatures[0], body, w.clock.Now(), w.opts.Window)
}

func (w *webhook) by(name string) toolspec.Principal {
	if name == "" {
		return toolspec.Principal{Subject: w.host, Via: "webhook"}
	}
	return toolspec.Principal{Subject: name, Issuer: w.host, Via: "webhook"}
}
