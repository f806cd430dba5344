package localpass_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
)

// increment counts in a store that others write to as well.
func increment(ctx context.Context, store localpass.Persistence, key string) error {
	for {
		var n int
		doc, err := store.Get(ctx, "counters", key)
		switch {
		case errors.Is(err, localpass.ErrNotFound):
			// The zero Document names NoVersion: nobody else may have made it.
		case err != nil:
			return err
		default:
			if err := doc.Decode(&n); err != nil {
				return err
			}
		}
		doc.Data = json.RawMessage(fmt.Sprint(n + 1))
		_, err = store.Put(ctx, "counters", key, doc)
		if !errors.Is(err, localpass.ErrConflict) {
			return err
		}
		// Somebody was faster: read what is there now and try again.
	}
}

func ExamplePersistence() {
	ctx := context.Background()
	var store localpass.Persistence = memory.New()
	for range 3 {
		if err := increment(ctx, store, "calls"); err != nil {
			fmt.Println(err)
			return
		}
	}
	for doc, err := range store.List(ctx, "counters", localpass.ListOptions{}) {
		fmt.Println(doc.Key, string(doc.Data), err)
	}

	// More powers are found by type assertion.
	if log, ok := store.(localpass.Log); ok {
		if err := log.Append(ctx, "audit", json.RawMessage(`{"tool":"hash"}`)); err != nil {
			fmt.Println(err)
			return
		}
		for record, err := range log.Records(ctx, "audit", localpass.LogOptions{}) {
			fmt.Println(string(record.Data), err)
		}
	}
	// Output:
	// calls 3 <nil>
	// {"tool":"hash"} <nil>
}
