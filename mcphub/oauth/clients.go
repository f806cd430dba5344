package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/toolspec/secret"
)

// Clients makes the clients of connections whose definition has a member "oauth": its
// method Credentials goes into [client.RegistryOptions]. Connections to the same address
// with the same definition share a client. It is safe for concurrent use; close it after
// the connections.
type Clients struct {
	opts   Options
	lookup secret.Lookup

	mu     sync.Mutex
	closed bool
	made   map[string]*Client
}

// Config is the member "oauth" of a connection's definition. All members are
// optional; {} leaves everything to the servers. Every text may hold placeholders,
// ${NAME}, which are filled in when the connection is first used.
type Config struct {
	// ClientID, ClientSecret and ClientMethod identify this program to the authorization
	// server; see [ClientConfig].
	ClientID     string `json:"clientId,omitempty"`
	ClientSecret string `json:"clientSecret,omitempty"`
	ClientMethod string `json:"clientAuthenticationMethod,omitempty"`
	// Issuer is the authorization server; AuthorizationURL and TokenURL are its endpoints
	// if it has no metadata.
	Issuer           string `json:"issuerUri,omitempty"`
	AuthorizationURL string `json:"authorizationUri,omitempty"`
	TokenURL         string `json:"tokenUri,omitempty"`
	// Scopes is a list, or one string with commas or spaces between the scopes.
	Scopes ScopeList `json:"scopes,omitempty"`
	// Grant is "authorization_code", which is the default, or
	// "client_credentials".
	Grant string `json:"grant,omitempty"`
}

// ScopeList is a list of scopes that can be read from a JSON list or from one string.
type ScopeList []string

// UnmarshalJSON reads a list of strings, or one string with commas or spaces between the
// scopes.
func (l *ScopeList) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*l = list
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New("scopes must be a list of texts, or one text with commas between them")
	}
	*l = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

// NewClients returns a Clients whose clients have these options; the definition of a
// connection overrides them. lookup finds the values of placeholders; if nil, no
// placeholder has a value.
func NewClients(opts *Options, lookup secret.Lookup) *Clients {
	c := &Clients{lookup: lookup, made: map[string]*Client{}}
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Store == nil {
		c.opts.Store = NewMemoryStore() // the clients share registrations
	}
	return c
}

// Credentials returns the credentials of a connection. They make no request before they
// are used.
func (c *Clients) Credentials(e client.Endpoint, definition json.RawMessage) (client.Credentials, error) {
	var conf Config
	if err := json.Unmarshal(definition, &conf); err != nil {
		return nil, fmt.Errorf("oauth: the definition of the connection to %s: %w", e.Address, err)
	}
	switch conf.Grant {
	case "", grantCode, grantClient:
	default:
		return nil, fmt.Errorf("oauth: the connection to %s: %q is no grant of a definition: use authorization_code or client_credentials", e.Address, printableLine(conf.Grant))
	}
	return &connection{owner: c, endpoint: e, conf: conf}, nil
}

// Client returns the client for a resource that has been used, by its address; nil if
// there is none.
func (c *Clients) Client(resource string) *Client {
	u, err := absolute(resource)
	if err != nil {
		return nil
	}
	address := canonical(u).String()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.made {
		if client.address == address {
			return client
		}
	}
	return nil
}

// Revoke ends the authorization of a connection that will be deleted: see
// [Client.Revoke]. The error is ErrNoToken if there was no token.
func (c *Clients) Revoke(ctx context.Context, e client.Endpoint, definition json.RawMessage) error {
	client, err := c.client(e, definition)
	if err != nil {
		return err
	}
	return client.Revoke(ctx)
}

// Close closes every client.
func (c *Clients) Close() error {
	c.mu.Lock()
	c.closed = true
	made := c.made
	c.made = nil
	c.mu.Unlock()
	var errs []error
	for _, client := range made {
		errs = append(errs, client.Close())
	}
	return errors.Join(errs...)
}

