package mcphub

import (
	"context"
	"sync"

	"github.com/localpass/localpass/toolspec"
)

// life is the shutdown of a hub, in steps that only go forward:
//
//  1. Shutdown begins: closing ends. Requests are refused, streams end, no person is
//     asked any more, and the tracker admits no further call.
//  2. The calls in progress have ended, or their context has.
//  3. running ends, and with it the background work.
type life struct {
	closing context.Context
	close   context.CancelFunc
	calls   tracker

	running    context.Context
	stop       context.CancelFunc
	background sync.WaitGroup
}

func (l *life) init() {
	l.running, l.stop = context.WithCancel(context.Background())
	l.closing, l.close = context.WithCancel(l.running)
	l.calls.init()
}

// tracker knows the calls in progress, so that a hub can end them and wait for them.
type tracker struct {
	mu     sync.Mutex
	calls  map[*toolspec.Call]context.CancelFunc
	closed bool
	empty  chan struct{} // closed once the tracker is closed and no call is in progress
}

func (t *tracker) init() {
	t.calls, t.empty = map[*toolspec.Call]context.CancelFunc{}, make(chan struct{})
}

// enter adds a call in progress, unless the tracker is closed.
func (t *tracker) enter(call *toolspec.Call, cancel context.CancelFunc) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.calls[call] = cancel
	}
	return !t.closed
}

func (t *tracker) leave(call *toolspec.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, call)
	if t.closed && len(t.calls) == 0 {
		close(t.empty)
	}
}

// close refuses all further calls.
func (t *tracker) close() {
	t.mu.Lock()
	if !t.closed {
		if t.closed = true; len(t.calls) == 0 {
			close(t.empty)
		}
	}
	t.mu.Unlock()
}

// wait waits until no call is in progress. If ctx ends first, it cancels the remaining
// calls, waits for them and returns the context's error.
func (t *tracker) wait(ctx context.Context) error {
	select {
	case <-t.empty:
		return nil
	default:
	}
	select {
	case <-t.empty:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	for _, cancel := range t.calls {
		cancel()
	}
	t.mu.Unlock()
	<-t.empty
	return ctx.Err()
}
