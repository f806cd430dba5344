package persistencetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

func newWriter(t *testing.T, log localpass.LogSegments, name string) localpass.LogWriter {
	t.Helper()
	w, err := log.LogWriter(name)
	require.NoError(t, err)
	t.Cleanup(func() { w.Close() })
	return w
}

// segmentIDs returns the ids of the segments of a log and checks the listing.
func segmentIDs(t *testing.T, log localpass.LogSegments, name string) []string {
	t.Helper()
	segments, err := log.Segments(t.Context(), name)
	require.NoError(t, err)
	ids := []string{}
	for _, s := range segments {
		assert.Positive(t, s.Size)
		assert.WithinRange(t, s.Updated, time.Now().Add(-time.Hour), time.Now().Add(time.Minute))
		assert.Equal(t, time.UTC, s.Updated.Location())
		ids = append(ids, s.ID)
	}
	assert.True(t, slices.IsSorted(ids), "ids sort in the order of the listing: %q", ids)
	assert.Len(t, slices.Compact(slices.Clone(ids)), len(ids))
	return ids
}

// tailOf describes the tail of a segment.
func tailOf(t *testing.T, log localpass.LogSegments, name, segment string) string {
	t.Helper()
	tail, err := log.SegmentTail(t.Context(), name, segment)
	require.NoError(t, err)
	assert.Zero(t, tail.Torn)
	state := "ended"
	if tail.Open {
		state = "open"
	}
	return compact(tail.Last.Data) + " " + state
}

// ofSegment returns options that select the records of one segment.
func ofSegment(id string) localpass.LogOptions { return localpass.LogOptions{Segment: id} }

func (s *suite) segments(t *testing.T) {
	t.Run("Writers", s.segmentsWriters)
	t.Run("Rotate", s.segmentsRotate)
	t.Run("Remove", s.segmentsRemove)
	t.Run("Close", s.segmentsClose)
	t.Run("Context", s.segmentsContext)
	t.Run("Appenders", s.segmentsAppenders)
	t.Run("LeftBehind", s.segmentsLeftBehind)
}

// Each writer has a segment of its own, and Records reads all segments as one log.
func (s *suite) segmentsWriters(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.LogSegments](t, store)
	assert.Empty(t, segmentIDs(t, log, "audit"), "a log that was never written")
	one, two := newWriter(t, log, "audit"), newWriter(t, log, "audit")
	assert.Empty(t, segmentIDs(t, log, "audit"), "nor by a writer that has nothing yet")
	require.NoError(t, one.Append(t.Context()), "no record at all")
	require.NoError(t, one.Append(t.Context(), raw("1", "2")...))
	require.NoError(t, two.Append(t.Context(), raw("10")...))
	require.NoError(t, log.Append(t.Context(), "audit", raw("100")...))
	require.NoError(t, one.Append(t.Context(), raw(" 3 ")...))
	require.NoError(t, log.Append(t.Context(), "audit", raw("200")...))
	require.NoError(t, newWriter(t, log, "Audit").Append(t.Context(), raw(`"another log"`)...))

	ids := segmentIDs(t, log, "audit")
	require.Len(t, ids, 3, "each writes to its own")
	assert.Equal(t, []string{"1", "2", "3", "10", "100", "200"}, records(t, log, "audit", localpass.LogOptions{}))
	assert.Equal(t, []string{"1", "2", "3"}, records(t, log, "audit", ofSegment(ids[0])))
	assert.Equal(t, []string{"10"}, records(t, log, "audit", ofSegment(ids[1])))
	assert.Equal(t, []string{"100", "200"}, records(t, log, "audit", ofSegment(ids[2])))
	assert.Equal(t, []string{"1", "2"}, records(t, log, "audit", localpass.LogOptions{Segment: ids[0], Limit: 2}))
	assert.Equal(t, "3 open", tailOf(t, log, "audit", ids[0]))
	assert.Equal(t, "10 open", tailOf(t, log, "audit", ids[1]))
	assert.Equal(t, "200 open", tailOf(t, log, "audit", ids[2]))

	first := ""
	for record, err := range log.Records(t.Context(), "audit", ofSegment(ids[0])) {
		require.NoError(t, err)
		first = record.Position
		break
	}
	assert.Equal(t, []string{"2", "3"}, records(t, log, "audit", localpass.LogOptions{Segment: ids[0], After: first}))
	assert.Equal(t, []string{"10"}, records(t, log, "audit", localpass.LogOptions{Segment: ids[1], After: first}))

	for _, bad := range []string{"", "{", "1 2", "\"\xff\""} {
		err := one.Append(t.Context(), raw("4", bad)...)
		require.Error(t, err, "%q", bad)
	}
	assert.Equal(t, "3 open", tailOf(t, log, "audit", ids[0]))
}

