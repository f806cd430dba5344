package httpapi

import (
	"sync"
	"sync/atomic"
)

// Streams counts the streams that are open. The zero value has none; it is safe
// for concurrent use, and must not be copied.
type Streams struct{ open atomic.Int64 }

// Enter counts one in. leave counts it out, at its first call. The error is a
// [StreamLimit] where most are open.
func (s *Streams) Enter(most int) (leave func(), err error) {
	if s.open.Add(1) > int64(most) {
		s.open.Add(-1)
		return nil, StreamLimit.New("at most %d streams can be open: close one", most)
	}
	return sync.OnceFunc(func() { s.open.Add(-1) }), nil
}
