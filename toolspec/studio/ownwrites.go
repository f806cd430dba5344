package studio

import (
	"context"
	"sync"

	"github.com/localpass/localpass"
)

// ownWrites is a store that remembers what was written through it, so that a change
// which a watch reports can be distinguished from that of another program.
type ownWrites struct {
	localpass.Persistence

	mu       sync.Mutex
	versions map[string]int64 // by collection and key; 0: deleted
}

// maxOwnWrites bounds what is remembered. What is forgotten counts as the change
// of another program, which costs one look more.
const maxOwnWrites = 1000

func (o *ownWrites) note(collection, key string, version int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.versions == nil || len(o.versions) >= maxOwnWrites {
		o.versions = map[string]int64{}
	}
	o.versions[collection+"/"+key] = version
}

// wrote tells whether a change is one that was made here.
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
