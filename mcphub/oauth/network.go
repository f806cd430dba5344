package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/hostguard"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

// Limits of fetched documents. Metadata and responses are a few kilobytes.
const (
	maxBody      = 256 << 10
	fetchTimeout = 20 * time.Second // for one request
	maxHops      = 3                // redirects of one GET; a request with a secret follows none
)

// network fetches the URLs that servers name. Since servers choose these URLs, every URL
// is checked: it must be https and public, or on this machine if the resource is also on
// it.
type network struct {
	guard *egress.Guard
	local bool
	limit time.Duration // of one request
}

func newNetwork(resource *url.URL, allow []string, opts *egress.Options) (*network, error) {
	n := &network{local: hostguard.IsLoopbackName(resource.Host)}
	hosts := append([]string{resource.Host}, allow...)
	if n.local {
		hosts = append(hosts, "localhost", "127.0.0.1", "[::1]")
	}
	var o egress.Options
	if opts != nil {
		o = *opts
	}
	if o.Limits.Body == 0 {
		o.Limits.Body = maxBody
	}
	if o.Limits.Request == 0 {
		o.Limits.Request = fetchTimeout
	}
	if o.Limits.Redirect == 0 {
		o.Limits.Redirect = maxHops
	}
	n.limit = o.Limits.Request
	var err error
	n.guard, err = egress.New(egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: hosts}, &o)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	return n, nil
}

// check checks the form of a URL before anything is sent to it.
func (n *network) check(raw string) (*url.URL, error) {
	u, err := absolute(raw)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "https" && !(n.local && hostguard.IsLoopbackName(u.Host)) {
		return nil, fmt.Errorf("%w: %s must be https", ErrUnsafe, origin(u))
	}
	return u, nil
}

// answer is a server's response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get fetches a document.
func (n *network) get(ctx context.Context, raw string) (*answer, error) {
	return n.send(ctx, http.MethodGet, raw, http.Header{"Accept": {"application/json"}}, "")
}

// post sends a form or a document and follows no redirect.
func (n *network) post(ctx context.Context, raw, kind string, header http.Header, body string) (*answer, error) {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", kind)
	header.Set("Accept", "application/json")
	return n.send(ctx, http.MethodPost, raw, header, body)
}

// probe reads only the headers of a response, since the body may never end.
func (n *network) probe(ctx context.Context, raw string) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, n.limit)
	defer cancel()
	resp, err := n.open(ctx, http.MethodGet, raw, http.Header{"Accept": {"application/json, text/event-stream"}}, "")
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close()
	return &answer{status: resp.StatusCode, header: resp.Header}, nil
}

func (n *network) send(ctx context.Context, method, raw string, header http.Header, body string) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, n.limit)
	defer cancel()
	resp, err := n.open(ctx, method, raw, header, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, &awayError{fmt.Errorf("oauth: %s: %w", resp.Request.URL.Host, err)}
	case len(data) > maxBody:
		return nil, fmt.Errorf("%w: %s answered with more than %d bytes", ErrMetadata, resp.Request.URL.Host, maxBody)
	}
	return &answer{resp.StatusCode, resp.Header, data}, nil
}

// open sends a request to a permitted URL. The caller must close the body.
func (n *network) open(ctx context.Context, method, raw string, header http.Header, body string) (*http.Response, error) {
	u, err := n.check(raw)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrUnsafe, origin(u))
	}
	req.Header = header
	do := n.guard.RoundTrip
	if method == http.MethodGet {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
		do = n.guard.Do
	}
	resp, err := do(req)
	if err != nil {
		var denied *egress.Error
		if errors.As(err, &denied) && denied.Denied() {
			return nil, fmt.Errorf("%w: %s: %w", ErrUnsafe, origin(u), err)
		}
		return nil, &awayError{fmt.Errorf("oauth: %s: %w", origin(u), err)}
	}
	if resp.Request == nil {
		resp.Request = req
	}
	if _, err := n.check(resp.Request.URL.String()); err != nil { // the URL after redirects
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

func (n *network) close() { _ = n.guard.Close() }
