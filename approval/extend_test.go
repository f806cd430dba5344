package approval_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// heldCall starts a call and returns its request and the channel of its outcome.
func heldCall(t *testing.T, ctx context.Context, opts approval.Options) (*approval.Gate, approval.Request, <-chan approval.CallOutcome) {
	t.Helper()
	question := make(chan approval.Request, 1)
	opts.Approvers = []approval.Approver{approval.Inbox(0)}
	opts.OnPending = func(r approval.Request) { question <- r }
	g := newGate(t, opts)
	held := make(chan approval.CallOutcome, 1)
	go func() { held <- g.Check(ctx, []approval.Call{call(tool("send", toolspec.L3, true), `{"n":1}`)})[0] }()
	return g, <-question, held
}

// Extend extends the deadline by five minutes, once, and the call waits.
func TestExtend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		audit := &book{}
		g, q, held := heldCall(t, t.Context(), approval.Options{Store: memory.New(), Audit: audit})
		assert.Equal(t, 2*time.Minute, q.Deadline.Sub(q.Created))
		assert.Equal(t, 7*time.Minute, q.Latest.Sub(q.Created))
		time.Sleep(time.Minute)
		rec, err := g.Broker().Extend(t.Context(), q.ID, ada, "http")
		require.NoError(t, err)
		assert.Equal(t, q.Latest, rec.Request.Deadline)
		assert.Zero(t, rec.Request.Latest)
		assert.Equal(t, approval.AuditPutOff, audit.last().Kind)
		assert.Equal(t, ada, audit.last().By)
		_, err = g.Broker().Extend(t.Context(), q.ID, ada, "http")
		assert.ErrorIs(t, err, approval.ErrNoMoreTime, "once")
		time.Sleep(5 * time.Minute) // after the first deadline
		synctest.Wait()
		assert.Empty(t, held)
		answer(t, g, q.ID, approval.Approved)
		out := <-held
		assert.True(t, out.Allowed(), out.Cause)
		rec, err = g.Broker().Extend(t.Context(), q.ID, ada, "http")
		assert.ErrorIs(t, err, approval.ErrDecided)
		assert.Equal(t, approval.StatusUsed, rec.Status)
		_, err = g.Broker().Extend(t.Context(), "ap_01ARZ3NDEKTSV4RRFFQ69G5FAV", ada, "http")
		assert.ErrorIs(t, err, approval.ErrNotFound)
		require.NoError(t, g.Close())
	})
}

// At the extended deadline, the call is declined.
func TestExtendedDeadlineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, q, held := heldCall(t, t.Context(), approval.Options{Store: memory.New(), NoAudit: true, MoreTime: time.Minute})
		time.Sleep(2*time.Minute - time.Nanosecond)
		_, err := g.Broker().Extend(t.Context(), q.ID, ada, "http")
		require.NoError(t, err, "at the last moment")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, held)
		time.Sleep(time.Nanosecond)
		assert.Equal(t, approval.TimedOut, new(<-held).Outcome)
		_, err = g.Broker().Extend(t.Context(), q.ID, ada, "http")
		assert.ErrorIs(t, err, approval.ErrExpired)
		require.NoError(t, g.Close())
	})
}

// A deadline is not extended beyond the deadline of the caller.
func TestExtendWithinTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		g, q, held := heldCall(t, short, approval.Options{Store: memory.New(), NoAudit: true})
		assert.Zero(t, q.Latest)
		_, err := g.Broker().Extend(t.Context(), q.ID, ada, "http")
		assert.ErrorIs(t, err, approval.ErrNoMoreTime)
		<-held
		require.NoError(t, g.Close())

		longer, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		g, q, held = heldCall(t, longer, approval.Options{Store: memory.New(), NoAudit: true})
		assert.Equal(t, 3*time.Minute, q.Latest.Sub(q.Created))
		<-held
		require.NoError(t, g.Close())

		g, q, held = heldCall(t, t.Context(), approval.Options{Store: memory.New(), NoAudit: true, MoreTime: -1})
		assert.Zero(t, q.Latest, "the program allows none")
		<-held
		require.NoError(t, g.Close())
	})
}

// A call that is awaited waits for the extended deadline too.
func TestExtendWhileAwaited(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := pausing(t, memory.New())
			c := call(tool("send", toolspec.L3, true), `{"n":1}`)
			id := decide(t, g, c).Request.ID
			held := make(chan approval.CallOutcome, 1)
			go func() { held <- g.Await(t.Context(), id, c) }()
			time.Sleep(time.Minute)
			_, err := g.Broker().Extend(t.Context(), id, ada, "http")
			require.NoError(t, err)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			require.Empty(t, held)
			if late {
				assert.Equal(t, approval.TimedOut, new(<-held).Outcome)
			} else {
				answer(t, g, id, approval.Approved)
				assert.True(t, new(<-held).Allowed())
			}
			require.NoError(t, g.Close())
		})
	}
}

// If the audit fails, the deadline is not extended.
func TestExtendIsAudited(t *testing.T) {
	store := memory.New()
	b := approval.NewBroker(store, approval.Options{Audit: failing(approval.AuditPutOff)})
	defer b.Close()
	now := time.Now()
	rec, err := b.Ask(t.Context(), approval.Request{Tool: "send", Fingerprint: "f", Level: toolspec.L3, Created: now, Deadline: now.Add(time.Minute), Latest: now.Add(time.Hour)})
	require.NoError(t, err)
	_, err = b.Extend(t.Context(), rec.Request.ID, ada, "http")
	require.Error(t, err)
	again, err := b.Get(t.Context(), rec.Request.ID)
	require.NoError(t, err)
	assert.Equal(t, rec.Request.Deadline, again.Request.Deadline)
	_, err = b.Ask(t.Context(), approval.Request{Tool: "send", Fingerprint: "f", Level: toolspec.L3, Created: now, Deadline: now.Add(time.Minute), Latest: now})
	require.ErrorIs(t, err, approval.ErrInvalid, "no time before the deadline")
}

// Of two concurrent extensions, one counts.
func TestExtendAtOnce(t *testing.T) {
	store := memory.New()
	b := approval.NewBroker(store, approval.Options{})
	defer b.Close()
	now := time.Now()
	rec, err := b.Ask(t.Context(), approval.Request{Tool: "send", Fingerprint: "f", Level: toolspec.L3, Created: now, Deadline: now.Add(time.Minute), Latest: now.Add(time.Hour)})
	require.NoError(t, err)
	results := make(chan error, 8)
	for range cap(results) {
		go func() {
			_, err := b.Extend(t.Context(), rec.Request.ID, ada, "http")
			results <- err
		}()
	}
	done := 0
	for range cap(results) {
		if err := <-results; err == nil {
			done++
		} else {
			assert.True(t, errors.Is(err, approval.ErrNoMoreTime), err)
		}
	}
	assert.Equal(t, 1, done)
}
