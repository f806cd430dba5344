package notify

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass"
)

const (
	// settle is the time after the start of a watch at which everything is read again, to
	// see documents that were written between the first read and the start of the watch.
	settle = time.Second
	// restart is the pause after a broken watch before the next one is started.
	restart = 5 * time.Second
)

// StoreFollower holds the functions that [Store] calls. They may run at the same time.
type StoreFollower struct {
	// Changed is called with the key of each document that was written or deleted.
	Changed func(key string)
	// All is called when any document may have changed: one second after a watch has
	// started.
	All func()
	// Broken is called when a watch ended before ctx did. Another watch starts after five
	// seconds. Optional.
	Broken func(err error)
}

// Store follows the changes of a collection until ctx ends. It returns when no
// function of f runs any more.
func Store(ctx context.Context, w localpass.Watcher, collection string, f StoreFollower) {
	for ctx.Err() == nil {
		watch(ctx, w, collection, &f)
		rest := time.NewTimer(restart)
		select {
		case <-ctx.Done():
		case <-rest.C:
		}
		rest.Stop()
	}
}

// watch watches the collection once.
func watch(ctx context.Context, w localpass.Watcher, collection string, f *StoreFollower) {
	watching, end := context.WithCancel(ctx)
	var settling sync.WaitGroup
	defer settling.Wait()
	defer end()
	settling.Go(func() {
		timer := time.NewTimer(settle)
		defer timer.Stop()
		select {
		case <-timer.C:
			f.All()
		case <-watching.Done():
		}
	})
	for change, err := range w.Watch(ctx, collection) {
		if err != nil {
			if f.Broken != nil && ctx.Err() == nil {
				f.Broken(err)
			}
			return
		}
		f.Changed(change.Key)
	}
}
