package file_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
)

// steps records the system calls of a store, and can make one fail or wait.
type steps struct {
	mu    sync.Mutex
	calls []string
	hook  func(call, path string) error
}

func (s *steps) step(call, path string) error {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	hook := s.hook
	s.mu.Unlock()
	if hook != nil {
		return hook(call, path)
	}
	return nil
}

// set replaces the hook and removes the recorded calls.
func (s *steps) set(hook func(call, path string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.hook = nil, hook
}

func (s *steps) taken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func openSteps(t *testing.T, dir string, opts *file.Options) (*file.Store, *steps) {
	t.Helper()
	s := &steps{}
	if opts == nil {
		opts = &file.Options{LogFlush: -1} // each step at once
	}
	store, err := file.OpenWithSteps(dir, opts, s.step)
	require.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	return store, s
}

func put(t testing.TB, store *file.Store, collection, key, data string) localpass.Document {
	t.Helper()
	doc, err := store.Put(t.Context(), collection, key, localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(data)})
	require.NoError(t, err)
	return doc
}

// value returns the data of a document, or "" if there is none.
func value(t testing.TB, store *file.Store, collection, key string) string {
	t.Helper()
	doc, err := store.Get(t.Context(), collection, key)
	if errors.Is(err, localpass.ErrNotFound) {
		return ""
	}
	require.NoError(t, err)
	return string(doc.Data)
}

func list(t testing.TB, store *file.Store, collection string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for doc, err := range store.List(t.Context(), collection, localpass.ListOptions{}) {
		require.NoError(t, err)
		all[doc.Key] = string(doc.Data)
	}
	return all
}

func logged(t testing.TB, store *file.Store, log string) []string {
	t.Helper()
	var all []string
	for record, err := range store.Records(t.Context(), log, localpass.LogOptions{}) {
		require.NoError(t, err)
		all = append(all, string(record.Data))
	}
	return all
}

func TestOrderOfFlushes(t *testing.T) {
	// This order of calls makes writes survive a power failure.
	store, s := openSteps(t, t.TempDir(), nil)
	put(t, store, "c", "k", "1")
	_, err := store.Batch(t.Context(), putOp("c", "a", "1"), putOp("d", "a", "1")) // makes the directories
	require.NoError(t, err)
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage("1")))

	s.set(nil)
	put(t, store, "c", "k", "2")
	assert.Equal(t, []string{"open lock", "create", "write", "write the rest", "sync", "rename", "publish", "sync directory"}, s.taken())

	s.set(nil)
	require.NoError(t, store.Delete(t.Context(), "c", "k"))
	assert.Equal(t, []string{"open lock", "remove", "publish", "sync directory"}, s.taken())

	s.set(nil)
	_, err = store.Batch(t.Context(), putOp("c", "a", "2"), localpass.Op{Collection: "d", Key: "a", Version: localpass.AnyVersion, Delete: true})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"open lock", "open lock", "open lock", // of batches, c and d
		"create", "write", "write the rest", "sync", // the document
		"create", "write", "write the rest", "sync", "rename", "sync directory", // the journal
		"rename", "remove", // both documents
		"sync directory", "publish", "sync directory", "publish",
		"remove", "sync directory", // the journal goes
	}, s.taken())

	s.set(nil)
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage("2")))
	assert.Equal(t, []string{"write", "write the rest", "sync"}, s.taken())
}

func putOp(collection, key, data string) localpass.Op {
	return localpass.Op{Collection: collection, Key: key, Version: localpass.AnyVersion, Data: json.RawMessage(data)}
}

// TestFailureAtEveryStep makes each system call of each write fail once. A write that
// returns an error has changed nothing that a reader can see (or everything, if only the
// last flush failed), and the store still works.
func TestFailureAtEveryStep(t *testing.T) {
	writes := map[string]struct {
		write    func(store *file.Store) error
		state    func(store *file.Store) string
		old, new string
	}{
		"put": {
			write: func(store *file.Store) error {
				_, err := store.Put(t.Context(), "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(`"new"`)})
				return err
			},
			state: func(store *file.Store) string { return value(t, store, "c", "k") },
			old:   `"old"`, new: `"new"`,
		},
		"put into a new collection": {
			write: func(store *file.Store) error {
				_, err := store.Put(t.Context(), "n", "k", localpass.Document{Data: json.RawMessage(`"new"`)})
				return err
			},
			state: func(store *file.Store) string { return value(t, store, "n", "k") },
			old:   "", new: `"new"`,
		},
		"delete": {
			write: func(store *file.Store) error { return store.Delete(t.Context(), "c", "k") },
			state: func(store *file.Store) string { return value(t, store, "c", "k") },
			old:   `"old"`, new: "",
		},
		"batch": {
			write: func(store *file.Store) error {
				_, err := store.Batch(t.Context(), putOp("c", "k", `"new"`), putOp("n", "k", `"new"`),
					localpass.Op{Collection: "d", Key: "k", Version: localpass.AnyVersion, Delete: true})
				return err
			},
			state: func(store *file.Store) string {
				return fmt.Sprint(list(t, store, "c"), list(t, store, "d"), list(t, store, "n"))
			},
			old: `map[k:"old"] map[k:"old"] map[]`, new: `map[k:"new"] map[] map[k:"new"]`,
		},
		"append": {
			write: func(store *file.Store) error {
				return store.Append(t.Context(), "l", json.RawMessage(`"first"`), json.RawMessage(`"second"`))
			},
			state: func(store *file.Store) string { return fmt.Sprint(logged(t, store, "l")) },
			old:   `["old"]`, new: `["old" "first" "second"]`,
		},
		"append to a new log": {
			write: func(store *file.Store) error { return store.Append(t.Context(), "m", json.RawMessage(`"new"`)) },
			state: func(store *file.Store) string { return fmt.Sprint(logged(t, store, "m")) },
			old:   "[]", new: `["new"]`,
		},
	}
	for name, w := range writes {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				dir := t.TempDir()
				store, s := openSteps(t, dir, nil)
				put(t, store, "c", "k", `"old"`)
				put(t, store, "d", "k", `"old"`)
				require.NoError(t, store.Append(t.Context(), "l", json.RawMessage(`"old"`)))
				require.Equal(t, w.old, w.state(store))

				count, failed := 0, ""
				s.set(func(call, _ string) error {
					if count++; count == n {
						failed = call
						return syscall.ENOSPC
					}
					return nil
				})
				err := w.write(store)
				s.set(nil)
				other := openIn(t, dir, nil)
				seen := w.state(store)
				require.Equal(t, seen, w.state(other), "step %d, %s", n, failed)
				switch {
				case err == nil:
					require.Equal(t, w.new, seen, "step %d, %s", n, failed)
				case failed == "sync directory":
					require.Contains(t, []string{w.old, w.new}, seen, "step %d, %s", n, failed)
				default:
					require.Equal(t, w.old, seen, "step %d, %s", n, failed)
				}
				if err != nil {
					require.ErrorIs(t, err, syscall.ENOSPC)
					require.Contains(t, err.Error(), dir, "the error names the place")
				}
				if seen == w.old {
					require.NoError(t, w.write(store), "after a failure at step %d, %s", n, failed)
					require.Equal(t, w.new, w.state(other))
				}
				temps, err := filepath.Glob(filepath.Join(dir, "*", ".tmp-*"))
				require.NoError(t, err)
				assert.Empty(t, temps, "step %d, %s", n, failed)
				if failed == "" {
					require.Greater(t, n, 3)
					return
				}
			}
		})
	}
}

