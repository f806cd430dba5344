// Package fair shares a fixed number of places among principals, so that one that
// asks for many keeps no other out.
//
// A principal holds at most all places but one, or the only one there is: another
// finds a place at once. Waiting callers are served in turn, one principal after
// the other, and the waiters of each in the order in which they came.
package fair

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

// Recent is how long a principal that had a place counts as active.
const Recent = 5 * time.Second

// ErrFull reports that too many wait.
var ErrFull = errors.New("fair: too many wait")

// Who identifies a caller that asks for a place.
type Who struct {
	// Key distinguishes principals. Empty is the program itself: it may hold every
	// place as long as no principal is active.
	Key string
	// Nested is set for what runs on behalf of one that holds a place and waits
	// for it. It may take the last place too, or the two would wait for each
	// other.
	Nested bool
}

// KeyOf makes a key of what a principal is known by.
func KeyOf(parts ...string) string { return strings.Join(parts, "\x00") }

type contextKey struct{}

// With returns a context for which [From] returns who.
func With(ctx context.Context, who Who) context.Context {
	return context.WithValue(ctx, contextKey{}, who)
}

// From returns the caller that asks for a place under ctx. The zero Who is the
// program itself.
func From(ctx context.Context) Who {
	who, _ := ctx.Value(contextKey{}).(Who)
	return who
}

// Nest returns a context for what runs on behalf of the one that ctx names, which
// holds a place and waits for it.
func Nest(ctx context.Context) context.Context {
	who := From(ctx)
	who.Nested = true
	return With(ctx, who)
}

// Queue hands out places. It starts no goroutine and is safe for concurrent use.
type Queue struct {
	places, waiters int

	mu      sync.Mutex // guards what follows
	held    int
	waiting int
	groups  map[string]*group // those that hold a place or wait
	turn    []*group          // those that wait, the next one first
	active  time.Time         // when a principal last had a place
	spare   *group            // for the next one, so that it takes no allocation
	repair  group             // holds the places that are no principal's: see Disown
}

// group is the part of one key.
type group struct {
	key    string
	held   int
	nested []*waiter
	plain  []*waiter
}

type waiter struct {
	group *group
	ready chan struct{} // closed when it has a place
	has   bool
}

// New returns a queue for a number of places, at least one. At most waiters wait,
// and of one principal half as many, at least one.
func New(places, waiters int) *Queue {
	return &Queue{places: max(places, 1), waiters: max(waiters, 0), groups: map[string]*group{}}
}

// Ticket is a place, or the wait for one. The zero Ticket is none.
type Ticket struct {
	group  *group
	waiter *waiter // nil when the place was free
}

// Ready is closed when the ticket has a place; nil says that it has one already.
func (t Ticket) Ready() <-chan struct{} {
	if t.waiter == nil {
		return nil
	}
	return t.waiter.ready
}

// Join takes a place or a position in the queue. The caller must call
// [Queue.Leave] in the end, whether it had a place or gave up waiting. The error
// is ErrFull.
func (q *Queue) Join(who Who) (Ticket, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	g := q.groups[who.Key]
	if g == nil {
		if g, q.spare = q.spare, nil; g == nil {
			g = &group{}
		}
		g.key = who.Key
		q.groups[who.Key] = g
	}
	// The waiting callers came earlier: of its own group, or of one that may have
	// a place.
	if q.held < q.places && q.may(g, who.Nested) && len(g.nested) == 0 && (who.Nested || len(g.plain) == 0) {
		q.hold(g)
		return Ticket{group: g}, nil
	}
	share := q.waiters
	if who.Key != "" && share > 0 {
		share = max(share/2, 1)
	}
	if q.waiting >= q.waiters || len(g.nested)+len(g.plain) >= share {
		q.drop(g)
		return Ticket{}, ErrFull
	}
	w := &waiter{group: g, ready: make(chan struct{})}
	if len(g.nested)+len(g.plain) == 0 {
		q.turn = append(q.turn, g)
	}
	if who.Nested {
		g.nested = append(g.nested, w)
	} else {
		g.plain = append(g.plain, w)
	}
	q.waiting++
	return Ticket{group: g, waiter: w}, nil
}

// Leave gives a place back, or the position in the queue. Each ticket is left
// once.
func (q *Queue) Leave(t Ticket) {
	if t.group == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.waiter != nil && !t.waiter.has {
		q.forget(t.waiter)
	} else {
		t.group.held--
		q.held--
		if t.group.key != "" {
			q.active = time.Now()
		}
	}
	q.drop(t.group)
	q.grant()
}

// Disown takes a place from its principal without giving it back: what the place is
// for is not ready for the next one, such as a worker that is being replaced. The
// principal may take another place meanwhile. The ticket that comes back is left when
// it is ready.
func (q *Queue) Disown(t Ticket) Ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.group.held--
	q.repair.held++
	if t.group.key != "" {
		q.active = time.Now()
	}
	q.drop(t.group)
	q.grant()
	return Ticket{group: &q.repair}
}

// Held is how many places are taken, and Waiting how many wait for one.
func (q *Queue) Held() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held
}

// Waiting is how many wait for a place.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}

// may reports whether a group may have another place.
func (q *Queue) may(g *group, nested bool) bool {
	if nested || g.held < max(q.places-1, 1) {
		return true
	}
	if g.key != "" {
		return false
	}
	for _, other := range q.turn {
		if other != g {
			return false
		}
	}
	return q.held == g.held && time.Since(q.active) > Recent
}

func (q *Queue) hold(g *group) {
	g.held++
	q.held++
}

// grant serves those that wait, by turn, as long as there are places that they
// may have.
func (q *Queue) grant() {
	for q.held < q.places {
		at := -1
		for i, g := range q.turn {
			if len(g.nested) > 0 || q.may(g, false) {
				at = i
				break
			}
		}
		if at < 0 {
			return
		}
		g := q.turn[at]
		q.turn = append(q.turn[:at], q.turn[at+1:]...)
		list := &g.plain
		if len(g.nested) > 0 {
			list = &g.nested
		}
		w := (*list)[0]
		(*list)[0] = nil
		*list = (*list)[1:]
		if len(g.nested)+len(g.plain) > 0 {
			q.turn = append(q.turn, g)
		}
		q.waiting--
		w.has = true
		q.hold(g)
		close(w.ready)
	}
}

// forget takes one that gave up out of the queue.
func (q *Queue) forget(w *waiter) {
	g := w.group
	g.nested, g.plain = without(g.nested, w), without(g.plain, w)
	q.waiting--
	if len(g.nested)+len(g.plain) == 0 {
		q.turn = without(q.turn, g)
	}
}

// without removes an element from a list, which keeps its order.
func without[T comparable](list []T, gone T) []T {
	for i, e := range list {
		if e == gone {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// drop forgets a group that neither holds a place nor waits.
func (q *Queue) drop(g *group) {
	if g.held > 0 || len(g.nested)+len(g.plain) > 0 || q.groups[g.key] != g {
		return
	}
	delete(q.groups, g.key)
	*g = group{}
	q.spare = g
}
