// Package ids creates and checks the ids of conversations, turns and messages.
package ids

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/localpass/localpass/chat/llm"
)

// idAlphabet is Crockford's base 32, in lower case.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// New returns an id: the prefix and a ULID, so that ids with a later time sort after
// earlier ones.
func New(prefix string, at time.Time) string {
	var b [16]byte
	ms := uint64(max(at.UnixMilli(), 0))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	rand.Read(b[6:]) // never fails
	out := make([]byte, 0, len(prefix)+26)
	out = append(out, prefix...)
	// 128 bits in groups of five, from the most significant bit; the first group has
	// three.
	bits, n := uint32(0), 2
	for _, x := range b {
		bits = bits<<8 | uint32(x)
		for n += 8; n >= 5; n -= 5 {
			out = append(out, idAlphabet[bits>>(n-5)&31])
		}
	}
	return string(out)
}

// validID reports whether an id can be used in the names of documents and folders.
func validID(id string) bool {
	if id == "" || len(id) > 80 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// Check returns an error if an id cannot be used in the names of documents and folders;
// what says what the id identifies.
func Check(what, id string) error {
	if !validID(id) {
		return fmt.Errorf("chat: %q is no id of a %s: it has 1 to 80 characters of A-Z a-z 0-9 _ and -: %w", id, what, llm.ErrInvalid)
	}
	return nil
}

// Time returns the time at which an id was created; ok is false if the id was not created
// by [New] with this prefix.
func Time(prefix, id string) (at time.Time, ok bool) {
	text, found := strings.CutPrefix(id, prefix)
	if !found || len(text) != 26 {
		return time.Time{}, false
	}
	ms := int64(0)
	for i := range len(text) {
		n := strings.IndexByte(idAlphabet, text[i])
		if n < 0 {
			return time.Time{}, false
		}
		if i < 10 { // 50 bits, of which the first two are 0
			ms = ms<<5 | int64(n)
		}
	}
	return time.UnixMilli(ms), ms < 1<<48
}
