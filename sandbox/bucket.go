package sandbox

import (
	"sync"
	"time"
)

// bucket allows a burst of events, then one per interval. It is safe for
// concurrent use.
type bucket struct {
	burst int
	every time.Duration

	mu   sync.Mutex
	paid time.Time // when all events so far are used up, at one per interval
}

func newBucket(burst int, every time.Duration) *bucket {
	return &bucket{burst: burst, every: every}
}

// delay returns how long to wait until another event is allowed; 0: now.
func (b *bucket) delay(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.paid.After(now) {
		return 0
	}
	return max(b.paid.Sub(now)-time.Duration(b.burst-1)*b.every, 0)
}

// count counts one event, allowed or not.
func (b *bucket) count(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paid.Before(now) {
		b.paid = now
	}
	b.paid = b.paid.Add(b.every)
}
