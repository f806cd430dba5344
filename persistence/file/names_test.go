package file_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/persistencetest"
)

func TestEncodeName(t *testing.T) {
	for key, want := range map[string]string{
		"json_path-query.v2":          "json_path-query.v2",
		"Hello":                       "+hello",
		"01ARZ":                       "01+a+r+z",
		"a/b":                         "a%2fb",
		"..":                          "%2e%2e",
		"...":                         "%2e.%2e",
		".hidden":                     "%2ehidden",
		"ends.":                       "ends%2e",
		"-rf":                         "%2drf",
		"con":                         "%63on",
		"con.txt":                     "%63on.txt",
		"CON":                         "+c+o+n",
		"com1":                        "%63om1",
		"lpt9.x.y":                    "%6cpt9.x.y",
		"com":                         "com",
		"com10":                       "com10",
		"console":                     "console",
		"a b":                         "a%20b",
		"%2f+":                        "%252f%2b",
		"é":                           "%c3%a9",
		"\x00":                        "%00",
		strings.Repeat("k", 120):      strings.Repeat("k", 120),
		strings.Repeat("k", 121):      strings.Repeat("k", 40) + "%%" + "e1dc711c0d13b6cdd1b9b9e4cdcf2d83a81a22ee9fe1de4bd1bf3b2acc1ce5a4",
		strings.Repeat("K", 60):       strings.Repeat("+k", 60),
		"é" + strings.Repeat("/", 50): "",
	} {
		got := file.EncodeName(key)
		if want == "" || strings.Contains(want, "%%") {
			assert.Regexp(t, `^.{40,43}%%[0-9a-f]{64}$`, got)
			key2, hashed, ok := file.FileKey(got + ".json")
			assert.True(t, ok && hashed)
			assert.Empty(t, key2)
			continue
		}
		assert.Equal(t, want, got, "%q", key)
		back, ok := file.DecodeName(got)
		assert.True(t, ok, "%q", key)
		assert.Equal(t, key, back)
	}
}

func TestNamesAreApart(t *testing.T) {
	seen := map[string]string{}
	for _, key := range persistencetest.HostileKeys() {
		checkName(t, key)
		folded := strings.ToLower(file.EncodeName(key))
		require.NotContains(t, seen, folded, "%q and %q", key, seen[folded])
		seen[folded] = key
	}
}

// checkName checks that a file name is valid on every system.
func checkName(t *testing.T, key string) {
	t.Helper()
	name := file.EncodeName(key)
	require.Regexp(t, `^[a-z0-9_%+][a-z0-9._%+-]*$`, name, "%q", key)
	require.LessOrEqual(t, len(name), 120, "%q", key)
	require.NotEqual(t, byte('.'), name[len(name)-1], "%q", key)
	base, _, _ := strings.Cut(name, ".")
	for _, reserved := range []string{"con", "prn", "aux", "nul", "com0", "com1", "com9", "lpt0", "lpt1", "lpt9"} {
		require.NotEqual(t, reserved, base, "%q", key)
	}
	back, hashed, ok := file.FileKey(name + ".json")
	require.True(t, ok, "%q", key)
	if !hashed {
		require.Equal(t, key, back)
	}
}

func TestForeignNames(t *testing.T) {
	for _, name := range []string{"", ".json", "a", "a.JSON", "A.json", ".a.json", "%41.json", "%2F.json", "+.json", "a+.json", "+1.json", "%.json", "%4.json", "%zz.json", "con.json", "-a.json", "a..json", "%%.json", "a%%00.json"} {
		_, _, ok := file.FileKey(name)
		assert.False(t, ok, name)
	}
}

func TestSegmentNames(t *testing.T) {
	at := time.Date(2026, 11, 21, 11, 19, 0, 123456789, time.UTC)
	assert.Equal(t, "20261121t111900.123456z-00c0ffee.log", file.SegmentName(at, 0xc0ffee))
	assert.Less(t, file.SegmentName(at, 1<<31), file.SegmentName(at.Add(time.Microsecond), 0))
	assert.True(t, file.IsSegment(file.SegmentName(at, 1)))
}
