package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	lp "github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/postgres"
	"github.com/localpass/localpass/persistence/sqlite"
)

// A record of the audit log has about this size.
var storeRecord = json.RawMessage(fmt.Sprintf(`{"text": "%0500d"}`, 1))

type benchStore interface {
	lp.Persistence
	lp.Log
	Close() error
}

// benchStores are the engines, each with the floor of a durable append: what the disk or the
// server takes for the same bytes. LOCALPASS_BENCH_POSTGRES is the address of a PostgreSQL; its
// part is left out without it.
func benchStores(b *testing.B, run func(b *testing.B, store benchStore, floor func(b *testing.B) func() error)) {
	b.Run("file", func(b *testing.B) {
		store, err := file.Open(b.TempDir(), &file.Options{LogFlush: -1})
		require.NoError(b, err)
		run(b, store, func(b *testing.B) func() error { return appendAndSync(b, len(storeRecord)) })
	})
	b.Run("sqlite", func(b *testing.B) {
		store, err := sqlite.Open(filepath.Join(b.TempDir(), "store.db"), nil)
		require.NoError(b, err)
		// A commit writes at least one frame of the write-ahead log: a page and its header.
		run(b, store, func(b *testing.B) func() error { return appendAndSync(b, 4096+24) })
	})
	address := os.Getenv("LOCALPASS_BENCH_POSTGRES")
	if address == "" {
		return
	}
	b.Run("postgres", func(b *testing.B) {
		store, err := postgres.Open(b.Context(), address, &postgres.Options{Schema: "bench"})
		require.NoError(b, err)
		run(b, store, func(b *testing.B) func() error {
			conn, err := pgx.Connect(b.Context(), address)
			require.NoError(b, err)
			b.Cleanup(func() { conn.Close(context.Background()) })
			_, err = conn.Exec(b.Context(), "DROP TABLE IF EXISTS bench.floor; CREATE TABLE bench.floor (segment bigint, n bigint, total bigint, time timestamptz, data text, PRIMARY KEY (segment, n))")
			require.NoError(b, err)
			n := 0
			return func() error {
				n++
				_, err := conn.Exec(b.Context(), "INSERT INTO bench.floor VALUES ($1, $2, $3, now(), $4)", 1, n, n, string(storeRecord))
				return err
			}
		})
	})
}

// appendAndSync appends so many bytes to a file and flushes it.
func appendAndSync(b *testing.B, size int) func() error {
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	require.NoError(b, err)
	b.Cleanup(func() { f.Close() })
	data := make([]byte, size)
	return func() error {
		if _, err := f.Write(data); err != nil {
			return err
		}
		return syncData(f)
	}
}

// BenchmarkStoreAppend compares a durable append of one record with the floor of its engine.
func BenchmarkStoreAppend(b *testing.B) {
	benchStores(b, func(b *testing.B, store benchStore, floor func(b *testing.B) func() error) {
		b.Run("store", func(b *testing.B) {
			for b.Loop() {
				if err := store.Append(b.Context(), "audit", storeRecord); err != nil {
					b.Fatal(err)
				}
			}
		})
		once := floor(b)
		b.Run("floor", func(b *testing.B) {
			for b.Loop() {
				if err := once(); err != nil {
					b.Fatal(err)
				}
			}
		})
		require.NoError(b, store.Close())
	})
}

// BenchmarkStoreList lists the newest 50 of 100 and of 10,000 documents: the cost must not
// depend on their number.
func BenchmarkStoreList(b *testing.B) {
	benchStores(b, func(b *testing.B, store benchStore, _ func(b *testing.B) func() error) {
		n := 0
		for _, size := range []int{100, 10_000} {
			batch := store.(lp.Batcher)
			for n < size {
				var ops []lp.Op
				for range 100 {
					n++
					ops = append(ops, lp.Op{Collection: "list", Key: fmt.Sprintf("%08d", n), Version: lp.AnyVersion, Data: storeRecord})
				}
				_, err := batch.Batch(b.Context(), ops...)
				require.NoError(b, err)
			}
			b.Run(fmt.Sprintf("of %d", size), func(b *testing.B) {
				for b.Loop() {
					seen := 0
					for _, err := range store.List(b.Context(), "list", lp.ListOptions{Reverse: true, Limit: 50}) {
						if err != nil {
							b.Fatal(err)
						}
						seen++
					}
					if seen != 50 {
						b.Fatal(seen)
					}
				}
			})
		}
		require.NoError(b, store.Close())
	})
}
