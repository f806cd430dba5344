package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec/secret"
)

const (
	attemptLife  = 10 * time.Minute // how long a user may take
	flightLimit  = time.Minute      // for the requests that obtain one token
	refusalLife  = time.Minute
	grantLimit   = 5 // authorizations started automatically within grantWindow
	grantWindow  = 10 * time.Minute
	defaultName  = "localpass"
	maxIssuerLen = 2048
)

// Options are the options of a [Client]. The zero value gets tokens by letting a user
// open a page, keeps them in memory, and discovers everything else; it only lacks
// Redirect.
type Options struct {
	// Name is shown to the user who is asked. Empty: "localpass".
	Name string
	// Clients are the ids that were registered manually for this program at authorization
	// servers. They take precedence over all other ways to get an id.
	Clients []ClientConfig
	// MetadataURL is the https address of this program's Client ID Metadata Document,
	// which serves as its id at servers that support this. Optional.
	MetadataURL string
	// Redirect handles the redirect address. It belongs to the caller. It is required for
	// the authorization code grant.
	Redirect *Callback
	// Open shows a page to the user, for example by starting a browser: pass the URL as
	// one argument of a program, never through a shell. nil: the page is only reported,
	// by an [AuthorizationError].
	Open func(ctx context.Context, url string) error
	// Wait is how long a request waits for the user, within its own time limit: a dial,
	// for example, takes at most 15 s unless its options set another limit. 0: the
	// request does not wait but fails with an [AuthorizationError], and Authorized is
	// called later.
	Wait time.Duration
	// Authorized is called when a user has authorized the use of a resource, with its
	// address. It is called once for each authorization, from a goroutine that Close
	// waits for. Optional.
	Authorized func(resource string)
	// Refused is called, like Authorized, when an attempt to obtain a user's
	// authorization failed: the user declined, or the user agreed and no token could be
	// obtained. Optional.
	Refused func(resource string, err error)
	// Grant is how tokens are obtained. Zero: by asking a user, or by ClientCredentials
	// if the authorization server supports only that grant and not authorization codes.
	Grant Grant
	// Scopes are requested in addition to those that the server says it needs. Empty: all
	// scopes that the resource lists, unless its refusal names some.
	Scopes []string
	// NoOfflineAccess says not to request the scope offline_access, without which some
	// servers give no refresh tokens.
	NoOfflineAccess bool
	// Issuer is the authorization server to use. Empty: the one that the
	// resource names.
	Issuer string
	// ChooseIssuer chooses an authorization server if a resource names several and Issuer
	// is empty. nil: the one that was used before, or else the first.
	ChooseIssuer func(ctx context.Context, resource string, issuers []string) (string, error)
	// Endpoints replaces the metadata of an authorization server that has none, if the
	// resource names no other server.
	Endpoints *ServerMetadata
	// NoLegacy refuses servers of protocol version 2025-03-26, which name no
	// authorization server and act as one themselves.
	NoLegacy bool
	// Store keeps tokens and registrations. nil: memory. See [NewStore].
	Store Store
	// Subject is the user whose tokens are kept, when several users share the
	// store.
	Subject string
	// AllowHosts are exact hosts, with or without ports, that may be reached although
	// their addresses are not public. The host of the resource is always allowed.
	AllowHosts []string
	// Network replaces parts of the egress guard for all requests. nil: its defaults.
	Network *egress.Options
	// Logger logs what cannot be returned to a caller. nil is slog.Default().
	Logger *slog.Logger
	// Clock returns the time. nil: time.Now.
	Clock func() time.Time
}

// Client gets, renews and adds the tokens for one server, the resource. It is a
// [client.RequestCredentials], safe for concurrent use. Close it.
type Client struct {
	resource *url.URL
	address  string // URL of the resource, in canonical form
	opts     Options
	net      *network

	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	held   atomic.Pointer[held]
	past   atomic.Pointer[held] // the previous token, which may still be in use
	loaded atomic.Bool

	keeping sync.Mutex    // held while a token is stored or deleted
	age     atomic.Uint64 // how often tokens were deleted

	mu        sync.Mutex
	closed    bool
	flight    *flight
	pending   *attempt
	grants    []time.Time // times of the authorizations that were started automatically
	nonces    map[string]string
	last      Challenge // the last challenge that was answered
	refused   error
	refusedAt time.Time
	failed    error // the error of the last attempt; nil if it succeeded or is still open
}

var (
	_ client.RequestCredentials = (*Client)(nil)
	_ client.SecretCredentials  = (*Client)(nil)
)

