package oauth

import (
	"context"
	"errors"
)

// current returns the token to send, renewed if it is due; nil if there is none.
func (c *Client) current(ctx context.Context) (*held, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	h := c.held.Load()
	if h == nil {
		return nil, nil
	}
	ok, renew := h.usable(c.now())
	if !renew {
		if !ok {
			h.dead.Store(true)
			return nil, nil
		}
		return h, nil
	}
	_, err := c.replace(ctx, h.Access, func(ctx context.Context) error {
		if c.adopt(ctx, h.Access) {
			return nil
		}
		err := c.refresh(ctx, h)
		if err != nil && final(err) {
			if c.adoptSoon(ctx, h.Access) {
				return nil
			}
			h.dead.Store(true) // a user has to grant the authorization again
		}
		return err
	})
	switch {
	case err == nil:
		return c.held.Load(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case h.dead.Load():
		return nil, nil
	case ok: // still valid for a short time
		return h, nil
	}
	return nil, err
}

// ready loads the stored token, once.
func (c *Client) ready(ctx context.Context) error {
	if c.loaded.Load() {
		return nil
	}
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return ErrClosed
	}
	age := c.age.Load()
	h, err := c.fetch(ctx)
	if err != nil {
		return err
	}
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if h != nil && c.age.Load() == age {
		c.held.CompareAndSwap(nil, h)
	}
	c.loaded.Store(true)
	return nil
}

// flight is work that several callers wait for.
type flight struct {
	done chan struct{}
	err  error
}

// replace runs do, unless the used token has already been replaced. If another caller is
// replacing it, replace waits for that caller. It reports whether there is another token
// now. The work continues if its first caller gives up.
func (c *Client) replace(ctx context.Context, used string, do func(context.Context) error) (bool, error) {
	for {
		c.mu.Lock()
		if h := c.held.Load(); h != nil && !h.dead.Load() && h.Access != used {
			c.mu.Unlock()
			return true, nil
		}
		if c.closed {
			c.mu.Unlock()
			return false, ErrClosed
		}
		f := c.flight
		mine := f == nil
		if mine {
			f = c.start(do)
		}
		c.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		if f.err != nil {
			return false, f.err
		}
		if mine {
			h := c.held.Load()
			return h != nil && h.Access != used, nil
		}
	}
}

// start starts a flight. c.mu must be held.
func (c *Client) start(do func(context.Context) error) *flight {
	f := &flight{done: make(chan struct{})}
	c.flight = f
	c.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, flightLimit+c.opts.Wait)
		defer cancel()
		err := guarded(func() error { return do(ctx) })
		c.mu.Lock()
		f.err, c.flight = err, nil
		c.mu.Unlock()
		close(f.done)
	})
	return f
}

// guarded prevents a panic in a function of the options from ending the program.
func guarded(do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("oauth: a function of the options panicked")
		}
	}()
	return do()
}
