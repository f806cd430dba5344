package approval

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
	"sync"
	"time"
)

// The prefixes of ids.
const (
	prefixRequest = "ap_"
	prefixGrant   = "gr_"
)

// crockford is the alphabet of a ULID.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ids generates ULIDs: 48 bits of milliseconds and 80 random bits, in an alphabet that
// preserves their order. The ULIDs of one generator increase, even within a millisecond.
type ids struct {
	mu   sync.Mutex
	last [16]byte
}

func (g *ids) next(prefix string, now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], uint64(max(now.UnixMilli(), 0))<<16)
	if string(id[:6]) > string(g.last[:6]) {
		rand.Read(id[6:]) // cannot fail
		id[6] &= 0x7f     // leaves room to count up
	} else { // the same millisecond, or the clock was set back
		id = g.last
		for i := len(id) - 1; i >= 0; i-- {
			if id[i]++; id[i] != 0 {
				break
			}
		}
	}
	g.last = id
	return prefix + encodeULID(id)
}

// encodeULID encodes 128 bits as 26 characters of 5 bits each.
func encodeULID(id [16]byte) string {
	var out [26]byte
	high, low := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = crockford[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(out[:])
}

// isID reports whether s is the prefix followed by a ULID.
func isID(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && len(rest) == 26 && rest[0] <= '7' && strings.Trim(rest, crockford) == ""
}
