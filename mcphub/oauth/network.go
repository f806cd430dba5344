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

// Limits of what is fetched. Metadata and answers are a few kilobytes.
const (
	maxBody      = 256 << 10
	fetchTimeout = 20 * time.Second // of one request
	maxHops      = 3                // redirects of one GET; what holds a secret follows none
)

// network fetches what servers name. Where that leads is their choice, so every
// address is judged: https and public, or on this machine when the resource is
// on it too.
type network struct {
	guard *egress.Guard
	local bool
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
	var err error
	n.guard, err = egress.New(egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: hosts}, &o)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	return n, nil
}

// check judges the form of an address, before anything is sent to it.
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

// answer is what a server answered.
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

func (n *network) send(ctx context.Context, method, raw string, header http.Header, body string) (*answer, error) {
	u, err := n.check(raw)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
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
		return nil, fmt.Errorf("oauth: %s: %w", origin(u), err)
	}
	defer resp.Body.Close()
	if resp.Request != nil && resp.Request.URL != nil {
		if _, err := n.check(resp.Request.URL.String()); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("oauth: %s: %w", origin(u), err)
	case len(data) > maxBody:
		return nil, fmt.Errorf("%w: %s answered with more than %d bytes", ErrMetadata, origin(u), maxBody)
	}
	return &answer{resp.StatusCode, resp.Header, data}, nil
}

func (n *network) close() { _ = n.guard.Close() }
