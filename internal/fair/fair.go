// Package fair shares a fixed number of places among principals, so that a principal that
// asks for many cannot keep others out.
//
// A principal holds at most all places but one (or the only place, if there is just one),
// so that another principal finds a place at once. Waiting callers are served by taking
// turns between principals; the callers of one principal are served in the order in which
// they arrived.
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

// ErrFull reports that too many callers wait.
var ErrFull = errors.New("fair: too many wait")

// Who identifies a caller that asks for a place.
type Who struct {
	// Key distinguishes principals. Empty means the program itself, which may hold every
	// place while no principal is active.
	Key string
	// Nested is set for work whose caller holds a place and waits for it. It may take the
	// last place too; otherwise both could wait for each other.
	Nested bool
}

// KeyOf makes a key from the parts that identify a principal.
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

// Nest returns a context for nested work: the caller that ctx names holds a place and
// waits for this work.
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
	groups  map[string]*group // the groups that hold a place or wait
	turn    []*group          // the groups that wait, the next one first
	active  time.Time         // when a principal last had a place
	spare   *group            // for reuse, to save an allocation
	repair  group             // holds the places that belong to no principal: see Disown
}

// group holds the places and waiters of one key.
type group struct {
	key    string
	held   int
	nested []*waiter
	plain  []*waiter
}

type waiter struct {
	group *group
	ready chan struct{} // closed when the waiter has a place
	has   bool
}

// New returns a queue with at least one place. At most waiters callers may wait; of one
// principal half as many, but at least one.
func New(places, waiters int) *Queue {
	return &Queue{places: max(places, 1), waiters: max(waiters, 0), groups: map[string]*group{}}
}

// Ticket stands for a place, or for a position in the queue. The zero Ticket stands for
// neither.
type Ticket struct {
	group  *group
	waiter *waiter // nil when the place was free
}

// Ready returns a channel that is closed when the ticket has a place, or nil if it has
// one already.
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
	// Callers that already wait come first: those of its own group, and those of any
	// group that may have a place.
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

// Leave gives up the place or the position in the queue. Call it exactly once per ticket.
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

// Disown takes a place from its principal without freeing it, because it cannot be used
// again yet, for example while a worker is being replaced. The principal may take another
// place meanwhile. Call Leave with the returned ticket when the place can be used again.
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

// Held returns how many places are taken.
func (q *Queue) Held() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held
}

// Waiting returns how many callers wait for a place.
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

// grant gives the free places to waiting callers in turn.
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

// forget removes a waiter that gave up from the queue.
func (q *Queue) forget(w *waiter) {
	g := w.group
	g.nested, g.plain = without(g.nested, w), without(g.plain, w)
	q.waiting--
	if len(g.nested)+len(g.plain) == 0 {
		q.turn = without(q.turn, g)
	}
}

// without removes an element from a list and keeps the order of the others.
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
