package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/pgtest"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/persistence/persistencetest"
	"github.com/localpass/localpass/persistence/postgres"
)

func TestMain(m *testing.M) {
	testrun.Parallel(4)
	persistencetest.Main(pgtest.M{M: m}, func(location string, step func()) (localpass.Persistence, error) {
		schema, address, _ := strings.Cut(location, " ")
		return postgres.OpenWithSteps(context.Background(), address, &postgres.Options{Schema: schema}, step)
	})
}

var (
	schemas  atomic.Int64
	schemaOf sync.Map // of stores
)

// newSchema returns an unused name for a schema.
func newSchema() string { return fmt.Sprintf("s%d", schemas.Add(1)) }

// openIn opens a store that is closed when the test ends.
func openIn(t testing.TB, opts postgres.Options) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), pgtest.Database(t), &opts)
	require.NoError(t, err)
	schemaOf.Store(store, opts.Schema)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

func schema(store localpass.Persistence) string {
	name, _ := schemaOf.Load(store)
	return name.(string)
}

func TestConformance(t *testing.T) {
	address := pgtest.Database(t)
	persistencetest.Run(t, func(t *testing.T) localpass.Persistence {
		return openIn(t, postgres.Options{Schema: newSchema()})
	}, &persistencetest.Options{
		Reopen: func(t *testing.T, store localpass.Persistence) localpass.Persistence {
			require.NoError(t, store.(*postgres.Store).Close())
			return openIn(t, postgres.Options{Schema: schema(store)})
		},
		Location: func(store localpass.Persistence) string { return schema(store) + " " + address },
		Steps:    true,
	})
}
