package studio

import (
	"context"
	"sync"
)

// keyedLocks are locks by key, such as a tool id. The zero value is ready.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	free chan struct{} // holds a token while the lock is free
	uses int           // the holder and the waiters
}

// lock acquires the lock of a key, or returns the error of ctx. unlock releases it.
func (k *keyedLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	k.mu.Lock()
	if k.held == nil {
		k.held = map[string]*keyedLock{}
	}
	l := k.held[key]
	if l == nil {
		l = &keyedLock{free: make(chan struct{}, 1)}
		l.free <- struct{}{}
		k.held[key] = l
	}
	l.uses++
	k.mu.Unlock()
	leave := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.uses--; l.uses == 0 {
			delete(k.held, key)
		}
	}
	select {
	case <-l.free:
		return func() { l.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
