package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// attempt is one attempt to obtain a user's authorization. It keeps everything that is
// needed later, so that an answer can only be used with the values of its own request.
type attempt struct {
	d        *discovery
	client   *registered
	scopes   []string
	redirect string
	state    string
	verifier string
	key      *SigningKey
	url      string
	expires  time.Time
	age      uint64 // see Client.keep

	once sync.Once
	done chan struct{}
	err  error // once done is closed
}

func (a *attempt) finish(err error) {
	a.once.Do(func() {
		a.err = err
		close(a.done)
	})
}

// attempt starts an attempt, or finds the open one for the same request.
func (c *Client) attempt(ctx context.Context, d *discovery, scopes []string, anew bool) (a *attempt, fresh bool, err error) {
	m, age := d.server, c.age.Load()
	switch {
	case c.opts.Redirect == nil:
		return nil, false, errors.New("oauth: a person has to authorize: set Options.Redirect to where the browser comes back to")
	case m.Authorization == "":
		return nil, false, fmt.Errorf("%w: %s has no authorization endpoint", ErrMetadata, m.Issuer)
	case len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code"):
		return nil, false, fmt.Errorf("%w: %s gives no codes", ErrMetadata, m.Issuer)
	case !slices.Contains(m.CodeChallenges, "S256") && !c.static(m):
		return nil, false, fmt.Errorf("%w: %s", ErrNoPKCE, m.Issuer)
	}
	c.mu.Lock()
	open := c.pending
	c.mu.Unlock()
	if open != nil && !anew && c.now().Before(open.expires) && open.d.server.Issuer == m.Issuer && open.d.resource == d.resource && slices.Equal(open.scopes, scopes) {
		return open, false, nil
	}
	if !anew && !c.mayBegin() {
		return nil, false, fmt.Errorf("%w: %s: see Client.Begin", ErrTooOften, c.address)
	}
	redirect := c.opts.Redirect.URI()
	client, err := c.clientFor(ctx, d, redirect, scopes)
	if err != nil {
		return nil, false, err
	}
	key, err := c.proofKeyFor(d)
	if err != nil {
		return nil, false, err
	}
	a = &attempt{d: d, client: client, scopes: scopes, redirect: redirect, state: random(32), verifier: random(32), key: key,
		expires: c.now().Add(attemptLife), age: age, done: make(chan struct{})}
	if a.url, err = a.page(); err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, false, ErrClosed
	}
	open, c.pending, c.failed = c.pending, a, nil
	c.mu.Unlock()
	c.drop(open, fmt.Errorf("%w: a newer one took its place", ErrState))
	c.opts.Redirect.expect(a.state, c.Complete)
	return a, true, nil
}

// static reports whether the metadata were written by the operator: what they do not
// mention is unknown.
func (c *Client) static(m *ServerMetadata) bool {
	e := c.opts.Endpoints
	return e != nil && e.Token == m.Token && e.Authorization == m.Authorization && len(m.CodeChallenges) == 0
}

// drop ends an attempt that may no longer be answered.
func (c *Client) drop(a *attempt, why error) {
	if a == nil {
		return
	}
	c.opts.Redirect.forget(a.state)
	a.finish(why)
}

