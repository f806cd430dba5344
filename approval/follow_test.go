package approval_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
)

// Watch and Wait see the changes of another program.
func TestBrokerWatch(t *testing.T) {
	for name, store := range map[string]localpass.Persistence{"watched": memory.New(), "polled": plain{memory.New()}} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			here := newBroker(t, store, approval.Options{})
			approval.SetPoll(here, 5*time.Millisecond)
			there := newBroker(t, store, approval.Options{})
			old := put(t, there, about("old")).Request.ID
			seen := make(chan string, 100)
			began := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				close(began)
				for rec, err := range here.Watch(t.Context()) {
					if err != nil {
						return
					}
					seen <- rec.Request.Tool + " " + string(rec.Status)
					if rec.Request.Tool == "end" {
						return
					}
				}
			})
			<-began
			waited := make(chan approval.Record, 1)
			wg.Go(func() {
				rec, err := here.Wait(t.Context(), old)
				assert.NoError(t, err)
				waited <- rec
			})
			_, err := there.Decide(t.Context(), approval.Decision{Request: old, Outcome: approval.Declined})
			require.NoError(t, err)
			assert.Equal(t, approval.Declined, (<-waited).Outcome)
			// The watch may not have begun yet, and reports only later changes: add
			// requests until it reports one.
			heard := make(chan struct{})
			go func() { wg.Wait(); close(heard) }()
			for done := false; !done; {
				put(t, there, about("end"))
				select {
				case <-heard:
					done = true
				case <-time.After(10 * time.Millisecond):
				}
			}
			close(seen)
			all := map[string]bool{}
			for s := range seen {
				all[s] = true
			}
			assert.True(t, all["end pending"], "%v", all)
		})
	}
}

func TestWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.NewBroker(memory.New(), approval.Options{})
		id := put(t, b, about("send")).Request.ID
		began := time.Now()
		rec, err := b.Wait(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, approval.TimedOut, rec.Outcome)
		assert.Equal(t, 2*time.Minute, time.Since(began))

		_, err = b.Wait(t.Context(), "ap_01ARZ3NDEKTSV4RRFFQ69G5FAV")
		assert.ErrorIs(t, err, approval.ErrNotFound)
		id = put(t, b, about("send")).Request.ID
		go func() { time.Sleep(time.Second); assert.NoError(t, b.Close()) }()
		_, err = b.Wait(t.Context(), id)
		assert.ErrorIs(t, err, approval.ErrClosed)
		_, err = b.Ask(t.Context(), about("send"))
		assert.ErrorIs(t, err, approval.ErrClosed)
	})
}

// The newest ended requests are kept, and no request is removed that is open or can still
// be used.
func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(t, nil, approval.Options{Keep: 5, KeepFor: time.Hour})
		count := func() (n int) {
			for _, err := range b.List(t.Context(), approval.ListOptions{}) {
				require.NoError(t, err)
				n++
			}
			return n
		}
		tidy := func() {
			time.Sleep(time.Minute)
			put(t, b, about("send"))
			synctest.Wait()
		}
		var approved []string
		for i := range 20 {
			id := put(t, b, about("send")).Request.ID
			outcome := approval.Declined
			if i < 3 {
				outcome = approval.Approved
				approved = append(approved, id)
			}
			_, err := b.Decide(t.Context(), approval.Decision{Request: id, Outcome: outcome})
			require.NoError(t, err)
		}
		tidy()
		assert.Equal(t, 5+3+1, count(), "the last, those that may be used, and the open one")
		for _, id := range approved {
			_, err := b.Get(t.Context(), id)
			assert.NoError(t, err)
		}
		tidy()
		tidy()
		tidy()
		assert.LessOrEqual(t, count(), 5+3)
		time.Sleep(2 * time.Hour)
		tidy()
		assert.Equal(t, 1, count())
	})
}

// A request or a decision that cannot be audited does not count.
func TestBrokerNeedsItsRecords(t *testing.T) {
	b := newBroker(t, nil, approval.Options{Audit: failing(approval.AuditAsked)})
	_, err := b.Ask(t.Context(), about("send"))
	assert.ErrorContains(t, err, "audit record")
	b = newBroker(t, nil, approval.Options{Audit: failing(approval.AuditDecided)})
	id := put(t, b, about("send")).Request.ID
	_, err = b.Decide(t.Context(), approval.Decision{Request: id, Outcome: approval.Approved})
	assert.ErrorContains(t, err, "audit record")
	rec, err := b.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, approval.StatusPending, rec.Status)
	b = newBroker(t, nil, approval.Options{Audit: &book{fail: func(*approval.AuditRecord) error { panic("broken") }}})
	_, err = b.Ask(t.Context(), about("send"))
	assert.ErrorContains(t, err, "panic")
}
