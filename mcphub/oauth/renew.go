package oauth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

// Challenged is like [Client.ChallengedRequest], for callers without the request.
func (c *Client) Challenged(ctx context.Context, refused *client.ConnError) (bool, error) {
	used := ""
	if h := c.held.Load(); h != nil && !h.dead.Load() {
		used = h.Access
	}
	return c.challenged(ctx, used, refused)
}

// ChallengedRequest obtains what the refusal of a request asks for: a token, a new token
// or a token with more scopes. If it returns true, the request may be sent again. The
// error is an [*AuthorizationError] if a user has to grant the authorization first.
func (c *Client) ChallengedRequest(req *http.Request, refused *client.ConnError) (bool, error) {
	used := ""
	if h := c.held.Load(); h != nil && req.Header.Get("Authorization") == h.header {
		used = h.Access
	} else if sent := req.Header.Get("Authorization"); sent != "" {
		_, used, _ = strings.Cut(sent, " ")
	}
	if wanted(ParseChallenges(refused.Challenges)).Params["error"] == useNonce && used != "" {
		// Answered stored the nonce; a retry does not help a request that already had it.
		nonce := c.nonce(req.URL)
		return nonce != "" && nonce != nonceOf(req.Header.Get(proofHeader)), nil
	}
	return c.challenged(req.Context(), used, refused)
}

func (c *Client) challenged(ctx context.Context, used string, refused *client.ConnError) (bool, error) {
	if refused == nil {
		return false, nil
	}
	challenge := wanted(ParseChallenges(refused.Challenges))
	switch {
	case refused.Status == http.StatusForbidden && challenge.Params["error"] != "insufficient_scope":
		return false, nil // the caller is authenticated, so another token changes nothing
	case refused.Status != http.StatusForbidden && refused.Status != http.StatusUnauthorized:
		return false, nil
	}
	if err := c.ready(ctx); err != nil {
		return false, err
	}
	return c.replace(ctx, used, func(ctx context.Context) error { return c.renew(ctx, used, refused.Status, challenge) })
}

// renew obtains a replacement for a token that was refused. It never runs twice at the
// same time.
func (c *Client) renew(ctx context.Context, used string, status int, challenge Challenge) error {
	if c.adopt(ctx, used) {
		return nil
	}
	c.mu.Lock()
	c.last = challenge
	c.mu.Unlock()
	before, prefer := c.held.Load(), ""
	if before != nil {
		prefer = before.Server.Issuer
	}
	d, err := c.discover(ctx, challenge, prefer)
	if err != nil {
		return err
	}
	// Nothing that belongs to one authorization server is sent to another.
	var widen []string
	if before != nil && before.Server.Issuer == d.server.Issuer && before.Resource == d.resource {
		widen = before.Asked
		done, err := c.reuse(ctx, before, used, status, d)
		if done || err != nil {
			return err
		}
	}
	if err := c.refusal(); err != nil {
		return err
	}
	scopes := c.scopesFor(d, widen)
	if !c.grant(d.server).interactive() {
		return c.grantNow(ctx, d, scopes)
	}
	return c.authorize(ctx, d, scopes)
}

// reuse tries everything that does not need a new grant. It reports whether that
// sufficed.
func (c *Client) reuse(ctx context.Context, before *held, used string, status int, d *discovery) (bool, error) {
	challenged := scopesOf(d.challenge.Params["scope"])
	if status == http.StatusForbidden {
		if len(challenged) == 0 || covers(before.Granted, challenged) {
			return false, fmt.Errorf("%w: %s wants scopes that it has", ErrRejected, c.address)
		}
		return false, nil
	}
	unproven := used == before.Access && !before.proven.Load()
	if unproven && before.how == granted {
		before.dead.Store(true)
		err := fmt.Errorf("%w: %s takes no token that %s makes", ErrRejected, c.address, d.server.Issuer)
		c.giveUp(err)
		return false, err
	}
	if before.Refresh == "" || before.dead.Load() || unproven && before.how == refreshed {
		return false, nil
	}
	err := c.refresh(ctx, before)
	if err != nil && final(err) {
		if c.adoptSoon(ctx, before.Access) { // another program was faster
			return true, nil
		}
		before.dead.Store(true)
		return false, nil
	}
	return err == nil, err
}

// mayBegin counts the authorizations that start automatically, and reports whether
// another one may start.
func (c *Client) mayBegin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	for len(c.grants) > 0 && now.Sub(c.grants[0]) >= grantWindow {
		c.grants = c.grants[1:]
	}
	if len(c.grants) >= grantLimit {
		return false
	}
	c.grants = append(c.grants, now)
	return true
}

// authorize requests a user's authorization, and waits for it as long as the options
// allow.
func (c *Client) authorize(ctx context.Context, d *discovery, scopes []string) error {
	a, fresh, err := c.attempt(ctx, d, scopes, false)
	if err != nil {
		return err
	}
	required := &AuthorizationError{Resource: c.address, Issuer: d.server.Issuer, Scopes: scopes, URL: a.url}
	if fresh && c.opts.Open != nil {
		if err := c.opts.Open(ctx, a.url); err != nil {
			return fmt.Errorf("%w: %w", required, err)
		}
	}
	if c.opts.Wait <= 0 {
		return required
	}
	timer := time.NewTimer(c.opts.Wait)
	defer timer.Stop()
	select {
	case <-a.done:
		return a.err
	case <-timer.C:
		return required
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Begin starts an authorization at a user's request, and returns the page to open. It
// ends an open attempt. scopes are added to those that are known to be needed.
func (c *Client) Begin(ctx context.Context, scopes ...string) (page string, err error) {
	if !c.opts.Grant.interactive() {
		return "", fmt.Errorf("oauth: %s: its grant needs no person", c.address)
	}
	if err := c.ready(ctx); err != nil {
		return "", err
	}
	before, prefer := c.held.Load(), ""
	if before != nil {
		prefer = before.Server.Issuer
	}
	challenge, err := c.lastChallenge(ctx)
	if err != nil {
		return "", err
	}
	d, err := c.discover(ctx, challenge, prefer)
	if err != nil {
		return "", err
	}
	var widen []string
	if before != nil && before.Server.Issuer == d.server.Issuer {
		widen = before.Asked
	}
	c.mu.Lock()
	c.grants, c.refused = nil, nil
	c.mu.Unlock()
	a, _, err := c.attempt(ctx, d, c.scopesFor(d, union(widen, scopes)), true)
	if err != nil {
		return "", err
	}
	return a.url, nil
}

// lastChallenge returns the challenge with which the resource refused a request: possibly
// only the challenge names the location of the metadata. If the resource has not been
// asked yet, it is asked now.
func (c *Client) lastChallenge(ctx context.Context) (Challenge, error) {
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last.Scheme != "" {
		return last, nil
	}
	a, err := c.net.probe(ctx, c.address)
	if err != nil || a.status != http.StatusUnauthorized {
		return Challenge{}, err
	}
	return wanted(ParseChallenges(a.header.Values("Www-Authenticate"))), nil
}
