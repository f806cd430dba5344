package persistencetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

// HostileKeys returns valid keys that naive engines confuse, lose or write to a wrong
// place: separators, dots, control characters, pairs that differ only in case or Unicode
// composition, names that some systems reserve, and keys of the maximum length. All of
// them can be in one collection.
func HostileKeys() []string {
	long := strings.Repeat("k", localpass.MaxKey)
	return []string{
		"a", "A", "b", "aa", "aA", "Aa", "AA", // pairs that differ in case
		"ä", "a\u0308", "Ä", "ß", "ss", "ı", "i", "I", "İ", // pairs that differ in composition, and unusual case rules
		".", "..", "...", ".a", "a.", "a..", "..a", "a.json", "a.json.json", ".json", "a.tmp", ".lock", ".tmp-1", // dots
		"/", "//", "/a", "a/", "a/b", "../a", "../../etc/passwd", "a/../b", "./a", `\`, `a\b`, `..\a`, "C:", `C:\a`, "a:b", // separators
		"con", "CON", "Con", "con.txt", "nul", "nul.json", "aux", "prn", "com1", "com1.a.b", "lpt9", "COM¹", "con ", "conin$", // reserved on Windows
		" ", "  ", " a", "a ", "\t", "\n", "a\nb", "\r\n", "\x00", "a\x00b", "\x00a", "\x01", "\x1f", "\x7f", "\u0080", // white space, control
		"*", "?", "<", ">", "|", `"`, "'", "`", "$HOME", "%", "%%", "%2f", "%2F", "%61", "+", "+a", "++", "~", "~1", "=", "!", "#", "&", ";", "@", "^", "[", "{", // special to shells and encodings
		"-", "-rf", "--", "_", "__", "_a", "_logs", "_batch", "logs", "NaN", "null", "true", "0", "00", "-0", "1e3", // special to command-line tools
		"日本語", "😀", "👩‍👩‍👧", "\u202e", "\u2028", "\ufeff", "\ufffd", "\U0010ffff", "é", // not ASCII
		long, long[:1023], long[:1023] + "K", strings.Repeat("K", 1024), strings.Repeat("/", 1024), // long
		strings.Repeat("é", 512), strings.Repeat("😀", 256), strings.Repeat("\x00", 1024), strings.Repeat(".", 1024),
		long[:100], long[:120], long[:121], long[:200], long[:240], long[:250], long[:255], long[:256], strings.Repeat("%", 60), strings.Repeat("A", 60),
	}
}

func (s *suite) names(t *testing.T) {
	t.Run("Keys", func(t *testing.T) {
		store := s.open(t)
		all := HostileKeys()
		made := map[string]localpass.Document{}
		for i, key := range all {
			require.NotContains(t, made, key, "the list names %q twice", key)
			made[key] = put(t, store, "keys", key, localpass.NoVersion, fmt.Sprint(i))
		}
		check := func(store localpass.Persistence) {
			for i, key := range all {
				got := get(t, store, "keys", key)
				same(t, made[key], got)
				assert.Equal(t, fmt.Sprint(i), compact(got.Data), "key %q", key)
			}
			assert.Equal(t, slices.Sorted(slices.Values(all)), keys(t, store, "keys", localpass.ListOptions{}), "in the order of their bytes")
		}
		check(store)
		if s.Reopen != nil {
			store = s.reopen(t, store)
			check(store)
		}
		for i, key := range all {
			require.NoError(t, store.Delete(t.Context(), "keys", key), "key %q", key)
			missing(t, store, "keys", key)
			if i+1 < len(all) {
				get(t, store, "keys", all[i+1])
			}
		}
		assert.Empty(t, keys(t, store, "keys", localpass.ListOptions{}))
	})

	t.Run("BadKeys", func(t *testing.T) {
		store := s.open(t)
		for name, key := range map[string]string{
			"empty": "", "too long": strings.Repeat("k", localpass.MaxKey+1), "too long in bytes": strings.Repeat("é", localpass.MaxKey/2+1),
			"not UTF-8": "a\xffb", "cut UTF-8": "\xc3", "surrogate": "\xed\xa0\x80",
		} {
			require.Error(t, localpass.CheckKey(key), "the list of bad keys has a good one: %s", name)
			refused := func(err error) {
				t.Helper()
				require.Error(t, err, name)
				assert.NotErrorIs(t, err, localpass.ErrNotFound, name)
				assert.NotErrorIs(t, err, localpass.ErrConflict, name)
			}
			_, err := store.Get(t.Context(), "keys", key)
			refused(err)
			_, err = store.Put(t.Context(), "keys", key, doc(localpass.AnyVersion, "1"))
			refused(err)
			refused(store.Delete(t.Context(), "keys", key))
		}
		_, err := store.Put(t.Context(), "keys", "a", doc(-2, "1"))
		require.Error(t, err, "version -2")
		assert.NotErrorIs(t, err, localpass.ErrConflict, "no document can have version -2")
		assert.Empty(t, keys(t, store, "keys", localpass.ListOptions{}))
	})

	t.Run("Collections", func(t *testing.T) {
		store := s.open(t)
		names := []string{
			"a", "A", "aa", "aA", "0", "a.", "a..", "a.b", "a-b", "a_b", "a_", "a-", "logs", "LOGS", "con", "CON", "nul", "com1", "aux.txt",
			"batch", "journal", "tmp", "lock", "select", "table", strings.Repeat("x", localpass.MaxCollection), strings.Repeat("X", localpass.MaxCollection),
		}
		for i, name := range names {
			put(t, store, name, "k", localpass.NoVersion, fmt.Sprint(i))
		}
		for i, name := range names {
			assert.Equal(t, fmt.Sprint(i), compact(get(t, store, name, "k").Data), name)
			assert.Equal(t, []string{"k"}, keys(t, store, name, localpass.ListOptions{}), name)
		}
		assert.Empty(t, keys(t, store, "never-used", localpass.ListOptions{}))
	})

	t.Run("BadCollections", func(t *testing.T) {
		store := s.open(t)
		for _, name := range []string{"", ".", "..", ".a", "_a", "-a", "a/b", "../a", `a\b`, "a b", "é", "a\x00", "a:b", "a%", strings.Repeat("x", localpass.MaxCollection+1)} {
			require.Error(t, localpass.CheckCollection(name), "the list of bad names has the good one %q", name)
			_, err := store.Get(t.Context(), name, "k")
			require.Error(t, err, "%q", name)
			assert.NotErrorIs(t, err, localpass.ErrNotFound, "%q", name)
			_, err = store.Put(t.Context(), name, "k", doc(localpass.NoVersion, "1"))
			assert.Error(t, err, "%q", name)
			assert.Error(t, store.Delete(t.Context(), name, "k"), "%q", name)
			docs, err := list(t.Context(), store, name, localpass.ListOptions{})
			assert.Error(t, err, "%q", name)
			assert.Empty(t, docs)
			if watcher, ok := store.(localpass.Watcher); ok {
				for _, err := range watcher.Watch(t.Context(), name) {
					assert.Error(t, err, "%q", name)
				}
			}
			if log, ok := store.(localpass.Log); ok {
				assert.Error(t, log.Append(t.Context(), name, []byte("1")), "%q", name)
				for _, err := range log.Records(t.Context(), name, localpass.LogOptions{}) {
					assert.Error(t, err, "%q", name)
				}
			}
		}
	})
}
