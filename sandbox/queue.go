package sandbox

import (
	"context"
	"time"

	"github.com/localpass/localpass/internal/fair"
	"github.com/localpass/localpass/toolspec"
)

// queue hands out places to run in, fairly among the callers: see package fair. A
// run that finds none waits, with a bound on how many wait and for how long.
type queue[T any] struct {
	fair    *fair.Queue
	places  chan T // those that are free: at least as many as fair has to give
	timeout time.Duration
	closed  chan struct{}
}

func newQueue[T any](places, max int, timeout time.Duration) *queue[T] {
	return &queue[T]{fair: fair.New(places, max), places: make(chan T, places), timeout: timeout, closed: make(chan struct{})}
}

// acquire takes a place for the one that fair.From names. Its errors say that the
// run did not take place. The ticket goes back with the place.
func (q *queue[T]) acquire(ctx context.Context) (place T, ticket fair.Ticket, err error) {
	select {
	case <-q.closed:
		return place, ticket, errClosed()
	default:
	}
	if err := ctx.Err(); err != nil {
		return place, ticket, notRun(err)
	}
	if ticket, err = q.fair.Join(fair.From(ctx)); err != nil {
		return place, ticket, busy("too many runs are waiting already")
	}
	if ready := ticket.Ready(); ready != nil {
		timer := time.NewTimer(q.timeout)
		defer timer.Stop()
		select {
		case <-ready:
		case <-ctx.Done():
			err = notRun(ctx.Err())
		case <-timer.C:
			err = busy("no worker became free within " + q.timeout.String())
		case <-q.closed:
			err = errClosed()
		}
		if err != nil {
			q.fair.Leave(ticket)
			return place, fair.Ticket{}, err
		}
	}
	return <-q.places, ticket, nil
}

// add gives the queue a place at its start.
func (q *queue[T]) add(place T) { q.places <- place }

// release gives a place back.
func (q *queue[T]) release(place T, ticket fair.Ticket) {
	q.places <- place
	q.fair.Leave(ticket)
}

// close makes every acquire fail from now on.
func (q *queue[T]) close() { close(q.closed) }

// busy is the error of a run for which there is no room.
func busy(message string) error {
	return &toolspec.CallError{
		Kind: toolspec.KindResourceLimit, Reason: toolspec.ReasonBusy, Component: componentSandbox,
		Message: "the sandbox is busy: " + message, Err: ErrBusy,
	}
}
