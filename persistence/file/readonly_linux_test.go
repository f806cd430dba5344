package file_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
)

// withoutRights runs a part of a test as a user who owns none of its files. Only the
// thread changes its user, and it ends with the part.
func withoutRights(t *testing.T, part func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		part() // the modes of the files are enough
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked, so that the thread goes
		const nobody = 65534
		syscall.RawSyscall(syscall.SYS_SETFSGID, nobody, 0, 0)
		syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		part()
	}()
	<-done
}

// share lets every user read below dir, and only root write.
func share(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o755)) // of t.TempDir
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	}))
	t.Cleanup(func() { // so that it can be removed
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
			if d.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
	})
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	writer := openIn(t, dir, nil)
	put(t, writer, "c", "k", "1")
	put(t, writer, "c", "secret", "1")
	appendTo(t, writer, "l", "1")
	appendTo(t, writer, "secret", "1")
	leaveJournal(t, dir, putOp("c", "a", "2"), putOp("d", "a", "2"))
	damaged := filepath.Join(dir, "c", "x.json")
	require.NoError(t, os.WriteFile(damaged, []byte("damaged"), 0o600))
	require.NoError(t, writer.Close())
	share(t, dir)
	secret := filepath.Join(dir, "c", "secret.json")
	require.NoError(t, os.Chmod(secret, 0))
	require.NoError(t, os.Chmod(segment(t, dir, "secret"), 0))

	withoutRights(t, func() {
		var reported warnings
		store, err := file.Open(dir, reported.options())
		if !assert.NoError(t, err) {
			return
		}
		defer store.Close()
		ctx := t.Context()

		got := map[string]string{}
		for doc, err := range store.List(ctx, "c", localpass.ListOptions{}) {
			assert.NoError(t, err)
			got[doc.Key] = string(doc.Data)
		}
		assert.Equal(t, map[string]string{"k": "1", "a": "2"}, got, "the journal is read in its place")
		doc, err := store.Get(ctx, "d", "a")
		assert.NoError(t, err)
		assert.Equal(t, "2", string(doc.Data))
		_, err = store.Get(ctx, "c", "secret")
		assert.ErrorIs(t, err, fs.ErrPermission)
		assert.NotErrorIs(t, err, localpass.ErrNotFound)
		_, err = store.Get(ctx, "c", "x")
		assert.ErrorIs(t, err, file.ErrCorrupt)
		assert.FileExists(t, damaged)
		text := reported.text.String()
		for _, part := range []string{secret, damaged, "journal"} {
			assert.Contains(t, text, part)
		}

		n := 0
		for record, err := range store.Records(ctx, "l", localpass.LogOptions{}) {
			assert.NoError(t, err)
			assert.Equal(t, "1", string(record.Data))
			n++
		}
		assert.Equal(t, 1, n)
		for _, err := range store.Records(ctx, "secret", localpass.LogOptions{}) {
			assert.ErrorIs(t, err, fs.ErrPermission)
		}

		one := json.RawMessage("1")
		_, err = store.Put(ctx, "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: one})
		assert.ErrorIs(t, err, localpass.ErrReadOnly)
		assert.ErrorContains(t, err, dir)
		_, err = store.Put(ctx, "new", "k", localpass.Document{Data: one})
		assert.ErrorIs(t, err, localpass.ErrReadOnly)
		assert.ErrorIs(t, store.Delete(ctx, "c", "k"), localpass.ErrReadOnly)
		_, err = store.Batch(ctx, putOp("c", "k", "1"), putOp("new", "k", "1"))
		assert.ErrorIs(t, err, localpass.ErrReadOnly)
		for _, log := range []string{"l", "new"} {
			err = store.Append(ctx, log, one)
			assert.ErrorIs(t, err, localpass.ErrReadOnly)
			assert.ErrorContains(t, err, dir)
		}
		watching, cancel := context.WithCancel(ctx)
		cancel()
		for _, err := range store.Watch(watching, "c") {
			assert.ErrorIs(t, err, context.Canceled)
		}

		_, err = file.Open(filepath.Join(dir, "new"), nil)
		assert.ErrorIs(t, err, fs.ErrPermission)
		assert.ErrorContains(t, err, filepath.Join(dir, "new"))
	})

	require.NoError(t, os.Chmod(dir, 0))
	withoutRights(t, func() {
		_, err := file.Open(dir, nil)
		assert.ErrorIs(t, err, fs.ErrPermission)
		assert.ErrorContains(t, err, dir)
	})
	require.NoError(t, os.Chmod(dir, 0o700))
}
