package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/memory"
)

// testClock is a clock that a test sets.
type testClock struct{ now atomic.Int64 }

func newTestClock() *testClock {
	c := &testClock{}
	c.now.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *testClock) Now() time.Time          { return time.Unix(0, c.now.Load()).UTC() }
func (c *testClock) forward(d time.Duration) { c.now.Add(int64(d)) }

// openLog returns an audit log that ends with the test.
func openLog(t testing.TB, store localpass.Persistence, opts Options, clock *testClock) *storeLog {
	t.Helper()
	a := newStoreLog(store, opts, slog.New(slog.DiscardHandler))
	if clock != nil {
		a.clock.NowFunc = clock.Now
	}
	t.Cleanup(func() { _ = a.close() })
	return a
}

func recordCalls(t testing.TB, a *storeLog, n int) {
	t.Helper()
	for i := range n {
		require.NoError(t, a.Audit(context.Background(), &Record{Time: a.clock.Now(), Call: fmt.Sprint(i), Tool: Tool{Name: "t"}}))
	}
}

func openFileStore(t testing.TB, dir string) *file.Store {
	t.Helper()
	store, err := file.Open(dir, &file.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

// metas reads the log segment by segment.
func metas(t testing.TB, store localpass.LogSegments) (all [][]recordMeta) {
	t.Helper()
	list, err := store.Segments(t.Context(), logName)
	require.NoError(t, err)
	for _, s := range list {
		var segment []recordMeta
		for r, err := range store.Records(t.Context(), logName, localpass.LogOptions{Segment: s.ID}) {
			require.NoError(t, err)
			var m recordMeta
			require.NoError(t, json.Unmarshal(r.Data, &m))
			segment = append(segment, m)
		}
		all = append(all, segment)
	}
	return all
}

// whole verifies the files of a home strictly.
func whole(t testing.TB, home string) *Report {
	t.Helper()
	report, err := VerifyFiles(t.Context(), []string{home}, nil)
	require.NoError(t, err)
	require.NoError(t, report.Err(), "%v", report.Problems)
	return report
}

func TestRotationBySize(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store := openFileStore(t, home)
	a := openLog(t, store, Options{SegmentSize: 2000}, nil)
	recordCalls(t, a, 50)
	require.NoError(t, a.close())
	require.NoError(t, a.close(), "again")
	require.ErrorIs(t, a.Audit(t.Context(), &Record{}), errClosed)

	segments := metas(t, store)
	require.Greater(t, len(segments), 5)
	for i, s := range segments {
		require.NotNil(t, s[0].Begin)
		seal := s[len(s)-1].Seal
		require.NotNil(t, seal)
		assert.EqualValues(t, len(s)-1, seal.Records)
		if i == len(segments)-1 {
			assert.Equal(t, sealEnd, seal.Why)
		} else {
			assert.Equal(t, sealSize, seal.Why)
			assert.Equal(t, s[len(s)-1].Seq+1, segments[i+1][0].Seq, "the chain runs through")
			assert.Equal(t, s[0].Chain, segments[i+1][0].Chain)
		}
		assert.Len(t, s[0].Begin.Seen, min(i, mostSeen))
	}
	report := whole(t, home)
	assert.Equal(t, 50, report.Calls)
	assert.Equal(t, 50+2*len(segments), report.Records)
	require.Len(t, report.Chains, 1)
	assert.Equal(t, endSealed, report.Chains[0].End)
	assert.Equal(t, report.Anchor, report.Chains[0].Digest)
	_, err := VerifyFiles(t.Context(), []string{filepath.Join(home, "nothing")}, nil)
	require.Error(t, err)
}

func TestRotationByDay(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store := openFileStore(t, home)
	clock := newTestClock()
	a := openLog(t, store, Options{}, clock)
	recordCalls(t, a, 2)
	clock.forward(11 * time.Hour)
	recordCalls(t, a, 1)
	require.Len(t, metas(t, store), 1)
	clock.forward(2 * time.Hour)
	recordCalls(t, a, 1)
	require.Len(t, metas(t, store), 2, "the next day")

	a.running.Add(1) // as the timer does
	a.newDay()
	require.Len(t, metas(t, store), 2, "not at the same day")
	clock.forward(24 * time.Hour)
	a.running.Add(1)
	a.newDay()
	segments := metas(t, store)
	require.Len(t, segments, 3, "without a call")
	assert.Equal(t, sealDay, segments[1][len(segments[1])-1].Seal.Why)
	assert.Len(t, segments[2], 1)
	require.NoError(t, a.close())
	a.running.Add(1)
	a.newDay()
	assert.Equal(t, 4, whole(t, home).Calls)
}

// At the end of the day the timer seals what stands, however idle the hub is.
func TestMidnight(t *testing.T) {
	leak.Check(t)
	store := memory.New()
	clock := newTestClock()
	clock.forward(12*time.Hour - 30*time.Millisecond)
	a := openLog(t, store, Options{}, clock)
	recordCalls(t, a, 1)
	clock.forward(40 * time.Millisecond)
	require.Eventually(t, func() bool { return len(metas(t, store)) == 2 }, time.Minute, time.Millisecond, "it was not sealed")
	require.NoError(t, a.close())
	segments := metas(t, store)
	require.Len(t, segments, 2)
	assert.Equal(t, sealDay, segments[0][2].Seal.Why)
}

func TestRotationUnderConcurrentCalls(t *testing.T) {
	leak.Check(t)
	const programs, workers, calls = 2, 8, 40
	home := t.TempDir()
	var wg sync.WaitGroup
	for range programs {
		a := openLog(t, openFileStore(t, home), Options{SegmentSize: 3000}, nil)
		for range workers {
			wg.Go(func() {
				for i := range calls {
					assert.NoError(t, a.Audit(context.Background(), &Record{Call: fmt.Sprint(i), Tool: Tool{Name: "t"}}))
				}
			})
		}
		defer a.close()
	}
	reading := make(chan struct{})
	go func() { // what is verified meanwhile is whole as far as it goes
		defer close(reading)
		store := openFileStore(t, home)
		for range 5 {
			report, err := Verify(t.Context(), store)
			assert.NoError(t, err)
			assert.NoError(t, report.Err())
		}
	}()
	wg.Wait()
	<-reading
	report, err := VerifyFiles(t.Context(), []string{home}, &VerifyOptions{Open: true})
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.Equal(t, programs*workers*calls, report.Calls)
	assert.Greater(t, report.Segments, 10)
}

// moody is a store whose writer fails at a record that has a text in it.
type moody struct {
	*file.Store
	at atomic.Pointer[string]
}

type moodyWriter struct {
	localpass.LogWriter
	store *moody
}

func (m *moody) LogWriter(log string) (localpass.LogWriter, error) {
	w, err := m.Store.LogWriter(log)
	return moodyWriter{w, m}, err
}

func (w moodyWriter) Append(ctx context.Context, records ...json.RawMessage) error {
	if at := w.store.at.Load(); at != nil && strings.Contains(fmt.Sprintf("%s", records), *at) {
		return errors.New("no room")
	}
	return w.LogWriter.Append(ctx, records...)
}

func (w moodyWriter) Rotate(ctx context.Context) error {
	if at := w.store.at.Load(); at != nil && *at == "rotate" {
		return errors.New("no room")
	}
	return w.LogWriter.Rotate(ctx)
}

// Whatever fails, the call is refused, the next is recorded in a chain and a
// segment of its own, and the log stays sound.
func TestSealThatFails(t *testing.T) {
	leak.Check(t)
	for _, at := range []string{`"begin"`, `"seal"`, `"call"`, "rotate"} {
		home := t.TempDir()
		store := &moody{Store: openFileStore(t, home)}
		a := openLog(t, store, Options{SegmentSize: 1}, nil) // each batch in a segment
		recordCalls(t, a, 2)
		store.at.Store(&at)
		err := a.Audit(t.Context(), &Record{Call: "refused", Tool: Tool{Name: "t"}})
		require.ErrorContains(t, err, "no room", at)
		store.at.Store(nil)
		recordCalls(t, a, 2)
		require.NoError(t, a.close())
		report := whole2(t, home, true)
		assert.Equal(t, 4, report.Calls, at)
		require.Len(t, report.Chains, 2)
		for _, s := range metas(t, store) {
			for _, m := range s {
				assert.Equal(t, s[0].Chain, m.Chain, "a segment holds one chain")
			}
		}
		assert.NotEqual(t, endOpen, report.Chains[0].End, "the second has seen that nothing came after it")
	}
	store := &moody{Store: openFileStore(t, t.TempDir())}
	a := openLog(t, store, Options{}, nil)
	recordCalls(t, a, 1)
	seal := `"seal"`
	store.at.Store(&seal)
	require.ErrorContains(t, a.close(), "no room")
}
