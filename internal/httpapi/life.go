package httpapi

import (
	"context"
	"sync"
)

// DefaultStreams is the maximum number of open event streams of a service whose options set
// none.
const DefaultStreams = 64

// Life holds what a service does in addition to answering requests: its event streams and its
// goroutines. Create one with [NewLife]; it is safe for concurrent use.
type Life struct {
	ctx      context.Context
	cancel   context.CancelFunc
	most     int
	draining chan struct{} // closed by Drain and by Close: no more streams are opened
	work     sync.WaitGroup

	mu      sync.Mutex // guards the fields below, and ensures that no work is added once closed is set
	closed  bool
	streams int
	idle    chan struct{} // closed when draining is closed and no stream is open
}

// NewLife returns a Life with at most that many streams at a time; 0 or less means
// [DefaultStreams].
func NewLife(streams int) *Life {
	l := &Life{most: streams, draining: make(chan struct{}), idle: make(chan struct{})}
	if l.most <= 0 {
		l.most = DefaultStreams
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Context returns a context that ends with Close.
func (l *Life) Context() context.Context { return l.ctx }

// Done returns a channel that is closed by Close.
func (l *Life) Done() <-chan struct{} { return l.ctx.Done() }

// OpenStream counts a stream as open until release is called. The error is [ShuttingDown]
// after Close, and [StreamLimit] if the maximum number of streams is open.
func (l *Life) OpenStream() (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.isDraining():
		return nil, ShuttingDown.New("try again when it is up")
	case l.streams >= l.most:
		return nil, StreamLimit.New("at most %d streams can be open: close one", l.most)
	}
	l.streams++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.streams--; l.streams == 0 && l.isDraining() {
			close(l.idle)
		}
	}), nil
}

func (l *Life) isDraining() bool {
	select {
	case <-l.draining:
		return true
	default:
		return false
	}
}

// Draining returns a channel that is closed by [Life.Drain] and by Close.
func (l *Life) Draining() <-chan struct{} { return l.draining }

// Drain prevents new streams and returns a channel that is closed when none is open, for a
// service whose readers should get the last events before Close.
func (l *Life) Drain() (idle <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isDraining() {
		close(l.draining)
		if l.streams == 0 {
			close(l.idle)
		}
	}
	return l.idle
}

// Go runs a function, which must end with the context, in a goroutine that Close waits for.
// After Close it runs nothing and returns false.
func (l *Life) Go(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.work.Go(work)
	return true
}

// Close ends the context and waits for the functions that Go runs. It can be called again.
func (l *Life) Close() {
	l.Drain()
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
}
