package file_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

// gate blocks the first call of a name until it is opened.
type gate struct {
	reached chan struct{}
	open    chan struct{}
}

func (s *steps) gate(call string) gate {
	g := gate{make(chan struct{}), make(chan struct{})}
	first := true
	s.set(func(called, _ string) error {
		s.mu.Lock()
		stop := first && called == call
		if stop {
			first = false
		}
		s.mu.Unlock()
		if stop {
			close(g.reached)
			<-g.open
		}
		return nil
	})
	return g
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	leak.Check(t)
	dir := t.TempDir()
	store, s := openSteps(t, dir, nil)
	other := openIn(t, dir, nil) // as good as another process: locks are of open files
	put(t, store, "c", "k", "1")
	put(t, store, "d", "k", "1")

	g := s.gate("rename")
	done := make(chan error, 1)
	go func() {
		_, err := store.Put(context.Background(), "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("2")})
		done <- err
	}()
	<-g.reached
	for name, waiter := range map[string]*file.Store{"same store": store, "other store": other} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		_, err := waiter.Put(ctx, "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("3")})
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		assert.Contains(t, err.Error(), "c", name)
		require.ErrorIs(t, waiter.Delete(ctx, "c", "k"), context.DeadlineExceeded, name)
		cancel()

		ctx, cancel = context.WithTimeout(t.Context(), 30*time.Millisecond)
		_, err = waiter.Batch(ctx, putOp("b", "k", "3"), putOp("c", "k", "3"), putOp("d", "k", "3"))
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		cancel()

		assert.Equal(t, "1", value(t, waiter, "c", "k"), "readers do not wait")
		put(t, waiter, "d", "k", "3") // nor does a writer elsewhere
	}
	close(g.open)
	require.NoError(t, <-done)
	assert.Equal(t, "2", value(t, other, "c", "k"))
	assert.Empty(t, value(t, other, "b", "k"))
	put(t, other, "c", "k", "4")
}

func TestBusyStoresTakeTurns(t *testing.T) {
	// A store that writes without a pause must not block another one.
	dir := t.TempDir()
	busy := openIn(t, dir, &file.Options{NoSync: true})
	other := openIn(t, dir, &file.Options{NoSync: true})
	put(t, busy, "c", "k", "0")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_, err := busy.Put(context.Background(), "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("1")})
				assert.NoError(t, err)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for range 20 {
		_, err := other.Put(ctx, "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("2")})
		require.NoError(t, err)
	}
	close(stop)
	<-done
}

func TestCloseWaitsForWrites(t *testing.T) {
	leak.Check(t)
	store, s := openSteps(t, t.TempDir(), nil)
	g := s.gate("rename")
	written, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := store.Put(context.Background(), "c", "k", localpass.Document{Data: json.RawMessage("1")})
		written <- err
	}()
	<-g.reached
	go func() { closed <- store.Close() }()
	for { // until Close has begun
		if _, err := store.Get(t.Context(), "c", "k"); errors.Is(err, localpass.ErrClosed) {
			break
		}
	}
	assert.Empty(t, closed)
	close(g.open)
	require.NoError(t, <-written)
	require.NoError(t, <-closed)
	assert.Equal(t, "1", value(t, openIn(t, store.Dir(), nil), "c", "k"))
}

func TestCloseEndsALoop(t *testing.T) {
	store := openIn(t, t.TempDir(), nil)
	put(t, store, "c", "a", "1")
	put(t, store, "c", "b", "1")
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage("1"), json.RawMessage("2")))
	var last error
	for _, err := range store.List(t.Context(), "c", localpass.ListOptions{}) {
		if last = err; err == nil {
			require.NoError(t, store.Close())
		}
	}
	assert.ErrorIs(t, last, localpass.ErrClosed)

	store = openIn(t, store.Dir(), nil)
	for _, err := range store.Records(t.Context(), "l", localpass.LogOptions{}) {
		if last = err; err == nil {
			require.NoError(t, store.Close())
		}
	}
	assert.ErrorIs(t, last, localpass.ErrClosed)
}

func TestVersionsWhenTheClockIsSetBack(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	opts := &file.Options{Clock: func() time.Time { return now }}
	store := openIn(t, dir, opts)
	first := put(t, store, "c", "k", "1")
	assert.Equal(t, now.UnixMicro(), first.Version)
	assert.True(t, first.Updated.Equal(now))
	second := put(t, store, "c", "k", "2")
	assert.Equal(t, first.Version+1, second.Version, "within one instant")

	now = now.Add(-24 * time.Hour)
	require.NoError(t, store.Delete(t.Context(), "c", "k"))
	store = openIn(t, dir, opts)
	third := put(t, store, "c", "k", "3")
	assert.Greater(t, third.Version, second.Version, "not again after a delete, a new start and a clock set back")

	for _, lost := range []string{"", "99999999999999999999\n", "nonsense"} { // the content of the mark is only a hint
		require.NoError(t, os.WriteFile(filepath.Join(dir, "c", ".lock"), []byte(lost), 0o600))
		next := put(t, store, "c", "k", "4")
		assert.Greater(t, next.Version, third.Version)
		third = next
	}
}
