package servers

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// callQueue limits the calls of one server: the running ones, and those that wait for a
// running one to end.
type callQueue struct {
	c       *Connections
	server  string
	running chan struct{} // one slot for each running call
	waiting atomic.Int32
}

func newCallQueue(c *Connections, server string) *callQueue {
	return &callQueue{c: c, server: server, running: make(chan struct{}, c.opts.MaxCalls)}
}

// enter waits for a slot among the calls of the server; the slot must be returned to
// running.
func (q *callQueue) enter(ctx context.Context) error {
	select {
	case q.running <- struct{}{}:
		return nil
	default:
	}
	most := q.c.opts.MaxQueue
	if int(q.waiting.Add(1)) > most {
		q.waiting.Add(-1)
		return fmt.Errorf("%w: %q: %d run and %d wait: try again later", ErrOverloaded, q.server, cap(q.running), most)
	}
	defer q.waiting.Add(-1)
	return q.await(ctx, q.running)
}

// enterTotal waits for a slot among the calls of all servers; the slot must be returned
// to Connections.places.
func (q *callQueue) enterTotal(ctx context.Context) error {
	select {
	case q.c.places <- struct{}{}:
		return nil
	default:
		return q.await(ctx, q.c.places)
	}
}

// await waits for a slot, for as long as a call may wait.
func (q *callQueue) await(ctx context.Context, places chan struct{}) error {
	timer := time.NewTimer(q.c.opts.QueueTimeout)
	defer timer.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-timer.C:
		return fmt.Errorf("%w: %q: no call ended within %v: try again later", ErrOverloaded, q.server, q.c.opts.QueueTimeout)
	case <-q.c.closed:
		return errConnectionsClosed()
	case <-ctx.Done():
		return ctx.Err()
	}
}
