package sqlstore

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass"
)

// A key is stored as text, so that a person can read it. PostgreSQL can't store the
// character U+0000, so it becomes two characters, and U+0001 too. The order of the bytes
// stays the same.
var (
	escaper   = strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02")
	unescaper = strings.NewReplacer("\x01\x01", "\x00", "\x01\x02", "\x01")
)

func escape(key string) string   { return escaper.Replace(key) }
func unescape(key string) string { return unescaper.Replace(key) }

// keyRange is the range of stored keys from low, inclusive, to high, exclusive.
type keyRange struct {
	low, high string
	unbounded bool // without high
}

// rangeOf returns the range of the keys that a listing selects, after the key after in the
// direction of the listing.
func rangeOf(opts localpass.ListOptions) keyRange {
	r := keyRange{low: opts.Prefix}
	r.high, r.unbounded = behind(opts.Prefix)
	switch {
	case opts.After == "":
	case opts.Reverse:
		if r.unbounded || opts.After < r.high {
			r.high, r.unbounded = opts.After, false
		}
	default:
		r.low = max(r.low, opts.After+"\x00")
	}
	low, none := ceiling(r.low)
	if none { // no key is as large
		return keyRange{}
	}
	r.low = escape(low)
	if !r.unbounded {
		r.high, r.unbounded = ceiling(r.high)
		r.high = escape(r.high)
	}
	return r
}

// behind returns the least string of bytes that is greater than all that begin with prefix.
func behind(prefix string) (after string, none bool) {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1}), false
		}
	}
	return "", true
}

// ceiling returns the least text in valid UTF-8 that is not less than s, which may be any
// bytes. PostgreSQL takes nothing else.
func ceiling(s string) (text string, none bool) {
	for {
		n := validLength(s)
		if n == len(s) {
			return s, false
		}
		rest := s[n:]
		if r := sort.Search(utf8.MaxRune+1, func(r int) bool { return string(character(r)) >= rest }); r <= utf8.MaxRune {
			return s[:n] + string(character(r)), false
		}
		if s, none = behind(s[:n]); none {
			return "", true
		}
	}
}

// character returns the character with the number r. The surrogates, which have none, count
// as the next one.
func character(r int) rune {
	if r >= 0xd800 && r < 0xe000 {
		return 0xe000
	}
	return rune(r)
}

// validLength returns the length of the longest beginning of s in valid UTF-8.
func validLength(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}
