package fileid_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/fileid"
)

// An edit that keeps the size and sets the time back is a change all the same.
func TestEditThatKeepsSizeAndTime(t *testing.T) {
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly", "solaris":
	default:
		t.Skip("this system has no time of a change that cannot be set")
	}
	file := filepath.Join(t.TempDir(), "a")
	past := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(name, past, past))
	}
	state := func() fileid.State {
		info, err := os.Stat(file)
		require.NoError(t, err)
		return fileid.Of(info)
	}
	write(file, "one")
	before := state()
	assert.Equal(t, before, state())

	// The time of a change comes from a clock that ticks: it is edited until it shows.
	require.Eventually(t, func() bool { write(file, "two"); return state() != before }, time.Minute, time.Millisecond, "in place")
	before = state()
	write(file+".new", "six")
	require.NoError(t, os.Rename(file+".new", file))
	assert.NotEqual(t, before, state(), "replaced")
}