// Rotate ends a segment; the next record begins a new one.
func (s *suite) segmentsRotate(t *testing.T) {
	log := upgrade[localpass.LogSegments](t, s.open(t))
	w := newWriter(t, log, "audit")
	require.NoError(t, w.Rotate(t.Context()), "without a segment there is nothing to do")
	var want []string
	for i := range 4 {
		want = append(want, fmt.Sprint(i))
		require.NoError(t, w.Append(t.Context(), raw(want[i])...))
		require.NoError(t, w.Rotate(t.Context()))
		require.NoError(t, w.Rotate(t.Context()))
	}
	ids := segmentIDs(t, log, "audit")
	require.Len(t, ids, 4)
	for i, id := range ids {
		assert.Equal(t, want[i]+" ended", tailOf(t, log, "audit", id))
		assert.Equal(t, want[i:i+1], records(t, log, "audit", ofSegment(id)))
	}
	assert.Equal(t, want, records(t, log, "audit", localpass.LogOptions{}))
}

// An ended segment can be removed, and readers continue after it.
func (s *suite) segmentsRemove(t *testing.T) {
	log := upgrade[localpass.LogSegments](t, s.open(t))
	w := newWriter(t, log, "audit")
	for i := range 4 {
		require.NoError(t, w.Rotate(t.Context()))
		require.NoError(t, w.Append(t.Context(), raw(fmt.Sprint(2*i), fmt.Sprint(2*i+1))...))
	}
	ids := segmentIDs(t, log, "audit")
	require.Len(t, ids, 4)
	require.ErrorIs(t, log.RemoveSegment(t.Context(), "audit", ids[3]), localpass.ErrConflict, "it is open")
	after := ""
	for record, err := range log.Records(t.Context(), "audit", localpass.LogOptions{Limit: 3}) {
		require.NoError(t, err)
		after = record.Position
	}
	require.NoError(t, log.RemoveSegment(t.Context(), "audit", ids[0]))
	require.NoError(t, log.RemoveSegment(t.Context(), "audit", ids[1]))
	assert.Equal(t, ids[2:], segmentIDs(t, log, "audit"))
	rest := []string{"4", "5", "6", "7"}
	assert.Equal(t, rest, records(t, log, "audit", localpass.LogOptions{}))
	assert.Equal(t, rest, records(t, log, "audit", localpass.LogOptions{After: after}), "a reader goes on behind what was removed")

	for _, id := range []string{ids[0], ids[2] + "0", "", ".", "..", "../" + ids[2], ids[2] + "/", "x", "\x00"} {
		require.ErrorIs(t, log.RemoveSegment(t.Context(), "audit", id), localpass.ErrNotFound, "%q", id)
		_, err := log.SegmentTail(t.Context(), "audit", id)
		require.ErrorIs(t, err, localpass.ErrNotFound, "%q", id)
		if id != "" {
			for _, err := range log.Records(t.Context(), "audit", ofSegment(id)) {
				require.ErrorIs(t, err, localpass.ErrNotFound, "%q", id)
			}
		}
	}
	require.ErrorIs(t, log.RemoveSegment(t.Context(), "other", ids[2]), localpass.ErrNotFound)
	require.NoError(t, w.Append(t.Context(), raw("8")...))
	assert.Equal(t, append(rest, "8"), records(t, log, "audit", localpass.LogOptions{}))
}

