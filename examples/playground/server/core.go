package server

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/mcphub"
)

// core is what every part of a [Server] uses: the options, the address, the events
// that the page follows, and work in the background.
type core struct {
	opts    Options
	started time.Time
	addr    atomic.Pointer[string] // nil until it serves
	events  *feed

	ctx    context.Context // of work in the background; ends when the server is closed
	cancel context.CancelFunc
	mu     sync.Mutex // keeps work from beginning while the end of all work is waited for
	tasks  sync.WaitGroup
}

func newCore(ctx context.Context, opts *Options) (*core, error) {
	c := &core{events: newFeed()}
	if opts != nil {
		c.opts = *opts
	}
	if err := c.opts.defaults(); err != nil {
		return nil, err
	}
	if err := c.opts.bePublic(); err != nil {
		return nil, err
	}
	c.started = c.opts.Clock()
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return c, nil
}

// background runs do until it returns or the server is closed. It does nothing once
// the server is closed.
func (c *core) background(do func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() == nil {
		c.tasks.Go(func() { do(c.ctx) })
	}
}

// stop ends the streams of events, and lets work in the background end.
func (c *core) stop() {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.events.shutdown()
}

// wait returns when all work in the background has ended, after stop.
func (c *core) wait() error {
	c.tasks.Wait()
	return nil
}

// onLoopback reports whether only this machine reaches the server.
func (c *core) onLoopback() bool {
	if c.opts.behindProxy() {
		return false
	}
	at := c.addr.Load()
	if at == nil {
		return true
	}
	host, _, err := net.SplitHostPort(*at)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// origin is where people and clients reach the server; empty until it serves.
func (c *core) origin() string {
	if c.opts.PublicURL != "" {
		return c.opts.PublicURL
	}
	scheme := "http://"
	if c.opts.Secure {
		scheme = "https://"
	}
	if at := c.addr.Load(); at != nil {
		return scheme + *at
	}
	return ""
}

// endpoint is where MCP clients reach the tools.
func (c *core) endpoint() string { return c.origin() + mcphub.Path }
