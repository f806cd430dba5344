package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/localpass/localpass/internal/hostguard"
)

// Callback serves the redirect address to which browsers return with the answers of
// authorization servers. It passes each answer to the client that waits for it. One
// Callback serves any number of clients; it is safe for concurrent use.
type Callback struct {
	server   *http.Server // nil if another server serves the callback
	serving  sync.WaitGroup
	mu       sync.Mutex // guards the fields below
	uri      *url.URL
	expected map[string]func(context.Context, url.Values) error
}

const callbackPath = "/oauth/callback"

// NewCallback returns a callback that the caller's own server serves at an
// address: https, or http on this machine.
func NewCallback(redirectURI string) (*Callback, error) {
	c := &Callback{expected: map[string]func(context.Context, url.Values) error{}}
	if err := c.Move(redirectURI); err != nil {
		return nil, err
	}
	return c, nil
}

// Move changes the address of the callback, for a server on a free port, which learns its
// address late. Open attempts still return to the address with which they were started.
func (c *Callback) Move(redirectURI string) error {
	u, err := absolute(redirectURI)
	switch {
	case err != nil:
		return fmt.Errorf("oauth: redirect URI: %w", err)
	case u.Scheme != "https" && !hostguard.IsLoopbackName(u.Host), u.Fragment != "":
		return fmt.Errorf("oauth: redirect URI: %w: it must be https, or on this machine, and have no fragment", ErrUnsafe)
	}
	c.mu.Lock()
	c.uri = u
	c.mu.Unlock()
	return nil
}

// ListenCallback returns a callback with its own server on this machine. address is a
// loopback address and a port, such as "127.0.0.1:8383"; empty means a free port of
// 127.0.0.1, so that the client is registered again at each start of the program; a fixed
// port avoids that. The caller must close the callback.
func ListenCallback(address string) (*Callback, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil || !hostguard.IsLoopbackName(host) {
		return nil, fmt.Errorf("oauth: callback: %w: listen on a loopback address, such as 127.0.0.1:0", ErrUnsafe)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("oauth: callback: %w", err)
	}
	if !hostguard.IsLoopback(listener.Addr()) {
		_ = listener.Close()
		return nil, fmt.Errorf("oauth: callback: %w: %s is not on this machine", ErrUnsafe, host)
	}
	c, err := NewCallback("http://" + listener.Addr().String() + callbackPath)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	c.serving.Go(func() { _ = c.server.Serve(listener) })
	return c, nil
}

// URI returns the address to which authorization servers send browsers.
func (c *Callback) URI() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uri.String()
}

// Waits reports whether an attempt waits for an answer, the query of the
// redirect address. It changes nothing: the answer can still be given to
// Deliver.
func (c *Callback) Waits(answer url.Values) bool { return c.waiting(answer) != nil }

func (c *Callback) waiting(answer url.Values) func(context.Context, url.Values) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.expected[answer.Get("state")]
}

// Deliver passes an answer to the client that waits for it. It is for servers that show
// their own page at the redirect address and let that page send the answer, so that
// opening the address alone changes nothing. The error is that of the attempt; ErrState
// says that no attempt waits.
func (c *Callback) Deliver(ctx context.Context, answer url.Values) error {
	deliver := c.waiting(answer)
	if deliver == nil {
		return fmt.Errorf("%w: no sign-in is waiting for it", ErrState)
	}
	return deliver(ctx, answer)
}

// Close stops the callback's own server, if it has one, and waits for it. It can be
// called again.
func (c *Callback) Close() error {
	if c.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := c.server.Shutdown(ctx)
	if err != nil { // a client keeps a connection open
		err = c.server.Close()
	}
	c.serving.Wait()
	return err
}

func (c *Callback) expect(state string, deliver func(context.Context, url.Values) error) {
	c.mu.Lock()
	c.expected[state] = deliver
	c.mu.Unlock()
}

func (c *Callback) forget(state string) {
	c.mu.Lock()
	delete(c.expected, state)
	c.mu.Unlock()
}

// The pages are fixed texts: they show nothing from a request.
const (
	pageDone   = "<!doctype html><meta charset=utf-8><title>Authorized</title><p>Authorized. You can close this page."
	pageFailed = "<!doctype html><meta charset=utf-8><title>Not authorized</title><p>Not authorized. The program that asked says why. You can close this page."
	pageClosed = "<!doctype html><meta charset=utf-8><title>Nothing to do</title><p>No sign-in is waiting for this answer. Begin again in the program that asked."
)

// ServeHTTP handles the request with which a browser brings an answer.
func (c *Callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the URL contains the code
	h.Set("X-Content-Type-Options", "nosniff")
	reply := func(status int, page string) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(page))
	}
	switch {
	case c.server != nil && !hostguard.IsLoopbackName(r.Host): // a web page that pointed its own domain name at this server
		reply(http.StatusForbidden, pageClosed)
		return
	case c.server != nil && r.URL.Path != callbackPath:
		reply(http.StatusNotFound, pageClosed)
		return
	case r.Method != http.MethodGet:
		h.Set("Allow", http.MethodGet)
		reply(http.StatusMethodNotAllowed, pageClosed)
		return
	}
	answer, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		reply(http.StatusBadRequest, pageClosed)
		return
	}
	switch err := c.Deliver(r.Context(), answer); {
	case err == nil:
		reply(http.StatusOK, pageDone)
	case errors.Is(err, ErrState):
		reply(http.StatusBadRequest, pageClosed)
	default:
		reply(http.StatusBadRequest, pageFailed)
	}
}
