package pgvector_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/pgtest"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/rag/pgvector"
)

func TestMain(m *testing.M) {
	testrun.Parallel(8)
	os.Exit(pgtest.M{M: m}.Run())
}

// database returns the address of the server's database.
func database(t testing.TB) string { t.Helper(); return pgtest.Database(t) }

var collections sync.Map

// name returns an unused name for a collection.
func name(testing.TB) string {
	for i := 0; ; i++ {
		n := fmt.Sprintf("c%d", i)
		if _, used := collections.LoadOrStore(n, true); !used {
			return n
		}
	}
}

func open(t testing.TB, opts pgvector.Options) *pgvector.Store {
	t.Helper()
	return openAt(t, database(t), opts)
}

func openAt(t testing.TB, address string, opts pgvector.Options) *pgvector.Store {
	t.Helper()
	if opts.Collection == "" {
		opts.Collection = name(t)
	}
	s, err := pgvector.Open(ctx, address, &opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

var ctx = context.Background()

// sql runs a statement in the database.
func sql(t testing.TB, statement string) string { t.Helper(); return pgtest.SQL(t, statement) }
