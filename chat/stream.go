package chat

import (
	"context"
	"sync"
)

// Tee returns n streams that each see every element of s. They may be read side
// by side, each by one goroutine. s goes as fast as the fastest of them: what the
// others have not read yet is kept for them. s ends when all of them have been
// read to their end or broken off; one that is never read keeps it open.
func Tee(s Stream, n int) []Stream {
	n = max(n, 0)
	t := &tee{open: n, queues: make([][]pair, n), gone: make([]bool, n)}
	t.next, t.stop = pull(s)
	out := make([]Stream, n)
	for i := range out {
		out[i] = func(yield func(Event, error) bool) { t.run(i, yield) }
	}
	if n == 0 {
		t.stop()
	}
	return out
}

type tee struct {
	next func() (Event, error, bool)
	stop func()

	mu     sync.Mutex // guards what follows; not held while the source is asked
	open   int
	asking bool // a reader asks the source
	done   bool
	more   chan struct{} // closed when there is more in the queues, or no more to come
	queues [][]pair
	gone   []bool
}

func (t *tee) run(i int, yield func(Event, error) bool) {
	defer t.leave(i)
	for {
		p, ok := t.take(i)
		if !ok || !yield(p.event, p.err) || p.err != nil {
			return
		}
	}
}

// take returns what is there for a reader, or asks the source, unless another
// reader does: then it waits for what that gets.
func (t *tee) take(i int) (pair, bool) {
	for {
		t.mu.Lock()
		if q := t.queues[i]; len(q) > 0 {
			t.queues[i] = q[1:]
			t.mu.Unlock()
			return q[0], true
		}
		if t.done || t.gone[i] {
			t.mu.Unlock()
			return pair{}, false
		}
		if more := t.more; t.asking {
			t.mu.Unlock()
			<-more
			continue
		}
		t.asking, t.more = true, make(chan struct{})
		t.mu.Unlock()
		t.ask()
	}
}

// ask takes one element of the source and puts it into the queue of each reader.
func (t *tee) ask() {
	var event Event
	var err error
	ok := false
	defer func() { // also when the source panics
		t.mu.Lock()
		defer t.mu.Unlock()
		t.asking = false
		t.done = t.done || !ok
		for j := range t.queues {
			if ok && !t.gone[j] {
				t.queues[j] = append(t.queues[j], pair{event, err})
			}
		}
		close(t.more)
	}()
	event, err, ok = t.next()
}

// leave counts a reader out. The last one ends the source.
func (t *tee) leave(i int) {
	t.mu.Lock()
	if t.gone[i] {
		t.mu.Unlock()
		return
	}
	t.gone[i], t.queues[i] = true, nil
	t.open--
	last := t.open == 0
	t.mu.Unlock()
	if last { // so nobody asks it
		t.stop()
	}
}

// Item is one element of a stream in a channel.
type Item struct {
	Event Event
	Err   error
}

// ToChannel sends the elements of s to a channel, for whoever needs select. The
// channel is closed after the last. It runs s on a goroutine of its own, which
// ends with s or soon after ctx: end ctx to break s off.
func ToChannel(ctx context.Context, s Stream) <-chan Item {
	out := make(chan Item)
	go func() {
		defer close(out)
		for event, err := range s {
			select {
			case out <- Item{event, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
