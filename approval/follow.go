package approval

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/notify"
)

// follow notifies the waiters for one request, or for all requests, of changes:
// immediately after a write of this broker, and with a short delay after a write of
// another program. One goroutine reads the store for all waiters, as long as there are
// any.
type follow struct {
	b       *Broker
	waiters notify.Set[string] // called with the id of a request, or with anyRequest

	mu       sync.Mutex
	count    int                // the number of waiters
	countAll int                // the number of waiters for all requests
	known    map[string]int64   // the versions of all requests, while countAll > 0
	stopRun  context.CancelFunc // nil while the goroutine is not running
	running  chan struct{}      // closed when the goroutine has ended
	closed   bool
}

// anyRequest, in place of an id, means that any request of a waiter may have changed.
const anyRequest = ""

// subscription collects the ids of requests that changed since it was last read.
type subscription struct {
	ids    []string      // the ids that it waits for; none: all
	signal chan struct{} // holds a token while there are unread changes

	mu    sync.Mutex
	dirty map[string]struct{}
	order []string
}

// noteChange notes that a request changed.
func (s *subscription) noteChange(id string) {
	ids := s.ids // for anyRequest; a waiter for all requests is notified of each change
	if id != anyRequest {
		if ids = []string{id}; len(s.ids) > 0 && !slices.Contains(s.ids, id) {
			return
		}
	}
	if len(ids) == 0 {
		return
	}
	s.mu.Lock()
	for _, id := range ids {
		if _, there := s.dirty[id]; !there {
			s.dirty[id] = struct{}{}
			s.order = append(s.order, id)
		}
	}
	s.mu.Unlock()
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

// takeChanged returns the ids of changed requests, and clears them.
func (s *subscription) takeChanged() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := s.order
	s.order = nil
	clear(s.dirty)
	return order
}

// subscribe follows the requests with the given ids, or all requests if ids is empty.
// release ends the subscription.
func (f *follow) subscribe(ids ...string) (s *subscription, release func()) {
	s = &subscription{ids: ids, signal: make(chan struct{}, 1), dirty: map[string]struct{}{}}
	stop := f.waiters.Add(s.noteChange)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if len(ids) == 0 {
		f.countAll++
	}
	if f.stopRun == nil && !f.closed {
		ctx, cancel := context.WithCancel(f.b.ctx)
		running := make(chan struct{})
		before := f.running
		f.stopRun, f.running = cancel, running
		go func() {
			defer close(running)
			if before != nil {
				<-before // only one goroutine at a time
			}
			f.guard(func() { f.pollUntil(ctx) })
		}()
	}
	return s, sync.OnceFunc(func() {
		stop()
		f.release(s)
	})
}

func (f *follow) release(s *subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count--
	if len(s.ids) == 0 {
		if f.countAll--; f.countAll == 0 {
			f.known = nil
		}
	}
	if f.count == 0 && f.stopRun != nil {
		f.stopRun()
		f.stopRun = nil
	}
}

// stop ends the goroutine permanently.
func (f *follow) stop() {
	f.mu.Lock()
	f.closed = true
	if f.stopRun != nil {
		f.stopRun()
		f.stopRun = nil
	}
	running := f.running
	f.mu.Unlock()
	if running != nil {
		<-running
	}
}

// baseline records the current versions for waiters for all requests. A request whose
// version differs later has changed.
func (f *follow) baseline(ctx context.Context) error {
	f.mu.Lock()
	there := f.known != nil
	f.mu.Unlock()
	if there {
		return nil
	}
	known, err := f.versions(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = known
	}
	return err
}

func (f *follow) versions(ctx context.Context) (map[string]int64, error) {
	known := map[string]int64{}
	for doc, err := range f.b.store.List(ctx, collectionRequests, localpass.ListOptions{Prefix: prefixRequest}) {
		if err != nil {
			return known, fmt.Errorf("approval: list requests: %w", err)
		}
		known[doc.Key] = doc.Version
	}
	return known, nil
}

// compare notifies waiters of the requests that differ from the last read.
func (f *follow) compare(ctx context.Context) {
	f.mu.Lock()
	before := f.known
	f.mu.Unlock()
	if before == nil {
		return // there is no subscription to all requests
	}
	now, err := f.versions(ctx)
	if err != nil {
		return // the next poll tries again
	}
	f.mu.Lock()
	if f.known != nil {
		f.known = now
	}
	f.mu.Unlock()
	for id, version := range now {
		if before[id] != version {
			f.waiters.Notify(id)
		}
	}
}

// The pauses between polls in addition to a watch. A watch does not report from when on
// it misses no change, so everything is read soon after the start and then occasionally.
var looks = [...]time.Duration{100 * time.Millisecond, 400 * time.Millisecond, 1500 * time.Millisecond, 8 * time.Second}

// guard runs do and recovers from panics, such as panics of the store. A caller that
// waits for a decision then waits until the deadline, which refuses the call.
func (f *follow) guard(do func()) {
	defer func() {
		if v := recover(); v != nil {
			f.b.opts.Telemetry.Log().Error("hitl.follow-failed", "error", fmt.Sprintf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	do()
}

// pollUntil checks for changes by other programs until ctx ends.
func (f *follow) pollUntil(ctx context.Context) {
	watcher, watches := f.b.store.(localpass.Watcher)
	var watch sync.WaitGroup
	defer watch.Wait()
	look := func() { f.waiters.Notify(anyRequest) }
	if watches {
		watch.Go(func() {
			f.guard(func() {
				notify.Store(ctx, watcher, collectionRequests, notify.StoreFollower{Changed: f.waiters.Notify, All: look})
			})
		})
	}
	for i := 0; ; i++ {
		pause := f.b.poll
		if watches {
			pause = looks[min(i, len(looks)-1)]
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		look()
		f.compare(ctx)
	}
}
