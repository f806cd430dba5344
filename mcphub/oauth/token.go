package oauth

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Grant types, as a token request names them.
const (
	grantCode      = "authorization_code"
	grantRefresh   = "refresh_token"
	grantClient    = "client_credentials"
	grantAssertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange  = "urn:ietf:params:oauth:grant-type:token-exchange"
)

const (
	formType = "application/x-www-form-urlencoded"
	leeway   = 30 * time.Second // how long before its end a token is renewed, or a tenth of its lifetime if shorter
	maxToken = 64 << 10
)

// held is a token with everything that is needed to use, renew and revoke it. It is
// immutable except for its flags.
type held struct {
	Server   ServerMetadata `json:"server"`
	Resource string         `json:"resource,omitempty"` // as sent in requests
	Legacy   bool           `json:"legacy,omitempty"`
	Client   registered     `json:"client"`
	Asked    []string       `json:"asked,omitempty"`
	Granted  []string       `json:"granted,omitempty"`
	Access   string         `json:"access"`
	Refresh  string         `json:"refresh,omitempty"`
	Expires  time.Time      `json:"expires,omitzero"`
	Renew    time.Time      `json:"renew,omitzero"`
	Proof    []byte         `json:"proof,omitempty"` // the key that the token is bound to, PKCS #8

	header string    // of requests
	renew  time.Time // a little before Renew, and at another time than in other programs
	key    *SigningKey
	how    origination
	proven atomic.Bool // a server accepted the token
	dead   atomic.Bool // the token can no longer be used
}

// origination is how this program obtained a token.
type origination uint8

const (
	stored origination = iota
	refreshed
	granted
)

// prepare fills in the fields that are not stored.
func (h *held) prepare(how origination) error {
	h.how, h.renew = how, h.Renew
	if spread := h.Expires.Sub(h.Renew); spread > 0 && !h.Renew.IsZero() {
		h.renew = h.Renew.Add(-rand.N(spread))
	}
	scheme := "Bearer "
	if len(h.Proof) > 0 {
		key, err := x509.ParsePKCS8PrivateKey(h.Proof)
		if err != nil {
			return errors.New("oauth: the key of a stored token is damaged")
		}
		if h.key, err = proofKey(key); err != nil {
			return err
		}
		scheme = "DPoP "
	}
	h.header = scheme + h.Access
	return nil
}

// usable reports whether a token can be sent, and whether it should be renewed.
func (h *held) usable(now time.Time) (ok, renew bool) {
	if h.dead.Load() {
		return false, false
	}
	if h.Expires.IsZero() {
		return true, false
	}
	return now.Before(h.Expires), h.Refresh != "" && !now.Before(h.renew)
}

// tokenRequest sends a token request and reads the response.
func (c *Client) tokenRequest(ctx context.Context, m *ServerMetadata, r *registered, form url.Values, key *SigningKey) (*held, error) {
	c.withKey(m.Issuer, r)
	secrets := append(r.secrets(), form.Get("code"), form.Get("code_verifier"), form.Get("refresh_token"), form.Get("assertion"), form.Get("subject_token"))
	header := http.Header{}
	if err := r.prove(form, header, m.TokenAuth, m.Issuer, c.now()); err != nil {
		return nil, err
	}
	var a *answer
	for again := false; ; again = true {
		if key != nil {
			proof, err := c.proof(key, http.MethodPost, m.Token, "")
			if err != nil {
				return nil, err
			}
			header.Set(proofHeader, proof)
		}
		var err error
		if a, err = c.net.post(ctx, m.Token, formType, header, form.Encode()); err != nil {
			return nil, fmt.Errorf("oauth: token request: %w", err)
		}
		fresh := c.noteNonce(m.Token, a.header)
		if key == nil || a.status == http.StatusOK || !fresh || again || serverError("token", m.Issuer, a).Code != useNonce {
			break
		}
		// A new nonce needs a new proof, and an assertion may be used only once.
		if err := r.prove(form, header, m.TokenAuth, m.Issuer, c.now()); err != nil {
			return nil, err
		}
	}
	if a.status != http.StatusOK {
		return nil, serverError("token", m.Issuer, a, secrets...)
	}
	return c.readToken(m, r, a, key)
}

// readToken reads the response to a token request. Errors contain nothing of it.
func (c *Client) readToken(m *ServerMetadata, r *registered, a *answer, key *SigningKey) (*held, error) {
	var got struct {
		Access  string      `json:"access_token"`
		Type    string      `json:"token_type"`
		Refresh string      `json:"refresh_token"`
		Expires json.Number `json:"expires_in"`
		Scope   *string     `json:"scope"`
	}
	bad := func(what string) error {
		return fmt.Errorf("%w: the token answer of %s %s", ErrMetadata, m.Issuer, what)
	}
	if json.Unmarshal(a.body, &got) != nil {
		return nil, bad("is no JSON of the right form")
	}
	if !isToken(got.Access) || got.Refresh != "" && !isToken(got.Refresh) {
		return nil, bad("holds no token that can be sent")
	}
	h := &held{Server: *m, Client: *r, Access: got.Access, Refresh: got.Refresh}
	switch strings.ToLower(got.Type) {
	case "bearer":
	case "dpop":
		if key == nil {
			return nil, bad("binds the token to a key that was not asked for")
		}
		der, err := x509.MarshalPKCS8PrivateKey(key.key)
		if err != nil {
			return nil, fmt.Errorf("oauth: proof key: %w", err)
		}
		h.Proof = der
	default:
		return nil, bad("holds a token of a type that this client cannot use")
	}
	if seconds, err := got.Expires.Int64(); err == nil && seconds > 0 {
		life := time.Duration(min(seconds, 10*365*24*3600)) * time.Second
		h.Expires = c.now().Add(life)
		h.Renew = h.Expires.Add(-min(leeway, life/10))
	}
	if got.Scope != nil {
		h.Granted = scopesOf(*got.Scope)
		if h.Granted == nil {
			h.Granted = []string{}
		}
	}
	return h, nil
}