// page returns the URL that the user opens.
func (a *attempt) page() (string, error) {
	u, err := absolute(a.d.server.Authorization)
	if err != nil {
		return "", err
	}
	q := u.Query() // RFC 6749 section 3.1: the existing query is kept
	q.Set("response_type", "code")
	q.Set("client_id", a.client.ID)
	q.Set("redirect_uri", a.redirect)
	q.Set("state", a.state)
	q.Set("code_challenge", challengeOf(a.verifier))
	q.Set("code_challenge_method", "S256")
	if a.d.resource != "" {
		q.Set("resource", a.d.resource)
	}
	if len(a.scopes) > 0 {
		q.Set("scope", join(a.scopes))
	}
	if slices.Contains(a.scopes, offlineAccess) {
		q.Set("prompt", "consent") // OpenID Connect Core section 11
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Complete exchanges the answer that a browser brought back, the query of the redirect
// address, for a token. A [Callback] calls it; call it yourself if the answer arrives
// another way, for example because the user pastes it. Each answer is accepted once.
func (c *Client) Complete(ctx context.Context, answer url.Values) error {
	a, err := c.claim(answer)
	if err != nil {
		return err
	}
	code, err := a.code(answer)
	if err != nil {
		c.ended(a, err)
		return err
	}
	// The browser may disconnect: the code is valid once, so its exchange
	// continues.
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		a.finish(ErrClosed)
		return ErrClosed
	}
	c.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, flightLimit)
		defer cancel()
		c.ended(a, c.exchange(ctx, a, code))
	})
	c.mu.Unlock()
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended records how an attempt ended, and calls the configured hooks.
func (c *Client) ended(a *attempt, err error) {
	c.mu.Lock()
	c.failed = err
	c.mu.Unlock()
	a.finish(err)
	_ = guarded(func() error {
		switch {
		case err == nil && c.opts.Authorized != nil:
			c.opts.Authorized(c.address)
		case err != nil && c.opts.Refused != nil:
			c.opts.Refused(c.address, err)
		}
		return nil
	})
}

// claim removes and returns the open attempt that an answer belongs to.
func (c *Client) claim(answer url.Values) (*attempt, error) {
	state := answer["state"]
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.pending
	if a == nil || len(state) != 1 || subtle.ConstantTimeCompare([]byte(state[0]), []byte(a.state)) != 1 {
		return nil, fmt.Errorf("%w: %s", ErrState, c.address)
	}
	c.pending = nil
	c.opts.Redirect.forget(a.state)
	if !c.now().Before(a.expires) {
		err := fmt.Errorf("%w: it took longer than %s", ErrState, attemptLife)
		c.failed = err
		a.finish(err)
		return nil, err
	}
	return a, nil
}

// code reads the authorization code from an answer. It checks the issuer before it reads
// anything else (RFC 9207): another server must not get the code.
func (a *attempt) code(answer url.Values) (string, error) {
	issuer := a.d.server.Issuer
	iss, present := answer["iss"]
	switch {
	case len(iss) > 1, present && iss[0] != issuer:
		return "", fmt.Errorf("%w: %s", ErrIssuerMismatch, issuer)
	case !present && a.d.server.IssInResponse:
		return "", fmt.Errorf("%w: %s says that its answers name it, and this one does not", ErrIssuerMismatch, issuer)
	}
	if answer.Get("error") != "" {
		e := &ServerError{Op: "authorization", Issuer: issuer}
		e.fill(answer.Get("error"), answer.Get("error_description"), []string{a.state, a.verifier, answer.Get("code")})
		return "", e
	}
	code := answer["code"]
	if len(code) != 1 || code[0] == "" || len(code[0]) > maxToken || strings.ContainsAny(code[0], "\r\n\x00") {
		return "", fmt.Errorf("%w: the answer of %s holds no code", ErrMetadata, issuer)
	}
	return code[0], nil
}

// exchange exchanges a code for a token.
func (c *Client) exchange(ctx context.Context, a *attempt, code string) error {
	form := url.Values{"grant_type": {grantCode}, "code": {code}, "redirect_uri": {a.redirect}, "code_verifier": {a.verifier}}
	if a.d.resource != "" {
		form.Set("resource", a.d.resource)
	}
	h, err := c.tokenRequest(ctx, a.d.server, a.client, form, a.key)
	if err != nil {
		return c.clientRefused(ctx, err, a.d.server.Issuer, a.redirect)
	}
	h.Resource, h.Legacy, h.Asked = a.d.resource, a.d.legacy, a.scopes
	return c.keep(ctx, h, granted, a.age)
}
