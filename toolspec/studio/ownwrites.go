package studio

import (
	"context"
	"sync"

	"github.com/localpass/localpass"
)

// ownWrites wraps a store and remembers its own writes, so that reported changes can be
// distinguished from changes by other programs.
type ownWrites struct {
	localpass.Persistence

	mu       sync.Mutex
	versions map[string]int64 // by collection and key; 0: deleted
}

// maxOwnWrites bounds the remembered writes. A forgotten write counts as a change by
// another program, which costs one additional look.
const maxOwnWrites = 1000

func (o *ownWrites) note(collection, key string, version int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.versions == nil || len(o.versions) >= maxOwnWrites {
		o.versions = map[string]int64{}
	}
	o.versions[collection+"/"+key] = version
}

// wrote reports whether a change was made through this store.
func (o *ownWrites) wrote(collection string, change localpass.Change) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	version, there := o.versions[collection+"/"+change.Key]
	if !there || version != change.Version {
		return false
	}
	delete(o.versions, collection+"/"+change.Key)
	return true
}

func (o *ownWrites) Put(ctx context.Context, collection, key string, doc localpass.Document) (localpass.Document, error) {
	stored, err := o.Persistence.Put(ctx, collection, key, doc)
	if err == nil {
		o.note(collection, key, stored.Version)
	}
	return stored, err
}

func (o *ownWrites) Delete(ctx context.Context, collection, key string) error {
	err := o.Persistence.Delete(ctx, collection, key)
	if err == nil {
		o.note(collection, key, 0)
	}
	return err
}
