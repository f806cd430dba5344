package advisor

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/localpass/localpass/chat"
)

// bound is an advisor before a handler. What goes wrong in the advisor itself
// carries its name; errors of the inner handlers pass unchanged.
type bound struct {
	advisor Advisor
	next    chat.Handler
}

// Handle lets the advisor answer. Each event passes here once for each advisor, so
// it calls the stream with a method and not in a range loop, which would allocate
// its state.
func (b *bound) Handle(ctx context.Context, req *chat.Request) chat.Stream {
	return func(yield func(chat.Event, error) bool) {
		c := &boundCall{bound: b, yield: yield}
		defer c.caught()
		b.advisor.Advise(ctx, req, c)(c.forward)
	}
}

// boundCall is one answer of a bound advisor, and the handler that it calls.
type boundCall struct {
	*bound
	yield   func(chat.Event, error) bool
	inner   error // the last one of next
	yielded bool  // the consumer has the event
	over    bool
}

// Handle hands the request on, and notes how that failed.
func (c *boundCall) Handle(ctx context.Context, req *chat.Request) chat.Stream {
	return func(yield func(chat.Event, error) bool) {
		c.next.Handle(ctx, req)(func(ev chat.Event, err error) bool {
			if err != nil {
				c.inner = err
			}
			return yield(ev, err)
		})
	}
}

// forward yields what the advisor yields, up to the first error.
func (c *boundCall) forward(ev chat.Event, err error) bool {
	if c.over {
		return false
	}
	if err != nil {
		c.over = true
		if c.inner == nil || !errors.Is(err, c.inner) { // one that an advisor wraps is explained already
			err = &Error{Name: c.advisor.Name(), Err: err}
		}
		ev = nil
	}
	c.yielded = true
	more := c.yield(ev, err)
	c.yielded = false
	c.over = c.over || !more
	return !c.over
}

// caught makes an error of a panic of the advisor. The consumer's own stays a
// panic.
func (c *boundCall) caught() {
	if c.yielded {
		return
	}
	if v := recover(); v != nil && !c.over {
		c.over = true
		name := c.advisor.Name()
		c.yield(nil, &Error{Name: name, Err: &chat.PanicError{Name: "advisor " + name, Value: v, Stack: debug.Stack()}})
	}
}
