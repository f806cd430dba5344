package notify

import (
	"slices"
	"sync"
)

// Set holds functions that are called with each new value. The zero value is an empty
// set. It must not be copied, and is safe for concurrent use.
type Set[T any] struct {
	mu  sync.Mutex
	all []*watcher[T] // never changed in place: Notify reads it without the lock
}

type watcher[T any] struct {
	mu      sync.Mutex // held while notify runs, so that stop can wait for it
	notify  func(T)
	stopped bool
}

// Add adds a function: from now on, notify is called with each value that is passed to
// [Set.Notify]. stop removes it; it waits for a running call, so it must not be called
// from within notify. stop may be called more than once. A nil notify is not added.
//
// One function never runs twice at the same time.
func (s *Set[T]) Add(notify func(T)) (stop func()) {
	if notify == nil {
		return func() {}
	}
	w := &watcher[T]{notify: notify}
	s.mu.Lock()
	s.all = append(slices.Clip(s.all), w)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		s.all = slices.DeleteFunc(slices.Clone(s.all), func(other *watcher[T]) bool { return other == w })
		s.mu.Unlock()
		w.mu.Lock()
		w.stopped = true
		w.mu.Unlock()
	}
}

// Notify calls every function of the set with a value. It returns when all have
// returned.
func (s *Set[T]) Notify(value T) {
	s.mu.Lock()
	all := s.all
	s.mu.Unlock()
	for _, w := range all {
		w.call(value)
	}
}

func (w *watcher[T]) call(value T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.notify(value)
	}
}

// Signal holds functions that are called when something changes. The zero value holds
// none. It must not be copied, and is safe for concurrent use.
type Signal struct{ set Set[struct{}] }

// Add adds a function: from now on, changed is called at each [Signal.Notify]. The rules
// of [Set.Add] apply.
func (s *Signal) Add(changed func()) (stop func()) {
	if changed == nil {
		return func() {}
	}
	return s.set.Add(func(struct{}) { changed() })
}

// Notify calls every function. It returns when all have returned.
func (s *Signal) Notify() { s.set.Notify(struct{}{}) }
