package fair_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/fair"
)

func join(t *testing.T, q *fair.Queue, key string) (fair.Ticket, bool) {
	t.Helper()
	ticket, err := q.Join(fair.Who{Key: key})
	require.NoError(t, err)
	return ticket, has(ticket)
}

func has(ticket fair.Ticket) bool {
	if ticket.Ready() == nil {
		return true
	}
	select {
	case <-ticket.Ready():
		return true
	default:
		return false
	}
}

// One principal holds all places but one, however many it asks for.
func TestShare(t *testing.T) {
	q := fair.New(4, 100)
	var loops []fair.Ticket
	for i := range 12 {
		ticket, held := join(t, q, "loop")
		assert.Equal(t, i < 3, held)
		loops = append(loops, ticket)
	}
	other, held := join(t, q, "other")
	assert.True(t, held, "another finds a place at once")
	q.Leave(other)
	assert.Equal(t, 9, q.Waiting())
	for _, ticket := range loops[3:] {
		assert.False(t, has(ticket))
	}
	q.Leave(loops[0])
	assert.True(t, has(loops[3]), "the first that waits is next")
	assert.False(t, has(loops[4]))
	for _, ticket := range loops[1:] {
		q.Leave(ticket)
	}
	assert.Zero(t, q.Held())
	assert.Zero(t, q.Waiting())
}

// With one place fairness is by turn.
func TestTurns(t *testing.T) {
	q := fair.New(1, 100)
	running, held := join(t, q, "a")
	require.True(t, held)
	var order []string
	waiting := map[string]fair.Ticket{}
	for _, name := range []string{"a1", "a2", "a3", "b1", "b2", "c1"} {
		waiting[name], held = join(t, q, name[:1])
		require.False(t, held)
	}
	for len(waiting) > 0 {
		q.Leave(running)
		for name, ticket := range waiting {
			if has(ticket) {
				running = ticket
				order = append(order, name)
				delete(waiting, name)
			}
		}
	}
	q.Leave(running)
	assert.Equal(t, []string{"a1", "b1", "c1", "a2", "b2", "a3"}, order)
}

// The program itself takes all places while no principal is active.
func TestProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := fair.New(2, 10)
		time.Sleep(fair.Recent * 2)
		one, held := join(t, q, "")
		assert.True(t, held)
		two, held := join(t, q, "")
		assert.True(t, held)
		client, held := join(t, q, "client")
		assert.False(t, held)
		q.Leave(one)
		assert.True(t, has(client))
		q.Leave(two)
		q.Leave(client)
		one, _ = join(t, q, "")
		two, held = join(t, q, "")
		assert.False(t, held, "a client ran just now")
		q.Leave(two)
		time.Sleep(fair.Recent + time.Second)
		two, held = join(t, q, "")
		assert.True(t, held)
		q.Leave(one)
		q.Leave(two)
	})
}

// What runs on behalf of one that waits for it takes the last place, by turn.
func TestNested(t *testing.T) {
	q := fair.New(2, 10)
	parent, _ := join(t, q, "a")
	sibling, held := join(t, q, "a")
	assert.False(t, held)
	child, err := q.Join(fair.Who{Key: "a", Nested: true})
	require.NoError(t, err)
	assert.True(t, has(child))
	other, held := join(t, q, "b")
	assert.False(t, held)
	next, err := q.Join(fair.Who{Key: "a", Nested: true})
	require.NoError(t, err)
	q.Leave(child)
	assert.True(t, has(next) != has(other), "one place, one of them")
	q.Leave(next)
	q.Leave(other)
	q.Leave(sibling)
	q.Leave(parent)
	assert.Zero(t, q.Held())
}

func TestFull(t *testing.T) {
	q := fair.New(1, 4)
	running, _ := join(t, q, "a")
	a1, _ := join(t, q, "a")
	a2, _ := join(t, q, "a")
	_, err := q.Join(fair.Who{Key: "a"})
	require.ErrorIs(t, err, fair.ErrFull, "half of the queue")
	b, held := join(t, q, "b")
	assert.False(t, held)
	q.Leave(a1) // it gave up
	q.Leave(running)
	assert.True(t, has(a2) != has(b))
	q.Leave(a2)
	q.Leave(b)
	none := fair.New(1, 0)
	running, _ = join(t, none, "a")
	_, err = none.Join(fair.Who{Key: "b"})
	require.ErrorIs(t, err, fair.ErrFull)
	none.Leave(running)
	none.Leave(fair.Ticket{})
}

// A place that is not ready for the next one counts against no principal, and is not
// free until it is left.
func TestDisown(t *testing.T) {
	q := fair.New(2, 10)
	first, held := join(t, q, "a")
	require.True(t, held)
	next, held := join(t, q, "a")
	require.False(t, held)
	first = q.Disown(first)
	assert.True(t, has(next), "its principal takes another place")
	other, held := join(t, q, "b")
	assert.False(t, held, "both places are taken")
	q.Leave(first)
	assert.True(t, has(other))
	q.Leave(next)
	q.Leave(other)
	assert.Zero(t, q.Held())
}

func TestWith(t *testing.T) {
	assert.Equal(t, fair.Who{}, fair.From(t.Context()))
	assert.Equal(t, fair.Who{Key: "x"}, fair.From(fair.With(t.Context(), fair.Who{Key: "x"})))
}

// Under load there are never more holders than places, nor more of one principal
// than its share, and all get through.
func TestRace(t *testing.T) {
	const places = 3
	q := fair.New(places, 1000)
	var all atomic.Int64
	var own [4]atomic.Int64
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			p := i % len(own)
			for turn := range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if turn%7 == 0 {
					cancel() // it may give up
				}
				ticket, err := q.Join(fair.Who{Key: fmt.Sprint(p)})
				if err != nil {
					t.Error(err)
				}
				ok := ticket.Ready() == nil
				if !ok {
					select {
					case <-ticket.Ready():
						ok = true
					case <-ctx.Done():
					}
				}
				if ok {
					if all.Add(1) > places || own[p].Add(1) > places-1 {
						t.Error("too many hold a place")
					}
					own[p].Add(-1)
					all.Add(-1)
				}
				q.Leave(ticket)
				cancel()
			}
		})
	}
	group.Wait()
	assert.Zero(t, q.Held())
	assert.Zero(t, q.Waiting())
}

func BenchmarkUncontended(b *testing.B) {
	q := fair.New(8, 8)
	b.ReportAllocs()
	for b.Loop() {
		ticket, err := q.Join(fair.Who{Key: "a"})
		if err != nil {
			b.Fatal(err)
		}
		q.Leave(ticket)
	}
}
