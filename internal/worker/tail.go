package worker

import "sync"

// tail keeps the beginning and the end of a worker's standard error: the runtime writes
// first why it dies, and last what was running.
type tail struct {
	mu    sync.Mutex
	head  []byte
	ring  []byte
	next  int
	total int
}

const (
	tailHead = 3 << 10
	tailRing = 1 << 10
)

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.total += n
	if room := tailHead - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head = append(t.head, p[:k]...)
		p = p[k:]
	}
	if len(p) > tailRing {
		p = p[len(p)-tailRing:]
	}
	for len(p) > 0 {
		if len(t.ring) < tailRing {
			k := min(tailRing-len(t.ring), len(p))
			t.ring = append(t.ring, p[:k]...)
			p = p[k:]
			continue
		}
		k := copy(t.ring[t.next:], p)
		p = p[k:]
		t.next = (t.next + k) % tailRing
	}
	return n, nil
}

// String returns the kept text, with a mark where something is missing.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(t.head)
	if t.total > len(t.head)+len(t.ring) {
		s += "\n[…]\n"
	}
	if len(t.ring) == tailRing {
		return s + string(t.ring[t.next:]) + string(t.ring[:t.next])
	}
	return s + string(t.ring)
}
