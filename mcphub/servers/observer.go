package servers

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Observer observes the sessions with all servers of [Connections], in addition to their
// users, and can answer requests of the servers: see [Connections.Observe]. Functions may
// be nil. They must not block, except Request.
type Observer struct {
	// Notification receives each notification, also from sessions that were opened
	// earlier.
	Notification func(server string, n client.Notification)
	// Wire is called before a session begins, and returns the function that receives its
	// messages.
	Wire func(server string) func(client.WireMessage)
	// DialError receives the reason when a session could not be opened.
	DialError func(server string, err error)
	// Capabilities are additional capabilities, besides those of Options.Dial, that later
	// sessions declare to servers.
	Capabilities client.ClientCapabilities
	// Request answers a question that belongs to no call. next is the handler of
	// Options.Dial; nil if that does not declare such questions. Request must be set if
	// Capabilities are.
	Request func(ctx context.Context, server string, r client.ServerRequest, next func(context.Context, client.ServerRequest) (json.RawMessage, error)) (json.RawMessage, error)
}

// Observe registers an observer until stop is called. There can be only one observer: a
// second one is an error. Running calls of its functions may end after stop.
func (c *Connections) Observe(o Observer) (stop func(), err error) {
	if !c.observer.CompareAndSwap(nil, &o) {
		return nil, errors.New("servers: the connections have an observer already: stop it first")
	}
	return func() { c.observer.CompareAndSwap(&o, nil) }, nil
}

// observed passes a notification to the observer.
func (c *Connections) observed(server string, n client.Notification) {
	if o := c.observer.Load(); o != nil && o.Notification != nil {
		o.Notification(server, n)
	}
}

// adjust adds what the observer needs to the options of a session with a server. o may be
// nil.
func (o *Observer) adjust(server string, opts *client.DialOptions) {
	if o == nil {
		return
	}
	if o.Wire != nil {
		opts.Wire = rpc.Both(opts.Wire, o.Wire(server))
	}
	if o.Request == nil {
		return
	}
	own, answer := opts.Capabilities, opts.Handler.Request
	opts.Capabilities = own.Union(o.Capabilities)
	opts.Handler.Request = func(ctx context.Context, r client.ServerRequest) (json.RawMessage, error) {
		next := answer
		if answer != nil && own.Refuses(&r) != nil { // it was declared only for the observer
			next = nil
		}
		return o.Request(ctx, server, r, next)
	}
}

// dialFailed passes the reason why no session was opened to the observer.
func (o *Observer) dialFailed(server string, err error) {
	if o != nil && o.DialError != nil {
		o.DialError(server, err)
	}
}
