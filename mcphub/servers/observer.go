package servers

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Observer follows the sessions with all servers of [Connections], beside those who
// use them, and can answer what servers ask: see [Connections.Observe]. Functions may
// be nil. They must not block, Request excepted.
type Observer struct {
	// Notification receives each notification, also over sessions that were opened
	// before.
	Notification func(server string, n client.Notification)
	// Wire is called when a session is about to begin, and returns the function that
	// receives its messages.
	Wire func(server string) func(client.WireMessage)
	// DialError receives the reason why no session was made.
	DialError func(server string, err error)
	// Capabilities are what sessions that begin from now on declare to servers,
	// beside Options.Dial.
	Capabilities client.ClientCapabilities
	// Request answers a question that belongs to no call. next is the handler of
	// Options.Dial; nil when there is none that declared such questions.
	// Request must be set when Capabilities are.
	Request func(ctx context.Context, server string, r client.ServerRequest, next func(context.Context, client.ServerRequest) (json.RawMessage, error)) (json.RawMessage, error)
}

// Observe has an observer follow the sessions until stop is called. There is one
// observer at most: a second one is an error. Calls under way end after stop.
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

// adjust adds to the options of a session with a server what the observer wants. o
// may be nil.
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
		if answer != nil && own.Refuses(&r) != nil { // it was declared for the observer only
			next = nil
		}
		return o.Request(ctx, server, r, next)
	}
}

// dialFailed passes the reason why no session was made to the observer.
func (o *Observer) dialFailed(server string, err error) {
	if o != nil && o.DialError != nil {
		o.DialError(server, err)
	}
}
