package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// Grant is how a token is obtained. The zero value is the authorization code grant: a
// user grants the authorization in a browser. The other grants need no user, but an entry
// for the authorization server in [Options].Clients.
type Grant struct {
	request func(ctx context.Context, c *Client, d *discovery, r *registered) (url.Values, error)
}

func (g Grant) interactive() bool { return g.request == nil }

// grant returns how to obtain a token from a server.
func (c *Client) grant(m *ServerMetadata) Grant {
	if c.opts.Grant.interactive() && slices.Contains(m.Grants, grantClient) && !slices.Contains(m.Grants, grantCode) {
		return ClientCredentials()
	}
	return c.opts.Grant
}

// ClientCredentials returns the grant for a program that acts for itself (RFC 6749
// section 4.4; MCP extension oauth-client-credentials).
func ClientCredentials() Grant {
	return Grant{func(context.Context, *Client, *discovery, *registered) (url.Values, error) {
		return url.Values{"grant_type": {grantClient}}, nil
	}}
}

// Assertion returns the grant for a workload whose platform asserts its identity (RFC
// 7523 section 2.1). fetch returns a JWT for the audience, which is the issuer of the
// authorization server. After a refusal, no other grant is tried, and the same request is
// not repeated within a minute.
func Assertion(fetch func(ctx context.Context, audience string) (string, error)) Grant {
	return Grant{func(ctx context.Context, _ *Client, d *discovery, _ *registered) (url.Values, error) {
		if fetch == nil {
			return nil, errors.New("oauth: assertion: there is no function that fetches one")
		}
		token, err := fetch(ctx, d.server.Issuer)
		if err != nil {
			return nil, fmt.Errorf("oauth: assertion for %s: %w", d.server.Issuer, err)
		}
		if !isToken(token) {
			return nil, fmt.Errorf("oauth: assertion for %s: what was fetched is no token", d.server.Issuer)
		}
		return url.Values{"grant_type": {grantAssertion}, "assertion": {token}}, nil
	}}
}

// IdentityProvider is the identity provider at which an enterprise user signed in.
type IdentityProvider struct {
	// Issuer is the identity provider. Its token endpoint is read from its
	// metadata, unless TokenEndpoint is set.
	Issuer        string
	TokenEndpoint string
	// Client identifies this program to the provider. Its Issuer is ignored.
	Client ClientConfig
	// IDToken returns the user's identity token from the sign-in.
	IDToken func(ctx context.Context) (string, error)
}

// EnterpriseManaged returns the grant for an enterprise that decides which servers its
// users may use (MCP extension enterprise-managed-authorization): the identity provider
// exchanges the identity token (RFC 8693) for an assertion, which the server's
// authorization server exchanges for a token (RFC 7523).
func EnterpriseManaged(idp IdentityProvider) Grant {
	return Grant{func(ctx context.Context, c *Client, d *discovery, _ *registered) (url.Values, error) {
		token, err := idp.exchange(ctx, c, d)
		if err != nil {
			return nil, err
		}
		return url.Values{"grant_type": {grantAssertion}, "assertion": {token}}, nil
	}}
}

const (
	typeIDToken = "urn:ietf:params:oauth:token-type:id_token"
	typeIDJAG   = "urn:ietf:params:oauth:token-type:id-jag"
)

func (p *IdentityProvider) exchange(ctx context.Context, c *Client, d *discovery) (string, error) {
	if p.IDToken == nil {
		return "", errors.New("oauth: identity provider: IDToken is not set")
	}
	subject, err := p.IDToken(ctx)
	if err != nil {
		return "", fmt.Errorf("oauth: identity token: %w", err)
	}
	if !isToken(subject) {
		return "", errors.New("oauth: identity token: what was given is none")
	}
	m := &ServerMetadata{Issuer: p.Issuer, Token: p.TokenEndpoint}
	if p.TokenEndpoint == "" {
		if m, err = c.serverMetadata(ctx, p.Issuer); err != nil {
			return "", err
		}
	}
	r := &registered{ID: p.Client.ID, Secret: p.Client.Secret, Method: p.Client.Method, key: p.Client.Key}
	form := url.Values{"grant_type": {grantExchange}, "requested_token_type": {typeIDJAG}, "subject_token": {subject},
		"subject_token_type": {typeIDToken}, "audience": {d.server.Issuer}}
	if d.resource != "" {
		form.Set("resource", d.resource)
	}
	if scopes := c.scopesFor(d, nil); len(scopes) > 0 {
		form.Set("scope", join(scopes))
	}
	header := http.Header{}
	if err := r.prove(form, header, m.TokenAuth, m.Issuer, c.now()); err != nil {
		return "", err
	}
	a, err := c.net.post(ctx, m.Token, formType, header, form.Encode())
	if err != nil {
		return "", fmt.Errorf("oauth: token exchange: %w", err)
	}
	if a.status != http.StatusOK {
		return "", serverError("token", m.Issuer, a, subject, r.Secret)
	}
	var got struct {
		Token string `json:"access_token"`
		Type  string `json:"issued_token_type"`
	}
	if json.Unmarshal(a.body, &got) != nil || !isToken(got.Token) || got.Type != typeIDJAG {
		return "", fmt.Errorf("%w: the identity provider %s gave no assertion", ErrMetadata, m.Issuer)
	}
	return got.Token, nil
}

// grantNow obtains a token without a user.
func (c *Client) grantNow(ctx context.Context, d *discovery, scopes []string) error {
	err := c.grantOnce(ctx, d, scopes)
	if final(err) {
		c.giveUp(err)
	}
	return err
}

// giveUp stores a failure that an immediate retry would repeat.
func (c *Client) giveUp(err error) {
	c.mu.Lock()
	c.refused, c.refusedAt = err, c.now()
	c.mu.Unlock()
}

// refusal returns the final error of the last try, which is kept for a minute.
func (c *Client) refusal() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused != nil && c.now().Sub(c.refusedAt) < refusalLife {
		return c.refused
	}
	return nil
}

func (c *Client) grantOnce(ctx context.Context, d *discovery, scopes []string) error {
	age := c.age.Load()
	r, err := c.clientFor(ctx, d, "", scopes)
	if err != nil {
		return err
	}
	form, err := c.grant(d.server).request(ctx, c, d, r)
	if err != nil {
		return err
	}
	if len(scopes) > 0 {
		form.Set("scope", join(scopes))
	}
	if d.resource != "" {
		form.Set("resource", d.resource)
	}
	key, err := c.proofKeyFor(d)
	if err != nil {
		return err
	}
	h, err := c.tokenRequest(ctx, d.server, r, form, key)
	if err != nil {
		return err
	}
	h.Resource, h.Legacy, h.Asked = d.resource, d.legacy, scopes
	return c.keep(ctx, h, granted, age)
}
