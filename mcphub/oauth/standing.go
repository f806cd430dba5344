package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/localpass/localpass/mcphub/client"
)

// Standing returns the status of the authorization. The error is that of the
// store.
func (c *Client) Standing(ctx context.Context) (client.Authorization, error) {
	s := client.Authorization{Resource: c.address, Issuer: c.opts.Issuer, Scopes: []string{}}
	if err := c.ready(ctx); err != nil {
		return s, err
	}
	if h := c.held.Load(); h != nil {
		s.Issuer, s.ClientID, s.Scopes = h.Server.Issuer, h.Client.ID, append(s.Scopes, h.Granted...)
		s.Authorized, s.Renewable, s.Bound, s.Expires = !h.dead.Load(), h.Refresh != "", h.key != nil, h.Expires
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.pending; a != nil {
		s.Issuer, s.ClientID, s.Asked, s.Until = a.d.server.Issuer, a.client.ID, slices.Clone(a.scopes), a.expires
		s.Waiting = c.now().Before(a.expires)
		s.Late = !s.Waiting
	}
	var refused *ServerError
	switch {
	case c.failed == nil:
	case errors.As(c.failed, &refused) && refused.Code == "access_denied":
		s.Denied, s.Failure = true, c.failed.Error()
	default:
		s.Late = s.Late || errors.Is(c.failed, ErrState)
		s.Failure = c.failed.Error()
	}
	return s, nil
}

// Standing returns the status of the authorization of a connection.
func (c *Clients) Standing(ctx context.Context, e client.Endpoint, definition json.RawMessage) (client.Authorization, error) {
	one, err := c.client(e, definition)
	if err != nil {
		return client.Authorization{}, err
	}
	return one.Standing(ctx)
}

// Begin starts the authorization of a connection at a user's request, and returns the
// page to open: see [Client.Begin].
func (c *Clients) Begin(ctx context.Context, e client.Endpoint, definition json.RawMessage) (page string, err error) {
	one, err := c.client(e, definition)
	if err != nil {
		return "", err
	}
	return one.Begin(ctx)
}

// Complete passes an answer that a browser brought to the attempt that waits for it: see
// [Callback.Deliver]. If no attempt waits for it, the error matches
// [client.ErrNoAttempt].
func (c *Clients) Complete(ctx context.Context, answer url.Values) error {
	if c.opts.Redirect == nil {
		return fmt.Errorf("%w: %w", client.ErrNoAttempt, ErrState)
	}
	err := c.opts.Redirect.Deliver(ctx, answer)
	if errors.Is(err, ErrState) {
		return fmt.Errorf("%w: %w", client.ErrNoAttempt, err)
	}
	return err
}

// RedirectURI returns the redirect address to which browsers return; empty if there is
// none.
func (c *Clients) RedirectURI() string {
	if c.opts.Redirect == nil {
		return ""
	}
	return c.opts.Redirect.URI()
}

// client creates or finds the client of a connection.
func (c *Clients) client(e client.Endpoint, definition json.RawMessage) (*Client, error) {
	creds, err := c.Credentials(e, definition)
	if err != nil {
		return nil, err
	}
	return creds.(*connection).get()
}
