package file_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/persistencetest"
)

func TestMain(m *testing.M) {
	testrun.InMemory()
	persistencetest.Main(m, func(location string, step func()) (localpass.Persistence, error) {
		if step == nil {
			return file.Open(location, nil)
		}
		return file.OpenWithSteps(location, nil, func(string, string) error {
			step()
			return nil
		})
	})
}

// openIn opens a store that is closed when the test ends.
func openIn(t testing.TB, dir string, opts *file.Options) *file.Store {
	t.Helper()
	store, err := file.Open(dir, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

func TestConformance(t *testing.T) {
	persistencetest.Run(t, func(t *testing.T) localpass.Persistence {
		return openIn(t, t.TempDir(), nil)
	}, &persistencetest.Options{
		Reopen: func(t *testing.T, store localpass.Persistence) localpass.Persistence {
			old := store.(*file.Store)
			require.NoError(t, old.Close())
			return openIn(t, old.Dir(), nil)
		},
		Location: func(store localpass.Persistence) string { return store.(*file.Store).Dir() },
		Steps:    true,
	})
}
