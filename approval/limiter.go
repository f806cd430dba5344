package approval

import (
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// limiter limits the questions that one principal causes per minute.
type limiter struct {
	perMinute int

	mu     sync.Mutex
	recent map[toolspec.Principal][]time.Time // the questions of the last minute, oldest first
}

func (l *limiter) allow(who toolspec.Principal) bool {
	const most = 1000 // the number of principals above which those without a recent question are removed
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.recent == nil {
		l.recent = map[toolspec.Principal][]time.Time{}
	}
	if len(l.recent) >= most {
		for p, asked := range l.recent {
			if now.Sub(asked[len(asked)-1]) >= time.Minute {
				delete(l.recent, p)
			}
		}
	}
	asked := l.recent[who]
	for len(asked) > 0 && now.Sub(asked[0]) >= time.Minute {
		asked = asked[1:]
	}
	ok := len(asked) < l.perMinute
	if ok {
		asked = append(asked, now)
	}
	if len(asked) > 0 {
		l.recent[who] = asked
	}
	return ok
}
