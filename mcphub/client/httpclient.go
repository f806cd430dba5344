package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

const (
	maxRedirects = 5
	maxRefusal   = 64 << 10 // bytes that are read of the body of an error response
	maxRetryWait = time.Hour
	sessionIDMax = 4 << 10
	maxRenewals  = 3 // renewals for one request: a nonce, a token, more scopes
)

// httpClient sends the requests of one session.
type httpClient struct {
	t          *httpTransport
	url        *url.URL
	configured http.Header
	limit      int64
}

// httpRefusal is an error response.
type httpRefusal struct {
	status     int
	retryAfter time.Duration
	challenges []string
	body       string
	err        error
}

func (e *httpRefusal) Error() string {
	if e.err == nil {
		return fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
	}
	return fmt.Sprintf("%s (HTTP %d)", rpc.PlainText(e.err.Error()), e.status)
}

func (e *httpRefusal) Unwrap() error { return e.err }

// errNotSent marks a request that certainly did not reach the server.
type errNotSent struct{ error }

func (e errNotSent) Unwrap() error { return e.error }

// noRequest is the template of every request. It is never changed.
var noRequest = &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

// do sends one request and returns the response, whatever its status. It follows
// redirects on the same host, and resends a request that was refused for its credentials
// if they can be renewed.
func (c *httpClient) do(ctx context.Context, s *session, method string, target *url.URL, header http.Header, body []byte) (*http.Response, error) {
	renewed := 0
	for redirects := 0; ; {
		req := noRequest.WithContext(ctx) // makes a copy; there is no other way to set the context
		req.Method, req.URL, req.Host, req.Header = method, target, target.Host, header
		if body != nil {
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		}
		if err := c.authorize(req); err != nil {
			return nil, err
		}
		resp, err := c.t.rt.RoundTrip(req)
		if err != nil {
			switch {
			case notSent(err):
				err = errNotSent{err}
			case strings.Contains(err.Error(), "response headers exceeded"): // net/http has no error value for it
				err = fmt.Errorf("%w: the headers of the answer have more than %d bytes", ErrTooLarge, rpc.MaxHeaderBytes)
			}
			return nil, err
		}
		if perRequest, ok := c.t.opts.Credentials.(RequestCredentials); ok {
			perRequest.Answered(req, resp)
		}
		switch status := resp.StatusCode; {
		case status >= 300 && status < 400:
			next, err := c.redirect(resp, target, method, redirects)
			if err != nil {
				return nil, err
			}
			target = next
			redirects++
		case (status == http.StatusUnauthorized || status == http.StatusForbidden) && c.renewable(renewed):
			renewed++
			refused := c.refusal(resp)
			var e *ConnError
			if !errors.As(s.failure(method, true, refused), &e) {
				return nil, refused
			}
			again, err := c.challenged(req, e)
			if err != nil {
				return nil, notRenewed(refused, err)
			}
			if !again {
				return nil, refused
			}
		default:
			return resp, nil
		}
	}
}

// authorize adds the credentials to a request. Only they may authenticate the caller: the
// request's own header is not shared.
func (c *httpClient) authorize(req *http.Request) error {
	creds := c.t.opts.Credentials
	if creds == nil {
		return nil
	}
	req.Header = maps.Clone(req.Header)
	var err error
	if perRequest, ok := creds.(RequestCredentials); ok {
		err = perRequest.AuthorizeRequest(req)
	} else {
		err = creds.Authorize(req.Context(), req.Header)
	}
	if err != nil {
		return errNotSent{fmt.Errorf("no credentials: %w", err)}
	}
	return nil
}

// renewable reports whether credentials may be renewed once more for a request.
func (c *httpClient) renewable(renewed int) bool {
	switch c.t.opts.Credentials.(type) {
	case nil:
		return false
	case RequestCredentials:
		return renewed < maxRenewals
	}
	return renewed == 0
}

