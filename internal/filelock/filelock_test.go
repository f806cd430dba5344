package filelock_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/filelock"
)

// A lock belongs to one open file, and ends with it.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	open := func() *os.File {
		f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	lock := func(f *os.File) bool {
		got, err := filelock.Try(f)
		require.NoError(t, err)
		return got
	}
	first, second := open(), open()
	require.True(t, lock(first))
	assert.False(t, lock(second))
	filelock.Release(first)
	require.NoError(t, first.Close())
	assert.True(t, lock(second))

	require.NoError(t, second.Close())
	_, err := filelock.Try(second)
	assert.Error(t, err)
	assert.False(t, filelock.WriteProtected(err))
}

func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, filelock.SyncDir(dir))
	if err := filelock.SyncDir(filepath.Join(dir, "missing")); err != nil {
		assert.True(t, errors.Is(err, fs.ErrNotExist))
	}
}
