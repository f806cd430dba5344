package egress

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass/toolspec/secret"
)

// RecorderOptions configure a [Recorder]. The zero value works.
type RecorderOptions struct {
	// Headers names request headers by which exchanges are distinguished. nil:
	// Accept and Content-Type. Headers that carry credentials are never kept.
	Headers []string
	// Redactor masks further secrets in the recorded exchanges. Secrets that the Call
	// knows or has sent are masked anyway.
	Redactor *secret.Redactor
	// MaxBody bounds each body, in bytes. 0: 10 MiB.
	MaxBody int64
}

// Recorder is an http.RoundTripper that records the exchanges through it. Use it in
// [CallOptions].Around, where secrets are still handles. It reads each body to its end
// before it returns the response. It is safe for concurrent use; exchanges are kept in
// the order in which requests started.
type Recorder struct {
	next http.RoundTripper
	opts RecorderOptions

	mu        sync.Mutex
	exchanges []*Exchange // nil if in progress
}

// NewRecorder returns a recorder of the exchanges through next. opts may be nil.
func NewRecorder(next http.RoundTripper, opts *RecorderOptions) *Recorder {
	r := &Recorder{next: next}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Headers == nil {
		r.opts.Headers = []string{"Accept", "Content-Type"}
	}
	pick(&r.opts.MaxBody, 10<<20)
	return r
}

// Exchanges returns the exchanges recorded so far.
func (r *Recorder) Exchanges() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Exchange
	for _, e := range r.exchanges {
		if e != nil {
			list = append(list, *e)
		}
	}
	return list
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := takeBody(req, r.opts.MaxBody)
	if err != nil {
		return nil, err
	}
	out := req
	if body != "" {
		out = req.WithContext(req.Context())
		setBody(out, body)
	}
	r.mu.Lock()
	place := len(r.exchanges)
	r.exchanges = append(r.exchanges, nil)
	r.mu.Unlock()
	clean := cleaner(req, r.opts.Redactor)
	e := &Exchange{Request: describe(req, body, r.opts.Headers, clean)}
	resp, err := r.next.RoundTrip(out)
	var answer string
	if err == nil {
		if answer, err = readAll(resp.Body, r.opts.MaxBody); err == nil {
			e.Response = record(resp, answer, clean)
			resp.Body = io.NopCloser(strings.NewReader(answer))
		}
	}
	if err != nil {
		var own *Error
		if !errors.As(err, &own) {
			// A failure of the connection: its text is not recorded, since it differs
			// between machines.
			own = failed(ReasonIO, "the connection failed", err)
		}
		e.Error = &ExchangeError{Kind: own.Kind, Reason: own.Reason, Message: clean(own.Message)}
	}
	r.mu.Lock()
	r.exchanges[place] = e
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// takeBody reads the body of a request, up to limit, and closes it.
func takeBody(req *http.Request, limit int64) (string, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return "", nil
	}
	return readAll(req.Body, limit)
}

func readAll(body io.ReadCloser, limit int64) (string, error) {
	defer body.Close()
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(body, limit+1))
	if err == nil && n > limit {
		err = denied(ReasonBodyTooLarge, fmt.Sprintf("a body to record has more than %d bytes", limit))
	}
	return b.String(), err
}

// Replayer is an http.RoundTripper that answers from recorded exchanges and never uses a
// network. The first unused exchange that matches answers a request, and is then used. A
// request without a match gets an [*Error] with the reason "replay-miss". It is safe for
// concurrent use.
type Replayer struct {
	exchanges []Exchange
	mask      *secret.Redactor

	mu   sync.Mutex
	used []bool
}

// NewReplayer returns a replayer of exchanges, which are copied. mask, which may be nil,
// masks requests before they are compared, like RecorderOptions.Redactor during the
// recording.
func NewReplayer(exchanges []Exchange, mask *secret.Redactor) *Replayer {
	return &Replayer{exchanges: slices.Clone(exchanges), mask: mask, used: make([]bool, len(exchanges))}
}

// Unused returns the exchanges that have answered no request.
func (r *Replayer) Unused() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Exchange
	for i, e := range r.exchanges {
		if !r.used[i] {
			list = append(list, e)
		}
	}
	return list
}

// RoundTrip implements http.RoundTripper.
func (r *Replayer) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := takeBody(req, 10<<20)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	e := r.exchangeFor(req, body)
	if e == nil {
		return nil, failed(ReasonReplayMiss, fmt.Sprintf("no recorded exchange is left for %s %s (%d of %d are unused)",
			req.Method, cleaner(req, r.mask)(addressOf(req.URL)), len(r.Unused()), len(r.exchanges)), nil)
	}
	if e.Response == nil {
		if e.Error == nil {
			return nil, failed(ReasonReplayMiss, "the recorded exchange has neither a response nor an error", nil)
		}
		return nil, &Error{Kind: e.Error.Kind, Reason: e.Error.Reason, Message: e.Error.Message}
	}
	content, err := e.Response.content()
	if err != nil {
		return nil, failed(ReasonReplayMiss, "the recorded body is not base64", err)
	}
	header := make(http.Header, len(e.Response.Headers))
	for name, values := range e.Response.Headers {
		header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	return &http.Response{
		StatusCode: e.Response.Status,
		Status:     fmt.Sprintf("%d %s", e.Response.Status, http.StatusText(e.Response.Status)),
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, ContentLength: int64(len(content)), Request: req,
		Body: io.NopCloser(strings.NewReader(content)),
	}, nil
}

// policy returns p with the hosts of the exchanges added to those that the operator
// listed.
func (r *Replayer) policy(p *compiled) *compiled {
	own := *p
	own.operator = slices.Clone(p.operator)
	for _, e := range r.exchanges {
		u, err := parseURL(e.Request.URL)
		if err != nil {
			continue // no request can have this URL
		}
		t, err := judgeURL(u)
		if err != nil || t.addr.IsValid() && metadata(t.addr) {
			continue
		}
		own.operator = append(own.operator, &Rule{host: t.name, ports: []uint16{t.port}})
	}
	return &own
}

func (r *Replayer) exchangeFor(req *http.Request, body string) *Exchange {
	clean := cleaner(req, r.mask)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.exchanges {
		if !r.used[i] && r.exchanges[i].Request.matches(req, body, clean) {
			r.used[i] = true
			return &r.exchanges[i]
		}
	}
	return nil
}
