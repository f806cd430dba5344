package mcphub

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// connectionHooks are how an [Inspector] listens in on the sessions of
// [Connections].
type connectionHooks struct {
	// heard is called with each notification, also of sessions that were opened
	// before. It must not block.
	heard func(server string, n client.Notification)
	// can is what sessions that are made from now on declare beside their own.
	can client.ClientCapabilities
	// asked answers a question that cannot be assigned to a call. other is the
	// handler that could answer it instead, nil when none was declared.
	asked func(ctx context.Context, server string, r client.ServerRequest, other func(context.Context, client.ServerRequest) (json.RawMessage, error)) (json.RawMessage, error)
	// tapping returns the function that receives the messages of a session that is
	// about to begin, and undialled is called with the reason why no session was
	// made. Both may be nil.
	tapping   func(server string) func(client.WireMessage)
	undialled func(server string, err error)
}

// hook puts the hooks in place, and reports whether there were none.
func (c *Connections) hook(h *connectionHooks) bool { return c.hooks.CompareAndSwap(nil, h) }

func (c *Connections) unhook(h *connectionHooks) { c.hooks.CompareAndSwap(h, nil) }

// heardBy passes a notification to the hooks.
func (c *Connections) heardBy(server string, n client.Notification) {
	if h := c.hooks.Load(); h != nil {
		h.heard(server, n)
	}
}

// dialFor adds to the options of a session with a server what the hooks want.
func (h *connectionHooks) dialFor(server string, opts *client.DialOptions) {
	if h == nil {
		return
	}
	if h.tapping != nil {
		opts.Wire = rpc.Both(opts.Wire, h.tapping(server))
	}
	own, answer := opts.Capabilities, opts.Handler.Request
	opts.Capabilities = own.Union(h.can)
	opts.Handler.Request = func(ctx context.Context, r client.ServerRequest) (json.RawMessage, error) {
		other := answer
		if answer != nil && own.Refuses(&r) != nil { // it was declared for the hooks only
			other = nil
		}
		return h.asked(ctx, server, r, other)
	}
}

// mask is what masks the secrets of the latest session with a server.
func (u *upstream) mask() client.Mask {
	if m := u.redactor.Load(); m != nil {
		return *m
	}
	return client.Mask{}
}