// isToken reports whether a text can be put into a header.
func isToken(t string) bool {
	return t != "" && len(t) <= maxToken && !strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' })
}

// keep makes a token the current one after storing it: a restart must never find a
// refresh token that is used up. age is the value of c.age when the token was requested:
// if tokens were deleted since then, the new token is not kept.
func (c *Client) keep(ctx context.Context, h *held, how origination, age uint64) error {
	if err := h.prepare(how); err != nil {
		return err
	}
	if h.Granted == nil { // RFC 6749 section 5.1: the requested scopes
		h.Granted = h.Asked
	}
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if c.age.Load() != age {
		return errForgotten()
	}
	err := c.save(ctx, c.tokenKey(h.Server.Issuer), h)
	if err == nil {
		err = c.save(ctx, c.pointerKey(), pointer{h.Server.Issuer})
	}
	c.past.Store(c.held.Swap(h))
	if err != nil { // the token is valid, but will be missing after a restart
		c.opts.Logger.Warn("oauth: a token could not be stored", "resource", c.address, "error", err)
	}
	return nil
}

// pointer records which authorization server a resource's token is from.
type pointer struct {
	Issuer string `json:"issuer"`
}

func (c *Client) tokenKey(issuer string) Key {
	return Key{Kind: "oauth-token", Issuer: issuer, Resource: c.address, Subject: c.opts.Subject}
}

func (c *Client) pointerKey() Key {
	return Key{Kind: "oauth-resource", Resource: c.address, Subject: c.opts.Subject}
}

// fetch reads the stored token; nil if there is none.
func (c *Client) fetch(ctx context.Context) (*held, error) {
	var p pointer
	if found, err := c.load(ctx, c.pointerKey(), &p); err != nil || !found {
		return nil, err
	}
	h := &held{}
	if found, err := c.load(ctx, c.tokenKey(p.Issuer), h); err != nil || !found {
		return nil, err
	}
	if h.Server.Issuer != p.Issuer || !isToken(h.Access) {
		return nil, errors.New("oauth: the stored token is damaged: see Client.Forget")
	}
	return h, h.prepare(stored)
}

// adopt takes over a token that another program stored in the meantime.
func (c *Client) adopt(ctx context.Context, used string) bool {
	age := c.age.Load()
	h, err := c.fetch(ctx)
	if err != nil || h == nil || h.Access == used {
		return false
	}
	if ok, renew := h.usable(c.now()); !ok || renew {
		return false
	}
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if c.age.Load() != age {
		return false
	}
	c.past.Store(c.held.Swap(h))
	return true
}

// adoptSoon waits briefly for a token that another program may be storing, because that
// program has used up the refresh token that this one tried.
func (c *Client) adoptSoon(ctx context.Context, used string) bool {
	waits := []time.Duration{200 * time.Millisecond, 800 * time.Millisecond}
	if _, private := c.opts.Store.(*memoryStore); private {
		waits = nil
	}
	for _, wait := range append([]time.Duration{0}, waits...) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
		if c.adopt(ctx, used) {
			return true
		}
	}
	return false
}

// refresh renews a token. It never runs twice at the same time.
func (c *Client) refresh(ctx context.Context, old *held) error {
	age := c.age.Load()
	form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {old.Refresh}}
	if old.Resource != "" {
		form.Set("resource", old.Resource)
	}
	r := old.Client
	h, err := c.tokenRequest(ctx, &old.Server, &r, form, old.key)
	if err != nil {
		return c.clientRefused(ctx, err, old.Server.Issuer, r.Redirect)
	}
	h.Resource, h.Legacy, h.Asked = old.Resource, old.Legacy, old.Asked
	if h.Refresh == "" {
		h.Refresh = old.Refresh
	}
	if h.Granted == nil {
		h.Granted = old.Granted
	}
	return c.keep(ctx, h, refreshed, age)
}

// final reports whether an error means that the token cannot be renewed and a retry will
// not help.
func final(err error) bool {
	var refused *ServerError
	if !errors.As(err, &refused) {
		return false
	}
	return refused.Status >= 400 && !refused.Temporary()
}

// withKey sets the signing key of a stored registration from its entry.
func (c *Client) withKey(issuer string, r *registered) {
	if r.key != nil {
		return
	}
	for _, known := range c.opts.Clients {
		if known.ID == r.ID && (known.Issuer == issuer || known.Issuer == "") {
			r.key = known.Key
		}
	}
}