// New returns a client for the server at an address, which must be https or on this
// machine. It makes no connection.
func New(resource string, opts *Options) (*Client, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	u, err := absolute(resource)
	if err != nil {
		return nil, fmt.Errorf("oauth: the resource: %w", err)
	}
	u = canonical(u)
	if err := o.fill(); err != nil {
		return nil, err
	}
	n, err := newNetwork(u, o.AllowHosts, o.Network)
	if err != nil {
		return nil, err
	}
	if _, err := n.check(u.String()); err != nil {
		n.close()
		return nil, fmt.Errorf("oauth: the resource: %w: a token must not be sent in the clear", err)
	}
	c := &Client{resource: u, address: u.String(), opts: o, net: n, nonces: map[string]string{}}
	if e := o.Endpoints; e != nil {
		if err := c.checkEndpoints(e); err != nil {
			n.close()
			return nil, err
		}
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// fill checks the options and sets the defaults.
func (o *Options) fill() error {
	if o.Name == "" {
		o.Name = defaultName
	}
	if o.Store == nil {
		o.Store = NewMemoryStore()
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Clients, o.Scopes, o.AllowHosts = slices.Clone(o.Clients), slices.Clone(o.Scopes), slices.Clone(o.AllowHosts)
	for _, known := range o.Clients {
		if known.ID == "" {
			return errors.New("oauth: an entry of Options.Clients has no ID")
		}
		switch known.Method {
		case "", methodNone, methodBasic, methodPost, methodKey:
		default:
			return fmt.Errorf("oauth: %q is no method of a client: use client_secret_basic, client_secret_post, private_key_jwt or none", printableLine(known.Method))
		}
	}
	if o.MetadataURL != "" {
		if u, err := absolute(o.MetadataURL); err != nil || u.Scheme != "https" || u.Path == "" || u.Path == "/" || u.Fragment != "" {
			return fmt.Errorf("oauth: Options.MetadataURL: %w: a client id must be https with a path", ErrUnsafe)
		}
	}
	if o.Issuer != "" {
		if err := checkIssuer(o.Issuer); err != nil || len(o.Issuer) > maxIssuerLen {
			return fmt.Errorf("oauth: Options.Issuer: %w", errors.Join(err, ErrMetadata))
		}
	}
	if e := o.Endpoints; e != nil && (e.Token == "" || e.Issuer == "") {
		return errors.New("oauth: Options.Endpoints needs an issuer and a token endpoint")
	}
	return nil
}

// canonical returns the form of a URL that identifies a resource (RFC 8707): no fragment,
// no query, no slash without a path, scheme and host in lower case.
func canonical(u *url.URL) *url.URL {
	own := *u
	own.Scheme, own.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	own.Fragment, own.RawFragment, own.RawQuery, own.ForceQuery = "", "", "", false
	if own.Path == "/" {
		own.Path, own.RawPath = "", ""
	}
	return &own
}

// Redactor masks the current and the previous token, and everything that came with them.
// It is nil if there is no token.
func (c *Client) Redactor() *secret.Redactor {
	var secrets []string
	for _, h := range []*held{c.held.Load(), c.past.Load()} {
		if h != nil {
			secrets = append(secrets, h.Access, h.Refresh, h.Client.Secret)
		}
	}
	return secret.NewRedactor(secrets...)
}

// Resource returns the address that the tokens are for.
func (c *Client) Resource() string { return c.address }

func (c *Client) now() time.Time { return c.opts.Clock().UTC() }

// Close ends running work and waits for it. Stored tokens stay. It can be called again.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	pending := c.pending
	c.pending = nil
	c.mu.Unlock()
	c.drop(pending, ErrClosed)
	c.cancel()
	c.tasks.Wait()
	c.net.close()
	return nil
}

// mine reports whether a request goes to the resource's own host.
func (c *Client) mine(u *url.URL) bool {
	if u == nil {
		return false
	}
	own := c.resource
	return sameOrigin(u, own) || own.Scheme == "http" && u.Scheme == "https" && strings.EqualFold(u.Hostname(), own.Hostname()) && own.Port() == "" && u.Port() == ""
}

// AuthorizeRequest adds the token, and a proof if the token is bound to a key. It adds
// nothing if there is no token yet, and refuses a request to another host.
func (c *Client) AuthorizeRequest(req *http.Request) error {
	if !c.mine(req.URL) {
		return fmt.Errorf("%w: the token of %s is not for another host", ErrUnsafe, c.address)
	}
	h, err := c.current(req.Context())
	if err != nil || h == nil {
		return err
	}
	if h.key != nil {
		proof, err := c.proof(h.key, req.Method, req.URL.String(), h.Access)
		if err != nil {
			return err
		}
		req.Header.Set(proofHeader, proof)
	}
	req.Header.Set("Authorization", h.header)
	return nil
}

// Authorize adds the token to the headers of a request to the resource. It cannot
// use a token that is bound to a key.
func (c *Client) Authorize(ctx context.Context, header http.Header) error {
	h, err := c.current(ctx)
	if err != nil || h == nil {
		return err
	}
	if h.key != nil {
		return errors.New("oauth: the token is bound to a key: its proof needs the request: use AuthorizeRequest")
	}
	header.Set("Authorization", h.header)
	return nil
}

// Answered records what a response says about the token.
func (c *Client) Answered(req *http.Request, resp *http.Response) {
	h := c.held.Load()
	if h == nil {
		return
	}
	if h.key != nil && req.URL != nil {
		c.noteNonce(req.URL.String(), resp.Header)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 && !h.proven.Load() && req.Header.Get("Authorization") == h.header {
		h.proven.Store(true)
	}
}
