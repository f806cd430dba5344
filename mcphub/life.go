package mcphub

import (
	"context"
	"sync"

	"github.com/localpass/localpass/toolspec"
)

// life is how a hub ends, in steps that go forward only:
//
//  1. Shutdown begins: closing ends. Requests are refused, streams end, nobody is asked
//     any more, and the tracker lets no further call in.
//  2. The calls under way have ended, or their context has.
//  3. running ends, and with it what runs in the background.
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

// tracker knows the calls under way, so that a hub can end them and wait.
type tracker struct {
	mu     sync.Mutex
	calls  map[*toolspec.Call]context.CancelFunc
	closed bool
	empty  chan struct{} // closed once the tracker is closed and nothing is under way
}

func (t *tracker) init() {
	t.calls, t.empty = map[*toolspec.Call]context.CancelFunc{}, make(chan struct{})
}

// enter notes a call under way, unless the tracker is closed.
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

// wait waits until nothing is under way. When ctx ends first, it cancels what
// is, waits for that and returns the context's error.
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
