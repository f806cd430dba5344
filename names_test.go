package localpass_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/memory"
)

// A name of a collection is of few characters, so that any store can hold it.
func TestCheckCollection(t *testing.T) {
	for _, name := range []string{"a", "Z", "0", "notes", "a.b_c-d", "a.", strings.Repeat("x", localpass.MaxCollection)} {
		assert.NoError(t, localpass.CheckCollection(name), name)
	}
	for _, name := range []string{"", ".", "..", "_a", "-a", ".a", "a/b", "a b", "é", "a\x00", strings.Repeat("x", localpass.MaxCollection+1)} {
		assert.ErrorContains(t, localpass.CheckCollection(name), "bad collection name", name)
	}
}

// A key is any text of a bounded length, and the error says what is wrong with another.
func TestCheckKey(t *testing.T) {
	for _, key := range []string{" ", "/", "..", "\x00", "é", strings.Repeat("k", localpass.MaxKey)} {
		assert.NoError(t, localpass.CheckKey(key), key)
	}
	for key, why := range map[string]string{"": "empty", strings.Repeat("k", localpass.MaxKey+1): "1025 bytes", "a\xffb": "UTF-8"} {
		err := localpass.CheckKey(key)
		require.ErrorContains(t, err, why, key)
		assert.Less(t, len(err.Error()), 300, "a long key does not fill the message")
	}
}

// FuzzNames: the checks accept just what they say, and the stores of this module accept
// just what the checks accept.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "notes", "..", "a/b", "é", "a\xff", strings.Repeat("x", 129), strings.Repeat("k", 1025)} {
		f.Add(name, name)
	}
	collection := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	f.Fuzz(func(t *testing.T, name, key string) {
		badName, badKey := localpass.CheckCollection(name), localpass.CheckKey(key)
		assert.Equal(t, collection.MatchString(name) && !strings.HasSuffix(name, "\n"), badName == nil, "%q", name)
		assert.Equal(t, key != "" && len(key) <= 1024 && utf8.ValidString(key), badKey == nil, "%q", key)
		for _, err := range []error{badName, badKey} {
			assert.True(t, err == nil || utf8.ValidString(err.Error()) && len(err.Error()) < 600, "%v", err)
		}
		files, err := file.Open(t.TempDir(), nil)
		require.NoError(t, err)
		defer files.Close()
		for _, store := range []localpass.Persistence{memory.New(), files} {
			_, err := store.Put(t.Context(), name, key, localpass.Document{Data: json.RawMessage("1")})
			assert.Equal(t, badName == nil && badKey == nil, err == nil, "%q, %q: %v", name, key, err)
		}
	})
}
