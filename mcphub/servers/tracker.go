package servers

import "sync"

// tracker counts the work in progress, so that a shutdown can wait for it.
type tracker struct {
	mu     sync.Mutex
	n      int
	closed bool
	empty  chan struct{} // closed once the tracker is closed and nothing is in progress
}

// enter adds one unit of work, unless the tracker is closed.
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

// close refuses all further work, and reports whether the tracker was open.
func (t *tracker) close() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := !t.closed
	if t.closed = true; first && t.n == 0 {
		close(t.empty)
	}
	return first
}
