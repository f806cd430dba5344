package notify

import (
	"context"
	"sync"
	"time"

	"github.com/localpass/localpass"
)

const (
	// settle is when everything is read once more after a watch has started: what was
	// written between the first reading and the watch is seen then.
	settle = time.Second
	// restart is how long a broken watch rests before the next try.
	restart = 5 * time.Second
)

// StoreFollower says what [Store] does about changes. Its functions may run at the
// same time.
type StoreFollower struct {
	// Changed is called with the key of each document that was written or deleted.
	Changed func(key string)
	// All is called when any document may have changed: one second after a watch has
	// started.
	All func()
	// Broken is called when a watch ended before ctx did. Another one starts after
	// five seconds. Optional.
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
