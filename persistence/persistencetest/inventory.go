package persistencetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

// The names of collections with documents and of logs with records are listed in byte order.
func (s *suite) inventory(t *testing.T) {
	store := s.open(t)
	up := upgrade[localpass.Inventory](t, store)
	check := func(up localpass.Inventory, collections, logs []string) {
		t.Helper()
		got, err := up.Collections(t.Context())
		require.NoError(t, err)
		assert.Equal(t, collections, append([]string{}, got...))
		got, err = up.Logs(t.Context())
		require.NoError(t, err)
		assert.Equal(t, logs, append([]string{}, got...))
	}
	check(up, []string{}, []string{})
	for _, name := range []string{"b", "A", "a.b", "gone", "con"} {
		put(t, store, name, "k", localpass.NoVersion, "1")
	}
	require.NoError(t, store.Delete(t.Context(), "gone", "k"))
	logs := []string{}
	if log, ok := store.(localpass.Log); ok {
		logs = []string{"Audit", "spans"}
		require.NoError(t, log.Append(t.Context(), "spans", raw("1")...))
		require.NoError(t, log.Append(t.Context(), "Audit", raw("1")...))
		require.NoError(t, log.Append(t.Context(), "empty"))
	}
	collections := []string{"A", "a.b", "b", "con"}
	check(up, collections, logs)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := up.Collections(canceled)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = up.Logs(canceled)
	assert.ErrorIs(t, err, context.Canceled)
	if s.Reopen != nil {
		store = s.reopen(t, store)
		check(store.(localpass.Inventory), collections, logs)
	}
}
