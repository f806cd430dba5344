package file_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

func onlyTail(t *testing.T, store *file.Store, log string) localpass.LogTail {
	t.Helper()
	segments, err := store.Segments(t.Context(), log)
	require.NoError(t, err)
	require.Len(t, segments, 1)
	tail, err := store.SegmentTail(t.Context(), log, segments[0].ID)
	require.NoError(t, err)
	return tail
}

func TestTailOfATornSegment(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	w, err := store.LogWriter("l")
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), json.RawMessage(`"one"`)))
	path := segment(t, dir, "l")
	short, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), json.RawMessage(`"two a"`), json.RawMessage(`"two b"`)))
	tail := onlyTail(t, store, "l")
	assert.True(t, tail.Open)
	assert.Zero(t, tail.Torn)
	require.NoError(t, w.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := 0; cut <= len(whole); cut++ {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		want, end := "", 0
		switch {
		case cut == len(whole):
			want, end = `"two b"`, cut
		case cut >= len(short):
			want, end = `"one"`, len(short)
		}
		tail := onlyTail(t, store, "l")
		require.Equal(t, want, string(tail.Last.Data), "cut at %d", cut)
		require.False(t, tail.Open)
		require.EqualValues(t, cut-end, tail.Torn, "cut at %d", cut)
	}
}

// The last record is found from the end, for any length of lines.
func TestTailOfALongSegment(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, &file.Options{NoSync: true})
	w, err := store.LogWriter("l")
	require.NoError(t, err)
	for i, size := range []int{10, 200_000, 70_000, 3, 65_400, 1_200_000, 64 << 10, 1} {
		text := fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", size))
		require.NoError(t, w.Append(t.Context(), json.RawMessage(text), json.RawMessage(text)))
		tail := onlyTail(t, store, "l")
		require.Equal(t, text, string(tail.Last.Data), i)
		for r, err := range store.Records(t.Context(), "l", localpass.LogOptions{After: tail.Last.Position}) {
			require.Fail(t, "it is not the last", "%v %v", r, err)
		}
	}
	require.NoError(t, w.Close())
	path := segment(t, dir, "l")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(make([]byte, 300_000))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	tail := onlyTail(t, store, "l")
	assert.Equal(t, `"7x"`, string(tail.Last.Data))
	assert.EqualValues(t, 300_000, tail.Torn)

	require.NoError(t, os.WriteFile(path, []byte("nothing that is a line"), 0o600))
	assert.Nil(t, onlyTail(t, store, "l").Last.Data)
}

// A writer flushes a segment when it ends it.
func TestWriterEndsItsSegments(t *testing.T) {
	leak.Check(t)
	store, s := openSteps(t, t.TempDir(), &file.Options{LogFlush: time.Hour, SegmentSize: 1})
	w, err := store.LogWriter("l")
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, w.Append(t.Context(), json.RawMessage(`1`)))
	}
	assert.Zero(t, count(s.taken(), "sync"))
	require.NoError(t, w.Rotate(t.Context()))
	assert.Equal(t, 1, count(s.taken(), "sync"))
	segment(t, store.Dir(), "l")

	require.NoError(t, w.Append(t.Context(), json.RawMessage(`2`)))
	s.set(func(call, _ string) error {
		if call == "sync" {
			return syscall.EIO
		}
		return nil
	})
	require.ErrorIs(t, w.Rotate(t.Context()), syscall.EIO)
	s.set(nil)
	require.NoError(t, w.Append(t.Context(), json.RawMessage(`3`)))
	assert.Equal(t, []string{"1", "1", "1", "2", "3"}, logged(t, store, "l"))
	segments, err := store.Segments(t.Context(), "l")
	require.NoError(t, err)
	assert.Len(t, segments, 3)
}

// Removing all closed segments never removes a segment that a writer is creating.
func TestRemovalSparesNewSegments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("here the system keeps an open file from being removed")
	}
	leak.Check(t)
	dir := t.TempDir()
	store := openIn(t, dir, &file.Options{NoSync: true})
	other := openIn(t, dir, &file.Options{NoSync: true})
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			segments, err := other.Segments(t.Context(), "l")
			if !assert.NoError(t, err) {
				return
			}
			for _, s := range segments {
				_ = other.RemoveSegment(t.Context(), "l", s.ID)
			}
		}
	})
	w, err := store.LogWriter("l")
	require.NoError(t, err)
	for i := range 300 {
		record := fmt.Sprint(i)
		require.NoError(t, w.Append(t.Context(), json.RawMessage(record)))
		all := logged(t, store, "l")
		if !assert.NotEmpty(t, all, "the open segment is gone") || !assert.Equal(t, record, all[len(all)-1]) {
			break
		}
		require.NoError(t, w.Rotate(t.Context()))
	}
	stop.Store(true)
	wg.Wait()
	assert.NoFileExists(t, filepath.Join(dir, "_logs", "l", ".lock"))
}

func TestLocksAreRefused(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	w, err := store.LogWriter("l")
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), json.RawMessage(`1`)))
	segments, err := store.Segments(t.Context(), "l")
	require.NoError(t, err)
	err = store.RemoveSegment(t.Context(), "l", segments[0].ID)
	require.ErrorIs(t, err, localpass.ErrConflict)
	assert.ErrorContains(t, err, "still written to")
	require.NoError(t, store.Close())
	_, err = store.LogWriter("l")
	require.ErrorIs(t, err, localpass.ErrClosed)
	_, err = store.Segments(t.Context(), "l")
	require.ErrorIs(t, err, localpass.ErrClosed)
	_, err = store.SegmentTail(t.Context(), "l", segments[0].ID)
	require.ErrorIs(t, err, localpass.ErrClosed)
	require.ErrorIs(t, store.RemoveSegment(t.Context(), "l", segments[0].ID), localpass.ErrClosed)
}
