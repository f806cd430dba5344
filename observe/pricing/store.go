package pricing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
)

// The document of the table in a [localpass.Persistence].
const (
	Collection = "prices"
	Key        = "table"
)

// Load reads the table that [Save] stored, and its version. If there is none, the table is
// nil and the version [localpass.NoVersion].
func Load(ctx context.Context, store localpass.Persistence) (*Table, int64, error) {
	doc, err := store.Get(ctx, Collection, Key)
	if errors.Is(err, localpass.ErrNotFound) {
		return nil, localpass.NoVersion, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("pricing: read the prices: %w", err)
	}
	t, err := Parse(doc.Data)
	if err != nil {
		return nil, 0, fmt.Errorf("pricing: the stored prices, %s/%s, are damaged: delete the document and enter them again: %w", Collection, Key, err)
	}
	return t, doc.Version, nil
}

// Save stores the table if the stored version is the given one, and returns the new version;
// else the error is [localpass.ErrConflict].
func Save(ctx context.Context, store localpass.Persistence, t *Table, version int64) (int64, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return 0, err
	}
	doc, err := store.Put(ctx, Collection, Key, localpass.Document{Version: version, Data: data})
	if err != nil {
		return 0, fmt.Errorf("pricing: store the prices: %w", err)
	}
	return doc.Version, nil
}
