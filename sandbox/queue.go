package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// queue hands out places to run in. Who finds none waits, with a bound on how
// many wait and for how long.
type queue[T any] struct {
	places  chan T
	waiting atomic.Int64
	max     int64
	timeout time.Duration
	closed  chan struct{}
}

func newQueue[T any](places, max int, timeout time.Duration) *queue[T] {
	return &queue[T]{places: make(chan T, places), max: int64(max), timeout: timeout, closed: make(chan struct{})}
}

// acquire takes a place. Its errors say that the run did not take place.
func (q *queue[T]) acquire(ctx context.Context) (place T, err error) {
	select {
	case <-q.closed:
		return place, errClosed()
	default:
	}
	if err := ctx.Err(); err != nil {
		return place, notRun(err)
	}
	select {
	case place = <-q.places:
		return place, nil
	default:
	}
	if q.waiting.Add(1) > q.max {
		q.waiting.Add(-1)
		return place, busy("too many runs are waiting already")
	}
	defer q.waiting.Add(-1)
	timer := time.NewTimer(q.timeout)
	defer timer.Stop()
	select {
	case place = <-q.places:
		return place, nil
	case <-ctx.Done():
		return place, notRun(ctx.Err())
	case <-timer.C:
		return place, busy("no worker became free within " + q.timeout.String())
	case <-q.closed:
		return place, errClosed()
	}
}

func (q *queue[T]) release(place T) { q.places <- place }

// close makes every acquire fail from now on.
func (q *queue[T]) close() { close(q.closed) }

// busy is the error of a run for which there is no room.
func busy(message string) error {
	return &toolspec.CallError{
		Kind: toolspec.KindResourceLimit, Reason: ReasonBusy, Component: componentSandbox,
		Message: "the sandbox is busy: " + message, Err: ErrBusy,
	}
}
