package approval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"time"

	"github.com/localpass/localpass"
)

// follow notifies the waiters for a request, or for all requests, that it changed: at
// once after a write of this broker, and soon after one of another program. One
// goroutine polls the store for all waiters, while there are any.
type follow struct {
	b *Broker

	mu      sync.Mutex
	subs    map[string]map[*subscription]struct{} // by request id; "" is all
	stopRun context.CancelFunc                    // nil while nothing runs
	running chan struct{}                         // closed when what runs has ended
	closed  bool
	known   map[string]int64 // versions, while all requests are followed
}

func newFollow(b *Broker) *follow {
	return &follow{b: b, subs: map[string]map[*subscription]struct{}{}}
}

// subscription collects which requests changed since it was last read.
type subscription struct {
	signal chan struct{} // holds a token while there is something

	mu    sync.Mutex
	dirty map[string]struct{}
	order []string
}

func (s *subscription) add(id string) {
	s.mu.Lock()
	if _, there := s.dirty[id]; !there {
		s.dirty[id] = struct{}{}
		s.order = append(s.order, id)
	}
	s.mu.Unlock()
	select {
	case s.signal <- struct{}{}:
	default:
	}
}

func (s *subscription) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := s.order
	s.order = nil
	clear(s.dirty)
	return order
}

// subscribe follows some requests, or all when none are named. release ends it.
func (f *follow) subscribe(ids ...string) (s *subscription, release func()) {
	s = &subscription{signal: make(chan struct{}, 1), dirty: map[string]struct{}{}}
	if len(ids) == 0 {
		ids = []string{""}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if f.subs[id] == nil {
			f.subs[id] = map[*subscription]struct{}{}
		}
		f.subs[id][s] = struct{}{}
	}
	if f.stopRun == nil && !f.closed {
		ctx, cancel := context.WithCancel(f.b.ctx)
		running := make(chan struct{})
		before := f.running
		f.stopRun, f.running = cancel, running
		go func() {
			defer close(running)
			if before != nil {
				<-before // one at a time
			}
			f.guard(func() { f.run(ctx) })
		}()
	}
	return s, func() { f.release(s, ids) }
}

func (f *follow) release(s *subscription, ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if delete(f.subs[id], s); len(f.subs[id]) == 0 {
			delete(f.subs, id)
		}
	}
	if f.subs[""] == nil {
		f.known = nil
	}
	if len(f.subs) == 0 && f.stopRun != nil {
		f.stopRun()
		f.stopRun = nil
	}
}

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

// changed notifies the followers of a request.
func (f *follow) changed(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs[id] {
		s.add(id)
	}
	for s := range f.subs[""] {
		s.add(id)
	}
}

// all notifies all followers of single requests to read theirs again.
func (f *follow) all() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, subs := range f.subs {
		for s := range subs {
			if id != "" {
				s.add(id)
			}
		}
	}
}

// baseline notes which versions there are, for those who follow all: what
// differs later has changed.
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

// compare reports what differs from the last read.
func (f *follow) compare(ctx context.Context) {
	f.mu.Lock()
	before := f.known
	f.mu.Unlock()
	if before == nil {
		return // there is no subscription to all requests
	}
	now, err := f.versions(ctx)
	if err != nil {
		return // the next look
	}
	f.mu.Lock()
	if f.known != nil {
		f.known = now
	}
	f.mu.Unlock()
	for id, version := range now {
		if before[id] != version {
			f.changed(id)
		}
	}
}

// Polls beside the watch: the watch does not say from when on it misses nothing, so
// soon after its start, and then now and then, everything is read.
var looks = [...]time.Duration{100 * time.Millisecond, 400 * time.Millisecond, 1500 * time.Millisecond, 8 * time.Second}

// guard runs do and keeps a panic in it, such as one of the store, from ending
// the program. A caller that waits for a decision then waits until the deadline, which
// refuses the call.
func (f *follow) guard(do func()) {
	defer func() {
		if v := recover(); v != nil {
			f.b.opts.Telemetry.Log().Error("hitl.follow-failed", "error", fmt.Sprintf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	do()
}

// run looks for changes of other programs until ctx ends.
func (f *follow) run(ctx context.Context) {
	watcher, watches := f.b.store.(localpass.Watcher)
	done := make(chan struct{})
	if watches {
		go func() {
			defer close(done)
			f.guard(func() {
				for change, err := range watcher.Watch(ctx, collectionRequests) {
					if err != nil {
						return // polling continues
					}
					if !change.Deleted {
						f.changed(change.Key)
					}
				}
			})
		}()
		defer func() { <-done }()
	}
	for i := 0; ; i++ {
		pause := f.b.opts.Poll
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
		f.all()
		f.compare(ctx)
	}
}

// Watch yields each request as it is asked, answered, used or written down as
// expired, also those of other programs. It misses no change that comes after it
// has returned; several changes of one request may come as one. A request that
// expires is not yielded at its deadline: look at the deadline.
//
// The sequence can be ranged over once. Its last pair is an error: that of ctx,
// [ErrClosed] after [Broker.Close], or that of the store.
func (b *Broker) Watch(ctx context.Context) iter.Seq2[Record, error] {
	sub, release := b.follow.subscribe()
	release = sync.OnceFunc(release)
	context.AfterFunc(ctx, release) // also where nothing ranges over the sequence
	failed := b.follow.baseline(ctx)
	return func(yield func(Record, error) bool) {
		defer release()
		if failed != nil {
			yield(Record{}, failed)
			return
		}
		for {
			select {
			case <-ctx.Done():
				yield(Record{}, ctx.Err())
				return
			case <-b.ctx.Done():
				yield(Record{}, ErrClosed)
				return
			case <-sub.signal:
			}
			for _, id := range sub.take() {
				rec, err := b.Get(ctx, id)
				if errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) {
					continue
				}
				if !yield(rec, err) || err != nil {
					return
				}
			}
		}
	}
}

// Wait returns the record as soon as it is no longer pending, which it is at its
// deadline at the latest. The error is ctx's, or [ErrClosed], or that of
// [Broker.Get].
func (b *Broker) Wait(ctx context.Context, id string) (Record, error) {
	sub, release := b.follow.subscribe(id)
	defer release()
	for {
		rec, err := b.Get(ctx, id)
		if err != nil || rec.Status != StatusPending {
			return rec, err
		}
		timer := time.NewTimer(max(rec.Request.Deadline.Sub(b.now()), time.Millisecond))
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-b.ctx.Done():
			err = ErrClosed
		case <-sub.signal:
			sub.take()
		case <-timer.C:
		}
		timer.Stop()
		if err != nil {
			return rec, err
		}
	}
}
