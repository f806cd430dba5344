package persistencetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass"
)

func (s *suite) writers(t *testing.T) {
	t.Run("Counter", func(t *testing.T) {
		store := s.open(t)
		const writers, each = 8, 20
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					assert.NoError(t, increment(t.Context(), store, "n", "shared"))
				}
			})
		}
		wg.Wait()
		assert.Equal(t, fmt.Sprint(writers*each), compact(get(t, store, "n", "shared").Data), "no update may be lost")
	})

	t.Run("OneWins", func(t *testing.T) {
		store := s.open(t)
		for round := range 10 {
			var wg sync.WaitGroup
			var mu sync.Mutex
			won := 0
			for range 8 {
				wg.Go(func() {
					_, err := store.Put(t.Context(), "n", fmt.Sprint(round), doc(localpass.NoVersion, "1"))
					if err == nil {
						mu.Lock()
						won++
						mu.Unlock()
					} else {
						assert.ErrorIs(t, err, localpass.ErrConflict)
					}
				})
			}
			wg.Wait()
			assert.Equal(t, 1, won)
		}
	})

	t.Run("SixteenInTwoProcesses", func(t *testing.T) {
		store := s.open(t)
		location := s.location(t, store)
		const workers, each = 8, 25
		children := []*child{
			start(t, job{Do: doIncrement, Location: location, Collection: "n", Key: "shared", Workers: workers, Count: each}),
			start(t, job{Do: doIncrement, Location: location, Collection: "n", Key: "shared", Workers: workers, Count: each}),
		}
		for _, c := range children {
			c.wait()
		}
		assert.Equal(t, fmt.Sprint(2*workers*each), compact(get(t, store, "n", "shared").Data), "no update may be lost")
	})

	t.Run("ManyKeysInTwoProcesses", func(t *testing.T) {
		// Both child processes write keys of their own, while this process writes the key
		// "shared".
		store := s.open(t)
		location := s.location(t, store)
		var children []*child
		for p := range 2 {
			for k := range 3 {
				children = append(children, start(t, job{Do: doIncrement, Location: location, Collection: "n", Key: fmt.Sprintf("own/%d/%d", p, k), Workers: 2, Count: 8}))
			}
		}
		for range 20 {
			assert.NoError(t, increment(t.Context(), store, "n", "shared"))
		}
		for _, c := range children {
			c.wait()
		}
		docs, err := list(t.Context(), store, "n", localpass.ListOptions{Prefix: "own/"})
		assert.NoError(t, err)
		assert.Len(t, docs, 6)
		for _, doc := range docs {
			assert.Equal(t, "16", compact(doc.Data), doc.Key)
		}
		assert.Equal(t, "20", compact(get(t, store, "n", "shared").Data))
	})
}

// retry repeats work while it returns a conflict.
func retry(ctx context.Context, work func() error) error {
	for {
		err := work()
		if !errors.Is(err, localpass.ErrConflict) || ctx.Err() != nil {
			return err
		}
	}
}

// increment adds one to the number under the key. It is safe if others do the same
// concurrently.
func increment(ctx context.Context, store localpass.Persistence, collection, key string) error {
	return retry(ctx, func() error {
		n := 0
		current, err := store.Get(ctx, collection, key)
		switch {
		case errors.Is(err, localpass.ErrNotFound):
			current.Version = localpass.NoVersion
		case err != nil:
			return err
		default:
			if err := current.Decode(&n); err != nil {
				return err
			}
		}
		runtime.Gosched() // so that others get a turn, even in a fast store
		_, err = store.Put(ctx, collection, key, localpass.Document{Version: current.Version, Data: json.RawMessage(fmt.Sprint(n + 1))})
		return err
	})
}
