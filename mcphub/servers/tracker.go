package servers

import "sync"

// tracker counts what is under way, so that a shutdown can wait for it.
type tracker struct {
	mu     sync.Mutex
	n      int
	closed bool
	empty  chan struct{} // closed once the tracker is closed and nothing is under way
}

// enter lets one in, unless the tracker is closed.
func (t *tracker) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.n++
	}
	return !t.closed
}

func (t *tracker) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n--; t.closed && t.n == 0 {
		close(t.empty)
	}
}

// close refuses all that comes later, and reports whether it was open.
func (t *tracker) close() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := !t.closed
	if t.closed = true; first && t.n == 0 {
		close(t.empty)
	}
	return first
}
