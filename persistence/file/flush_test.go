package file_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

// A record is written when Append returns, and flushed after LogFlush.
func TestLogFlush(t *testing.T) {
	leak.Check(t)
	synced := make(chan string, 10)
	store, s := openSteps(t, t.TempDir(), &file.Options{LogFlush: 10 * time.Millisecond})
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`0`))) // makes directory and segment
	s.set(func(call, path string) error {
		if call == "sync" {
			synced <- path
		}
		return nil
	})
	for range 3 {
		require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`1`)))
	}
	select {
	case <-synced:
	case <-time.After(patience):
		require.FailNow(t, "it was not flushed")
	}
}

func TestCloseFlushes(t *testing.T) {
	leak.Check(t)
	store, s := openSteps(t, t.TempDir(), &file.Options{LogFlush: time.Hour})
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`1`)))
	assert.NotContains(t, s.taken(), "sync")
	require.NoError(t, store.Close())
	assert.Equal(t, 1, count(s.taken(), "sync"))
}

func TestSegmentsAreFlushed(t *testing.T) {
	store, s := openSteps(t, t.TempDir(), &file.Options{LogFlush: time.Hour, SegmentSize: 1})
	for range 3 {
		require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`1`)))
	}
	assert.Equal(t, 3, count(s.taken(), "sync"))
}

func count(list []string, want string) (n int) {
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

// A failed flush is reported to the next call of Append.
func TestFlushFails(t *testing.T) {
	leak.Check(t)
	failed := make(chan struct{}, 1)
	broken := errors.New("the disk is broken")
	store, s := openSteps(t, t.TempDir(), &file.Options{LogFlush: time.Millisecond})
	s.set(func(call, _ string) error {
		if call == "sync" {
			select {
			case failed <- struct{}{}:
				return broken
			default:
			}
		}
		return nil
	})
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`1`)))
	deadline := time.Now().Add(patience)
	for len(failed) == 0 && time.Now().Before(deadline) {
		<-time.After(time.Millisecond)
	}
	var err error
	for err == nil && time.Now().Before(deadline) { // the failure may be about to be noted
		err = store.Append(t.Context(), "l", json.RawMessage(`2`))
	}
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "may be lost")
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`3`)), "in a segment of its own")
	var got []string
	for r, err := range store.Records(t.Context(), "l", localpass.LogOptions{}) {
		require.NoError(t, err)
		got = append(got, string(r.Data))
	}
	assert.True(t, slices.Contains(got, "3"), got)
}
