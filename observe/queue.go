package observe

import (
	"slices"
	"sync"

	"github.com/localpass/localpass/observe/genai"
)

// maxAttributes is how many attributes of a span are kept.
const maxAttributes = 40

// operation is one that began or ended, on its way to the worker.
type operation struct {
	genai.Event
	ended bool
	over  int // attributes that were left out
}

// copyOf keeps what belongs to the caller out of the queue.
func copyOf(e genai.Event, ended bool) operation {
	o := operation{Event: e, ended: ended, over: max(len(e.Attrs)-maxAttributes, 0)}
	o.Attrs = slices.Clone(e.Attrs[:min(len(e.Attrs), maxAttributes)])
	o.Notes = slices.Clone(e.Notes)
	return o
}

// queue holds operations for the worker. It never makes who puts something in
// wait: when it is full, the oldest goes.
type queue struct {
	ready chan struct{} // holds a token while there is something

	mu      sync.Mutex
	ring    []operation
	first   int
	n       int
	dropped int64
	closed  bool
	spare   []operation // of the worker: the batch before
}

func (q *queue) init(size int) {
	q.ring, q.ready = make([]operation, size), make(chan struct{}, 1)
}

func (q *queue) put(o operation) {
	q.mu.Lock()
	if q.closed {
		q.dropped++
		q.mu.Unlock()
		return
	}
	if q.n == len(q.ring) {
		q.first, q.n = (q.first+1)%len(q.ring), q.n-1
		q.dropped++
	}
	q.ring[(q.first+q.n)%len(q.ring)] = o
	q.n++
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take returns what is there, oldest first. It is valid until the next call.
func (q *queue) take() []operation {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.spare)
	q.spare = q.spare[:0]
	for ; q.n > 0; q.n-- {
		q.spare = append(q.spare, q.ring[q.first])
		q.ring[q.first] = operation{}
		q.first = (q.first + 1) % len(q.ring)
	}
	return q.spare
}

func (q *queue) lost() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