func (c *httpClient) challenged(req *http.Request, refused *ConnError) (bool, error) {
	if perRequest, ok := c.t.opts.Credentials.(RequestCredentials); ok {
		return perRequest.ChallengedRequest(req, refused)
	}
	return c.t.opts.Credentials.Challenged(req.Context(), refused)
}

// notRenewed returns the error for a request whose credentials could not be renewed. The
// server did not act on the request. If obtaining new credentials only fails temporarily,
// the error says so.
func notRenewed(refused *httpRefusal, err error) error {
	var passing interface{ Temporary() bool }
	if AuthorizationURL(err) == "" && errors.As(err, &passing) && passing.Temporary() {
		return errNotSent{fmt.Errorf("no credentials for now: %w", err)}
	}
	return fmt.Errorf("%w: %w", refused, err)
}

// notSent reports whether an error occurred before anything could be sent.
func notSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") || errors.As(err, &dns) ||
		errors.As(err, &cert) || errors.As(err, &plain)
}

// redirect returns the target of a redirection if it may be followed: it must be on the
// same host, or on the same host over TLS, and the request must stay unchanged.
func (c *httpClient) redirect(resp *http.Response, from *url.URL, method string, before int) (*url.URL, error) {
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	_ = resp.Body.Close()
	no := func(why string) error {
		return &httpRefusal{status: resp.StatusCode, err: fmt.Errorf("the server redirects, %s", why)}
	}
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if method != http.MethodGet {
			return nil, no("in a way that drops the message")
		}
	default:
		return nil, no("in an unknown way")
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	switch {
	case err != nil || resp.Header.Get("Location") == "":
		return nil, no("and does not say where to")
	case before >= maxRedirects:
		return nil, no("again and again")
	case !sameOrigin(from, to) && !(from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname() && from.Port() == "" && to.Port() == ""):
		return nil, no("to another host, where credentials must not go: configure that address, if it is to be trusted")
	}
	to.User, to.Fragment = nil, ""
	return to, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// refusal reads an error response and closes it.
func (c *httpClient) refusal(resp *http.Response) *httpRefusal {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // as much of it as can be read
	_ = resp.Body.Close()
	e := &httpRefusal{status: resp.StatusCode, retryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
		challenges: resp.Header.Values("WWW-Authenticate"), body: string(body)}
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		e.err = ErrAuthorizationRequired
	case http.StatusForbidden:
		e.err = ErrForbidden
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		e.err = ErrBusy
	}
	return e
}

// retryAfter reads a Retry-After header: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, maxRetryWait)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxRetryWait)
	}
	return 0
}

// kindOf returns the media type of a response.
func kindOf(resp *http.Response) string {
	kind := resp.Header.Get("Content-Type")
	if kind == "application/json" || kind == "text/event-stream" {
		return kind
	}
	kind, _, err := mime.ParseMediaType(kind)
	if err != nil {
		return ""
	}
	return kind
}

// body reads a whole body and closes it.
func (c *httpClient) body(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	if n := resp.ContentLength; n > c.limit {
		return nil, fmt.Errorf("%w: the answer has %d bytes, and the limit is %d", ErrTooLarge, n, c.limit)
	} else if n >= 0 && n <= 64<<10 { // a claimed length is no reason to allocate more
		data := make([]byte, n)
		if _, err := io.ReadFull(resp.Body, data); err != nil {
			return nil, err
		}
		_, _ = resp.Body.Read(make([]byte, 1)) // reads the end of the body, so that the connection can be reused
		return data, nil
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.limit+1))
	if err == nil && int64(len(data)) > c.limit {
		err = fmt.Errorf("%w: the answer is longer than %d bytes", ErrTooLarge, c.limit)
	}
	return data, err
}

// SameAddress compares the addresses of resources (RFC 8707): an empty path equals a
// single slash.
func SameAddress(a, b string) bool {
	one, err := parseAddress(a)
	if err != nil {
		return false
	}
	two, err := parseAddress(b)
	return err == nil && sameOrigin(one, two) && strings.TrimSuffix(one.EscapedPath(), "/") == strings.TrimSuffix(two.EscapedPath(), "/")
}
