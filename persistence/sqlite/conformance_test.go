package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/persistence/persistencetest"
	"github.com/localpass/localpass/persistence/sqlite"
)

func TestMain(m *testing.M) {
	testrun.InMemory()
	persistencetest.Main(m, func(location string, step func()) (localpass.Persistence, error) {
		return sqlite.OpenWithSteps(location, nil, step)
	})
}

// openAt opens a store that is closed when the test ends.
func openAt(t testing.TB, path string, opts *sqlite.Options) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(path, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

func TestConformance(t *testing.T) {
	persistencetest.Run(t, func(t *testing.T) localpass.Persistence {
		return openAt(t, filepath.Join(t.TempDir(), "store.db"), nil)
	}, &persistencetest.Options{
		Reopen: func(t *testing.T, store localpass.Persistence) localpass.Persistence {
			old := store.(*sqlite.Store)
			require.NoError(t, old.Close())
			return openAt(t, old.Path(), nil)
		},
		Location: func(store localpass.Persistence) string { return store.(*sqlite.Store).Path() },
		Steps:    true,
	})
}
