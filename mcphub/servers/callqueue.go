package servers

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// callQueue bounds the calls of one server: those that run, and those that wait for
// one to end.
type callQueue struct {
	c       *Connections
	server  string
	running chan struct{} // a place for each
	waiting atomic.Int32
}

func newCallQueue(c *Connections, server string) *callQueue {
	return &callQueue{c: c, server: server, running: make(chan struct{}, c.opts.MaxCalls)}
}

// enter waits for a place among the calls of the server, to be given back to running.
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

// enterTotal waits for a place among the calls of all servers, to be given back to
// Connections.places.
func (q *callQueue) enterTotal(ctx context.Context) error {
	select {
	case q.c.places <- struct{}{}:
		return nil
	default:
		return q.await(ctx, q.c.places)
	}
}

// await waits for a place, as long as a call may wait for one.
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
