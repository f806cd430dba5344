package sqlstore

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass"
)

// FuzzRange: the range of stored keys contains exactly the keys that the options select,
// and PostgreSQL takes its ends.
func FuzzRange(f *testing.F) {
	for _, key := range []string{"a", "a\x00b", "\x01", "é", "\U0010ffff", "\ud7ff", "\ue000"} {
		for _, bound := range []string{"", "a", "\x00", "\xff", "\xc3", "a\xf4\x8f", "\xed\xa0", "\xf4\x90", "\x01"} {
			f.Add(key, bound, "", false)
			f.Add(key, "", bound, true)
			f.Add(key, bound, bound, false)
		}
	}
	f.Fuzz(func(t *testing.T, key, prefix, after string, reverse bool) {
		if localpass.CheckKey(key) != nil {
			return
		}
		stored := escape(key)
		assert.Equal(t, key, unescape(stored))
		assert.True(t, utf8.ValidString(stored))
		assert.NotContains(t, stored, "\x00")
		opts := localpass.ListOptions{Prefix: prefix, After: after, Reverse: reverse}
		r := rangeOf(opts)
		assert.True(t, utf8.ValidString(r.low) && utf8.ValidString(r.high))
		assert.NotContains(t, r.low+r.high, "\x00")
		want := strings.HasPrefix(key, prefix)
		if after != "" {
			want = want && (!reverse && key > after || reverse && key < after)
		}
		assert.Equal(t, want, stored >= r.low && (r.unbounded || stored < r.high), "%+v", r)
	})
}

func TestPlaceholders(t *testing.T) {
	assert.Equal(t, "a = ? AND b = ?", placeholders("a = ? AND b = ?", false))
	assert.Equal(t, "a = $1 AND b = $2", placeholders("a = ? AND b = ?", true))
}