func TestReadOnlyErrors(t *testing.T) {
	dir := t.TempDir()
	store, s := openSteps(t, dir, nil)
	put(t, store, "c", "k", "1")
	for _, cause := range []error{syscall.EROFS, syscall.EACCES, syscall.EPERM} {
		s.set(func(string, string) error { return cause })
		_, err := store.Put(t.Context(), "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("2")})
		require.ErrorIs(t, err, localpass.ErrReadOnly)
		assert.ErrorIs(t, err, cause)
		assert.Contains(t, err.Error(), dir)
		assert.ErrorIs(t, store.Delete(t.Context(), "c", "k"), localpass.ErrReadOnly)
		assert.ErrorIs(t, store.Append(t.Context(), "l", json.RawMessage("2")), localpass.ErrReadOnly)
		_, err = store.Batch(t.Context(), putOp("c", "k", "2"), putOp("c", "l", "2"))
		assert.ErrorIs(t, err, localpass.ErrReadOnly)
		assert.Equal(t, "1", value(t, store, "c", "k"))
	}
}

func TestNoSync(t *testing.T) {
	store, _ := openSteps(t, t.TempDir(), &file.Options{NoSync: true})
	put(t, store, "c", "k", "1")
	require.NoError(t, store.Append(t.Context(), "l", json.RawMessage("1")))
	assert.Equal(t, "1", value(t, openIn(t, store.Dir(), nil), "c", "k"))
	assert.Equal(t, []string{"1"}, logged(t, openIn(t, store.Dir(), nil), "l"))
}

func TestStaleTemporaryFilesGo(t *testing.T) {
	dir := t.TempDir()
	put(t, openIn(t, dir, nil), "c", "k", "1")
	leftover := func(name string, age time.Duration) string {
		path := filepath.Join(dir, "c", name)
		require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
		when := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(path, when, when))
		return path
	}
	old, young, foreign := leftover(".tmp-0123", 2*time.Hour), leftover(".tmp-4567", time.Minute), leftover("notes.txt", 2*time.Hour)

	store := openIn(t, dir, nil)
	assert.Equal(t, map[string]string{"k": "1"}, list(t, store, "c"))
	put(t, store, "c", "k", "2")
	assert.NoFileExists(t, old)
	assert.FileExists(t, young, "another process may be writing it")
	assert.FileExists(t, foreign)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))

	_, err := file.Open("", nil)
	assert.ErrorContains(t, err, "no name")
	_, err = file.Open(plain, nil)
	assert.ErrorContains(t, err, plain)
	_, err = file.Open(filepath.Join(plain, "below"), nil)
	assert.ErrorContains(t, err, filepath.Join(plain, "below"))
	_, err = file.Open(filepath.Join(dir, strings.Repeat("x", 300)), nil)
	assert.Error(t, err)
	_, err = file.OpenWithSteps(filepath.Join(dir, "new"), nil, func(string, string) error { return syscall.EACCES })
	assert.ErrorIs(t, err, syscall.EACCES)
	assert.ErrorContains(t, err, filepath.Join(dir, "new"))

	deep := filepath.Join(dir, "a", "b", "c")
	store := openIn(t, deep, nil)
	assert.Equal(t, deep, store.Dir())
	info, err := os.Stat(deep)
	require.NoError(t, err)
	assert.True(t, info.IsDir())
	if os.PathSeparator == '/' {
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
}

func TestDirectoryStaysWhereItWasOpened(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	store := openIn(t, "store", nil)
	t.Chdir(t.TempDir())
	put(t, store, "c", "k", "1")
	assert.FileExists(t, filepath.Join(dir, "store", "c", "k.json"))
}