// get creates or finds the client of a connection.
func (c *Clients) get(e client.Endpoint, conf Config) (*Client, error) {
	r := &secret.Resolver{Lookup: c.lookup}
	var missing []string
	fill := func(text string) string {
		filled, _, err := r.Resolve(text)
		var none *secret.MissingError
		if errors.As(err, &none) {
			missing = append(missing, none.Names...)
		}
		return filled
	}
	address := fill(e.Address)
	conf = Config{fill(conf.ClientID), fill(conf.ClientSecret), strings.ToLower(fill(conf.ClientMethod)), fill(conf.Issuer),
		fill(conf.AuthorizationURL), fill(conf.TokenURL), slices.Clone(conf.Scopes), conf.Grant}
	for i, s := range conf.Scopes {
		conf.Scopes[i] = fill(s)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, &client.MissingConfigError{Endpoint: e, Names: slices.Compact(missing)}
	}
	opts := c.opts
	if err := conf.over(&opts); err != nil {
		return nil, err
	}
	text, err := json.Marshal(conf)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	key := address + "\x00" + string(text)
	if client := c.made[key]; client != nil {
		return client, nil
	}
	client, err := New(address, &opts)
	if err != nil {
		return nil, err
	}
	c.made[key] = client
	return client, nil
}

// over overlays a definition on options.
func (conf *Config) over(o *Options) error {
	if conf.Issuer != "" {
		o.Issuer = conf.Issuer
	}
	if conf.TokenURL != "" {
		u, err := absolute(conf.TokenURL)
		if err != nil {
			return fmt.Errorf("oauth: tokenUri: %w", err)
		}
		o.Endpoints = &ServerMetadata{Issuer: cmp.Or(conf.Issuer, origin(u)), Authorization: conf.AuthorizationURL, Token: conf.TokenURL}
	}
	if len(conf.Scopes) > 0 {
		o.Scopes = conf.Scopes
	}
	if conf.ClientID != "" {
		o.Clients = append(slices.Clone(o.Clients), ClientConfig{Issuer: conf.Issuer, ID: conf.ClientID, Secret: conf.ClientSecret, Method: conf.ClientMethod})
	}
	if conf.Grant == grantClient {
		o.Grant = ClientCredentials()
	}
	return nil
}

// connection is the credentials of one connection, before and after its client is
// created.
type connection struct {
	owner    *Clients
	endpoint client.Endpoint
	conf     Config

	mu     sync.Mutex
	client *Client
}

var (
	_ client.RequestCredentials = (*connection)(nil)
	_ client.SecretCredentials  = (*connection)(nil)
)

func (c *connection) get() (*Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		client, err := c.owner.get(c.endpoint, c.conf)
		if err != nil {
			return nil, err
		}
		c.client = client
	}
	return c.client, nil
}

func (c *connection) Redactor() *secret.Redactor {
	client, err := c.get()
	if err != nil {
		return nil
	}
	return client.Redactor()
}

func (c *connection) Authorize(ctx context.Context, header http.Header) error {
	client, err := c.get()
	if err != nil {
		return err
	}
	return client.Authorize(ctx, header)
}

func (c *connection) Challenged(ctx context.Context, refused *client.ConnError) (bool, error) {
	client, err := c.get()
	if err != nil {
		return false, err
	}
	return client.Challenged(ctx, refused)
}

func (c *connection) AuthorizeRequest(req *http.Request) error {
	client, err := c.get()
	if err != nil {
		return err
	}
	return client.AuthorizeRequest(req)
}

func (c *connection) Answered(req *http.Request, resp *http.Response) {
	if client, err := c.get(); err == nil {
		client.Answered(req, resp)
	}
}

func (c *connection) ChallengedRequest(req *http.Request, refused *client.ConnError) (bool, error) {
	client, err := c.get()
	if err != nil {
		return false, err
	}
	return client.ChallengedRequest(req, refused)
}
