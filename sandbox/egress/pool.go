package egress

import (
	"container/list"
	"sync"
)

// poolSize is the number of guards that a Pool keeps: enough for the policies in use at
// the same time on a busy host.
const poolSize = 64

// Pool keeps one [Guard] per policy, so that only calls under the same policy share
// connections. It is safe for concurrent use.
type Pool struct {
	opts Options

	mu     sync.Mutex
	closed bool
	guards map[string]*list.Element // values are *pooled
	recent *list.List               // most recently used first
}

type pooled struct {
	key   string
	guard *Guard
}

// NewPool returns a pool whose guards all have the same options; nil is allowed.
func NewPool(opts *Options) *Pool {
	p := &Pool{guards: map[string]*list.Element{}, recent: list.New()}
	if opts != nil {
		p.opts = *opts
	}
	return p
}

// Guard returns the guard of a policy, the same one for all policies that permit the
// same. It belongs to the pool: do not close it. The error is an [*Error], or
// [ErrClosed].
func (p *Pool) Guard(policy Policy) (*Guard, error) {
	key := policy.key()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if e, ok := p.guards[key]; ok {
		p.recent.MoveToFront(e)
		return e.Value.(*pooled).guard, nil
	}
	g, err := New(policy, &p.opts)
	if err != nil {
		return nil, err
	}
	p.guards[key] = p.recent.PushFront(&pooled{key, g})
	if p.recent.Len() > poolSize {
		oldest := p.recent.Remove(p.recent.Back()).(*pooled)
		delete(p.guards, oldest.key)
		// Calls may still be in progress: they finish normally, and then their
		// connections are closed.
		oldest.guard.retire()
	}
	return g, nil
}

// Close closes every guard. It can be called again.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for e := p.recent.Front(); e != nil; e = e.Next() {
		e.Value.(*pooled).guard.Close()
	}
	return nil
}