// A writer ends with Close or with its store, and so does its segment.
func (s *suite) segmentsClose(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.LogSegments](t, store)
	w := newWriter(t, log, "audit")
	require.NoError(t, w.Append(t.Context(), raw("1")...))
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Append(t.Context(), raw("2")...), localpass.ErrClosed)
	require.ErrorIs(t, w.Rotate(t.Context()), localpass.ErrClosed)
	assert.Equal(t, "1 ended", tailOf(t, log, "audit", segmentIDs(t, log, "audit")[0]))
	require.NoError(t, newWriter(t, log, "audit").Append(t.Context(), raw("2")...))
	assert.Equal(t, []string{"1", "2"}, records(t, log, "audit", localpass.LogOptions{}))
	_, err := log.LogWriter("not a name")
	require.Error(t, err)

	kept := newWriter(t, log, "audit")
	require.NoError(t, kept.Append(t.Context(), raw("3")...))
	if s.Reopen != nil {
		store = s.reopen(t, store)
		require.ErrorIs(t, kept.Append(t.Context(), raw("4")...), localpass.ErrClosed, "a writer ends with its store")
		require.ErrorIs(t, kept.Rotate(t.Context()), localpass.ErrClosed)
		require.NoError(t, kept.Close())
		log = store.(localpass.LogSegments)
		require.NoError(t, newWriter(t, log, "audit").Append(t.Context(), raw("4")...))
		ids := segmentIDs(t, log, "audit")
		require.Len(t, ids, 4)
		assert.Equal(t, "3 ended", tailOf(t, log, "audit", ids[2]))
		assert.Equal(t, "4 open", tailOf(t, log, "audit", ids[3]))
	}
}

// A call with an ended context does nothing.
func (s *suite) segmentsContext(t *testing.T) {
	log := upgrade[localpass.LogSegments](t, s.open(t))
	w := newWriter(t, log, "audit")
	require.NoError(t, w.Append(t.Context(), raw("1")...))
	ids := segmentIDs(t, log, "audit")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := log.Segments(ctx, "audit")
	assert.ErrorIs(t, err, context.Canceled)
	_, err = log.SegmentTail(ctx, "audit", ids[0])
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, log.RemoveSegment(ctx, "audit", ids[0]), context.Canceled)
	assert.ErrorIs(t, w.Append(ctx, raw("2")...), context.Canceled)
	assert.Equal(t, []string{"1"}, records(t, log, "audit", localpass.LogOptions{}))
}

// Several goroutines can share one writer: the records of one call stay together.
func (s *suite) segmentsAppenders(t *testing.T) {
	log := upgrade[localpass.LogSegments](t, s.open(t))
	w := newWriter(t, log, "audit")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				assert.NoError(t, w.Append(t.Context(), raw(fmt.Sprint(i), fmt.Sprint(i))...))
				if j == 5 {
					assert.NoError(t, w.Rotate(t.Context()))
				}
			}
		})
	}
	wg.Wait()
	got := records(t, log, "audit", localpass.LogOptions{})
	require.Len(t, got, 160)
	for pair := range slices.Chunk(got, 2) {
		assert.Equal(t, pair[0], pair[1], "the records of one call stand together")
	}
}

// A segment ends with the process that wrote it, even if the process is killed.
func (s *suite) segmentsLeftBehind(t *testing.T) {
	store := s.open(t)
	log := upgrade[localpass.LogSegments](t, store)
	c := start(t, job{Do: doHold, Location: s.location(t, store), Collection: "audit"})
	line, ok := c.line()
	require.True(t, ok && strings.HasPrefix(line, "held"), "%s%s", line, c.errs.String())
	ids := segmentIDs(t, log, "audit")
	require.Len(t, ids, 1)
	assert.Equal(t, `"held" open`, tailOf(t, log, "audit", ids[0]))
	require.ErrorIs(t, log.RemoveSegment(t.Context(), "audit", ids[0]), localpass.ErrConflict)
	c.kill()
	// A server may notice the end of its client a little later.
	assert.Eventually(t, func() bool { return tailOf(t, log, "audit", ids[0]) == `"held" ended` }, patience, time.Millisecond, "a segment ends with its process")
	require.NoError(t, log.RemoveSegment(t.Context(), "audit", ids[0]))
	assert.Empty(t, records(t, log, "audit", localpass.LogOptions{}))
}

// hold keeps a segment open until the process is killed.
func hold(ctx context.Context, store localpass.Persistence, name string) error {
	w, err := store.(localpass.LogSegments).LogWriter(name)
	if err != nil {
		return err
	}
	if err := w.Append(ctx, raw(`"held"`)...); err != nil {
		return err
	}
	fmt.Println("held")
	<-ctx.Done() // never: the process is killed
	return ctx.Err()
}
