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
	t := &tee{open: n, queues: make([][]pair, n), gone: make([]bool, n)}
	t.next, t.stop = pull(s)
	out := make([]Stream, n)
	for i := range out {
		out[i] = func(yield func(Event, error) bool) { t.run(i, yield) }
	}
	if n <= 0 {
		t.stop()
	}
	return out
}

type tee struct {
	mu     sync.Mutex // held while the source is asked, so one at a time asks it
	next   func() (Event, error, bool)
	stop   func()
	open   int
	done   bool
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

func (t *tee) take(i int) (pair, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q := t.queues[i]; len(q) > 0 {
		t.queues[i] = q[1:]
		return q[0], true
	}
	if t.done || t.gone[i] {
		return pair{}, false
	}
	event, err, ok := t.next()
	if !ok {
		t.done = true
		return pair{}, false
	}
	for j := range t.queues {
		if j != i && !t.gone[j] {
			t.queues[j] = append(t.queues[j], pair{event, err})
		}
	}
	return pair{event, err}, true
}

func (t *tee) leave(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone[i] {
		return
	}
	t.gone[i], t.queues[i] = true, nil
	if t.open--; t.open == 0 {
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
