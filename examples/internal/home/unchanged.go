package home

import (
	"context"
	"errors"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
)

// unchanged is a read-only home: it reads single documents from the home and keeps writes
// in memory.
type unchanged struct {
	*memory.Store
	home localpass.Persistence
}

// Get implements localpass.Persistence.
func (u *unchanged) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	doc, err := u.Store.Get(ctx, collection, key)
	if errors.Is(err, localpass.ErrNotFound) {
		return u.home.Get(ctx, collection, key)
	}
	return doc, err
}
