package sandbox

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
)

func TestLRU(t *testing.T) {
	has := func(c *lru[string, int], keys ...string) (out []bool) {
		for _, k := range keys {
			_, ok := c.get(k)
			out = append(out, ok)
		}
		return out
	}
	c := newLRU[string, int](2, 100)
	c.put("a", 1, 10)
	c.put("b", 2, 10)
	v, ok := c.get("a")
	assert.True(t, ok)
	assert.Equal(t, 1, v)
	c.put("c", 3, 10)
	assert.Equal(t, []bool{true, false, true}, has(c, "a", "b", "c"), "what was not used for longest goes")

	c.put("d", 4, 95)
	assert.Equal(t, []bool{false, false, true}, has(c, "a", "c", "d"), "the sum of costs counts")
	c.put("d", 5, 5)
	c.put("e", 6, 95)
	assert.Equal(t, []bool{true, true}, has(c, "d", "e"), "a value that is replaced gives its cost back")
	c.put("f", 7, 1000)
	assert.Equal(t, []bool{false, false, true}, has(c, "d", "e", "f"), "the newest stays whatever it costs")
	assert.Equal(t, 1, c.order.Len())
	assert.Len(t, c.entries, 1)
}

func TestBucket(t *testing.T) {
	now := time.Unix(0, 0)
	b := newBucket(3, time.Second)
	for range 3 {
		assert.Zero(t, b.delay(now))
		b.count(now)
	}
	assert.Equal(t, time.Second, b.delay(now))
	assert.Equal(t, time.Second/2, b.delay(now.Add(time.Second/2)))
	assert.Zero(t, b.delay(now.Add(time.Second)))
	b.count(now.Add(time.Second))
	assert.Equal(t, time.Second, b.delay(now.Add(time.Second)))
	assert.Zero(t, b.delay(now.Add(time.Hour)), "a burst again, and no more than that")
	for range 3 {
		b.count(now.Add(time.Hour))
	}
	assert.Positive(t, b.delay(now.Add(time.Hour)))
}

func TestQueueTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int](1, 2, time.Minute)
		q.add(7)
		place, ticket, err := q.acquire(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, place)

		start := time.Now()
		_, _, err = q.acquire(t.Context())
		assert.ErrorIs(t, err, ErrBusy)
		assert.Equal(t, time.Minute, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err = q.acquire(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		_, _, err = q.acquire(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded, "ended before")

		time.AfterFunc(time.Second, func() { q.release(8, ticket) })
		place, _, err = q.acquire(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 8, place)

		time.AfterFunc(time.Second, q.close)
		_, _, err = q.acquire(t.Context())
		assert.ErrorIs(t, err, toolspec.ErrClosed)
		_, _, err = q.acquire(t.Context())
		assert.ErrorIs(t, err, toolspec.ErrClosed)
		assert.Zero(t, q.fair.Waiting())
	})
}

// TestWeaker: each layer that is missing is told with what it would have added.
func TestWeaker(t *testing.T) {
	all := []string{worker.LayerAddressSpace, worker.LayerLandlock + "-6", worker.LayerSeccomp, worker.LayerParentDeath}
	assert.Empty(t, weaker(all))
	for i, layer := range all {
		rest := append(append([]string{}, all[:i]...), all[i+1:]...)
		got := weaker(rest)
		require.Len(t, got, 1, layer)
		assert.Contains(t, got[0], "No ")
	}
	assert.Len(t, weaker(nil), 4)
}

// TestDeath: how the end of a worker is told.
func TestDeath(t *testing.T) {
	for _, tc := range []struct {
		exit   worker.Exit
		kind   toolspec.Kind
		reason string
	}{
		{worker.Exit{Code: worker.ExitMemory}, toolspec.KindResourceLimit, toolspec.ReasonMemory},
		{worker.Exit{Code: 2, Tail: "fatal error: out of memory"}, toolspec.KindResourceLimit, toolspec.ReasonMemory},
		{worker.Exit{Code: -1, Status: "signal: segmentation fault"}, toolspec.KindResourceLimit, toolspec.ReasonMemory},
		{worker.Exit{Code: 2, Tail: "goroutine stack exceeds 33554432-byte limit"}, toolspec.KindResourceLimit, toolspec.ReasonStack},
		{worker.Exit{Code: worker.ExitProtocol}, toolspec.KindRuntimeError, ReasonWorker},
		{worker.Exit{Code: worker.ExitOrphan}, toolspec.KindRuntimeError, ReasonWorker},
	} {
		e := death(tc.exit)
		assert.Equal(t, tc.kind, e.Kind)
		assert.Equal(t, tc.reason, e.Reason)
		if tc.exit.Tail != "" {
			assert.ErrorContains(t, e, tc.exit.Tail)
			assert.NotContains(t, e.ModelText(), tc.exit.Tail, "for the operator only")
		}
	}
	assert.ErrorIs(t, notRun(context.Canceled), context.Canceled)
	assert.ErrorIs(t, notRun(context.DeadlineExceeded), context.DeadlineExceeded)
}

// TestPoolStart: one worker that does not start is no pool, and the others are
// not left behind.
func TestPoolStart(t *testing.T) {
	lim := table()
	broken := errors.New("broken")
	first := make(chan struct{}, 1)
	first <- struct{}{}
	_, err := newPool(3, &lim, func(ctx context.Context) (*worker.Process, error) {
		select {
		case <-first:
			return nil, broken
		default:
		}
		<-ctx.Done() // the others are told
		return nil, ctx.Err()
	})
	assert.ErrorIs(t, err, broken)
	assert.NotErrorIs(t, noWorkers(err), worker.ErrHandshake)
	assert.ErrorIs(t, noWorkers(err), ErrNoWorkers)
}

// TestRefusal: the kind that goes with each reason.
func TestRefusal(t *testing.T) {
	assert.Nil(t, refusal(nil))
	for reason, kind := range map[string]toolspec.Kind{
		ReasonUnsupportedCapability: toolspec.KindSecurity, toolspec.ReasonHostInterop: toolspec.KindSecurity, ReasonSyntaxError: toolspec.KindJSError,
		"code-too-long": toolspec.KindResourceLimit, "code-too-deep": toolspec.KindResourceLimit, ReasonUnsupportedGlobal: toolspec.KindRuntimeError,
	} {
		assert.Equal(t, kind, refusal(toolspec.Problems{{Reason: reason}}).Kind, reason)
	}
}
