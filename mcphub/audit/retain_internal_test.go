package audit

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

func waitRemoved(t testing.TB, a *storeLog) {
	t.Helper()
	require.Eventually(t, func() bool {
		a.turn.Lock()
		defer a.turn.Unlock()
		return !a.removing
	}, time.Minute, time.Millisecond)
}

func TestRetentionBySize(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store := openFileStore(t, home)
	a := openLog(t, store, Options{SegmentSize: 2000, KeepBytes: 12_000}, nil)
	const calls = 300
	for range calls {
		recordCalls(t, a, 1)
		waitRemoved(t, a)
	}
	list, err := store.Segments(t.Context(), logName)
	require.NoError(t, err)
	total := int64(0)
	for _, s := range list {
		total += s.Size
	}
	assert.Less(t, total, int64(12_000+2*4000))
	require.NoError(t, a.close())

	report := whole(t, home)
	assert.Less(t, report.Calls, calls/2)
	assert.NotEmpty(t, report.Removed, "the cut is seen")
	require.Len(t, report.Chains, 1)
	assert.Greater(t, report.Chains[0].First, uint64(1))
	last := report.Removed[len(report.Removed)-1]
	assert.Less(t, last.Upto, list[0].ID)
	assert.Positive(t, last.Records)
	assert.False(t, last.To.Before(last.From))

	// What retention did not take is missed.
	require.NoError(t, store.RemoveSegment(t.Context(), logName, list[0].ID))
	broken, err := VerifyFiles(t.Context(), []string{home}, nil)
	require.NoError(t, err)
	require.ErrorIs(t, broken.Err(), ErrBroken)
	assert.Equal(t, "missing", broken.Problems[0].Reason)
}

func TestRetentionByAge(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store := openFileStore(t, home)
	clock := newTestClock() // files have the real time, which is later
	clock.now.Store(time.Now().UnixNano())
	old := openLog(t, store, Options{}, clock)
	recordCalls(t, old, 3)
	running := openLog(t, store, Options{}, clock)
	recordCalls(t, running, 1)
	last := openLog(t, store, Options{}, clock)
	recordCalls(t, last, 2)
	require.NoError(t, old.close())
	require.NoError(t, last.close())

	clock.forward(50 * time.Hour)
	a := openLog(t, store, Options{KeepFor: 48 * time.Hour}, clock)
	recordCalls(t, a, 1)
	waitRemoved(t, a)
	assert.Len(t, metas(t, store), 3, "a segment that is open stays, and what comes after it")
	require.NoError(t, running.close())
	b := openLog(t, store, Options{KeepFor: 48 * time.Hour}, clock)
	recordCalls(t, b, 1)
	waitRemoved(t, b)
	require.NoError(t, a.close())
	require.NoError(t, b.close())
	report := whole(t, home)
	assert.Len(t, report.Removed, 2)
	assert.Equal(t, 2, report.Calls)
	assert.Equal(t, 3, report.Removed[0].Records-2)
	assert.Equal(t, 1, report.Removed[0].Segments)
	assert.Len(t, report.Chains, 2)
}

// keeping is a store that fails to remove.
type keeping struct {
	*file.Store
	failing atomic.Int32 // how many removals go well before the others fail; -1: all
}

func (k *keeping) RemoveSegment(ctx context.Context, log, segment string) error {
	if n := k.failing.Load(); n >= 0 {
		if n == 0 {
			return errors.New("the disk is stubborn")
		}
		k.failing.Add(-1)
	}
	return k.Store.RemoveSegment(ctx, log, segment)
}

// A program that ends between the record of a removal and the removal, or in
// the middle of it, leaves a log that is whole, and the next finishes the work.
func TestRetentionThatIsCutOff(t *testing.T) {
	for _, before := range []int32{0, 1, 2} {
		home := t.TempDir()
		store := &keeping{Store: openFileStore(t, home)}
		store.failing.Store(-1)
		a := openLog(t, store, Options{SegmentSize: 2000}, nil)
		recordCalls(t, a, 60)
		require.NoError(t, a.close())
		all := len(metas(t, store))

		store.failing.Store(before)
		b := openLog(t, store, Options{KeepBytes: 6000}, nil)
		recordCalls(t, b, 1)
		waitRemoved(t, b)
		require.NoError(t, b.close())
		assert.Len(t, metas(t, store), all-int(before)+1)
		assert.Len(t, whole(t, home).Removed, 1)

		store.failing.Store(-1)
		c := openLog(t, store, Options{KeepBytes: 6000}, nil)
		recordCalls(t, c, 1)
		waitRemoved(t, c)
		require.NoError(t, c.close())
		assert.Less(t, len(metas(t, store)), 6)
		assert.Len(t, whole(t, home).Removed, 2)
	}
}

// A chain goes on after the record that tells of its cut was removed in its
// turn: what the rest needs is carried on.
func TestRetentionCarriesItsHeads(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store := openFileStore(t, home)
	clock := newTestClock()
	slow := openLog(t, store, Options{}, clock) // has one call a day
	day := func() {
		recordCalls(t, slow, 1)
		clock.forward(24 * time.Hour)
	}
	day()
	day() // the first segment is sealed
	// A short program removes it, and is gone.
	remove := func() *storeLog {
		b := openLog(t, store, Options{KeepBytes: 1}, clock)
		recordCalls(t, b, 1)
		waitRemoved(t, b)
		return b
	}
	require.NoError(t, remove().close())
	require.Len(t, metas(t, store), 2)
	assert.Len(t, whole2(t, home, true).Removed, 1)
	day() // the second is sealed, and behind it stands the short one
	require.NoError(t, remove().close())
	segments := metas(t, store)
	require.Len(t, segments, 2, "what the short program wrote is gone too")
	var heads []recordHead
	for _, s := range segments {
		for _, m := range s {
			if m.Removed != nil {
				heads = append(heads, m.Removed.Heads...)
			}
		}
	}
	require.Len(t, heads, 1)
	assert.Equal(t, slow.chain, heads[0].Chain)
	report := whole2(t, home, true)
	require.Len(t, report.Removed, 1)
	require.NoError(t, slow.close())
	whole(t, home)

	// In the end nothing is left of it, and nothing is carried on.
	clock.forward(24 * time.Hour)
	last := remove()
	clock.forward(24 * time.Hour)
	recordCalls(t, last, 1)
	waitRemoved(t, last)
	require.NoError(t, last.close())
	segments = metas(t, store)
	require.NotEmpty(t, segments)
	for _, s := range segments {
		for _, m := range s {
			if m.Removed != nil && m.Seq > 3 {
				for _, h := range m.Removed.Heads {
					assert.NotEqual(t, slow.chain, h.Chain)
				}
			}
		}
	}
	whole(t, home)
}

func whole2(t testing.TB, home string, open bool) *Report {
	t.Helper()
	report, err := VerifyFiles(t.Context(), []string{home}, &VerifyOptions{Open: open})
	require.NoError(t, err)
	require.NoError(t, report.Err(), "%v", report.Problems)
	return report
}
