package file_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
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

// warnings collects what a store reports.
type warnings struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *warnings) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Split(strings.TrimSuffix(w.text.String(), "\n"), "\n")
}

func (w *warnings) options() *file.Options {
	return &file.Options{Logger: slog.New(slog.NewTextHandler(w, nil))}
}

func glob(t *testing.T, parts ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(parts...))
	require.NoError(t, err)
	return found
}

func TestLayout(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	doc := put(t, store, "Tools", "json/Query", "{\"z\": 1.0, \"a\": [true, {}],\"s\":\"<\u2028\"}")
	b, err := os.ReadFile(filepath.Join(dir, "+tools", "json%2f+query.json"))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf(`{
  "key": "json/Query",
  "version": %d,
  "updated": %q,
  "data": {
    "z": 1.0,
    "a": [
      true,
      {}
    ],
    "s": "<%s"
  }
}
`, doc.Version, doc.Updated.Format("2006-01-02T15:04:05.999999999Z"), "\u2028"), string(b))
	if os.PathSeparator == '/' {
		for path, mode := range map[string]os.FileMode{"+tools": 0o700, "+tools/json%2f+query.json": 0o600, "+tools/.lock": 0o600} {
			info, err := os.Stat(filepath.Join(dir, path))
			require.NoError(t, err)
			assert.Equal(t, mode, info.Mode().Perm(), path)
		}
	}

	require.NoError(t, store.Append(t.Context(), "audit", json.RawMessage("{ \"a\": 1 }")))
	segments := glob(t, dir, "_logs", "audit", "*.log")
	require.Len(t, segments, 1)
	b, err = os.ReadFile(segments[0])
	require.NoError(t, err)
	assert.Regexp(t, `^\{"crc":"[0-9a-f]{8}","time":"[0-9T:.-]{26}Z","data":\{"a":1\}\}`+"\n$", string(b))

	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	put(t, store, "Tools", "deep", deep)
	info, err := os.Stat(filepath.Join(dir, "+tools", "deep.json"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(20_000), "indenting deep data would cost the square of its depth")
	assert.Equal(t, deep, value(t, store, "Tools", "deep"))
}

func TestEditedByHand(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "k", "1")
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "c", "k.json"), []byte(text), 0o600))
	}
	write(`{"data": {"x" : 1.50}, "note": {"a": ["\"}"]}, "updated": "2026-01-02T03:04:05+01:00", "version": 17, "key": "\u006b"}`)
	doc, err := store.Get(t.Context(), "c", "k")
	require.NoError(t, err)
	assert.Equal(t, `{"x":1.50}`, string(doc.Data))
	assert.Equal(t, int64(17), doc.Version)
	assert.Equal(t, "2026-01-02T02:04:05Z", doc.Updated.Format("2006-01-02T15:04:05Z07:00"))
	_, err = store.Put(t.Context(), "c", "k", localpass.Document{Version: 17, Data: json.RawMessage("2")})
	require.NoError(t, err)

	// The members stand after long data.
	write(`{"data": "` + strings.Repeat("x", 20_000) + `", "updated": "2026-01-02T03:04:05Z", "version": 18, "key": "k"}`)
	_, err = store.Put(t.Context(), "c", "k", localpass.Document{Version: 17, Data: json.RawMessage("2")})
	require.ErrorIs(t, err, localpass.ErrConflict)
	_, err = store.Put(t.Context(), "c", "k", localpass.Document{Version: 18, Data: json.RawMessage("2")})
	require.NoError(t, err)
}

func TestDamagedDocuments(t *testing.T) {
	const good = `{"key":"k","version":5,"updated":"2026-01-02T03:04:05Z","data":1}`
	cases := map[string]string{
		"empty":           "",
		"zeros":           strings.Repeat("\x00", 100),
		"cut":             good[:len(good)-8],
		"cut in data":     `{"key":"k","version":5,"updated":"2026-01-02T03:04:05Z","data":{"a":`,
		"not JSON":        "hello",
		"array":           "[" + good + "]",
		"two":             good + good,
		"bad data":        `{"key":"k","version":5,"updated":"2026-01-02T03:04:05Z","data":{x}}`,
		"bad UTF-8":       `{"key":"k","version":5,"updated":"2026-01-02T03:04:05Z","data":"` + "\xff" + `"}`,
		"no data":         `{"key":"k","version":5,"updated":"2026-01-02T03:04:05Z"}`,
		"no version":      `{"key":"k","updated":"2026-01-02T03:04:05Z","data":1}`,
		"bad version":     `{"key":"k","version":0,"updated":"2026-01-02T03:04:05Z","data":1}`,
		"huge version":    `{"key":"k","version":9223372036854775807,"updated":"2026-01-02T03:04:05Z","data":1}`,
		"version twice":   `{"key":"k","version":5,"version":6,"updated":"2026-01-02T03:04:05Z","data":1}`,
		"bad time":        `{"key":"k","version":5,"updated":"yesterday","data":1}`,
		"time no string":  `{"key":"k","version":5,"updated":7,"data":1}`,
		"bad key":         `{"key":7,"version":5,"updated":"2026-01-02T03:04:05Z","data":1}`,
		"another's":       strings.Replace(good, `"k"`, `"other"`, 1),
		"string not over": `{"key":"k`,
		"no colon":        `{"key" "k"}`,
		"no value":        `{"key":}`,
		"no comma":        `{"key":"k" "version":5}`,
		"comma":           good[:len(good)-1] + ",}",
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var reported warnings
			store := openIn(t, dir, reported.options())
			put(t, store, "c", "a", "1")
			put(t, store, "c", "z", "2")
			damage := func() {
				writeEarlier(t, filepath.Join(dir, "c", "k.json"), content)
			}
			aside := func() int { return len(glob(t, dir, "c", "k.json.corrupt-*")) }

			damage()
			assert.Equal(t, map[string]string{"a": "1", "z": "2"}, list(t, store, "c"), "it does not hide the others")
			assert.Equal(t, 1, aside())
			require.Len(t, reported.lines(), 1)
			assert.Contains(t, reported.lines()[0], filepath.Join(dir, "c", "k.json"))

			damage()
			_, err := store.Get(t.Context(), "c", "k")
			require.ErrorIs(t, err, localpass.ErrNotFound)
			require.ErrorIs(t, err, file.ErrCorrupt)
			assert.Equal(t, 2, aside())
			_, err = store.Get(t.Context(), "c", "k")
			require.ErrorIs(t, err, localpass.ErrNotFound)
			require.NotErrorIs(t, err, file.ErrCorrupt)

			doc, err := store.Put(t.Context(), "c", "k", localpass.Document{Data: json.RawMessage("3")})
			require.NoError(t, err)
			assert.Greater(t, doc.Version, int64(5))
			assert.Equal(t, "3", value(t, store, "c", "k"))

			damage()
			again := put(t, store, "c", "k", "4")
			assert.Greater(t, again.Version, doc.Version)
			assert.Equal(t, "4", value(t, store, "c", "k"))
			b, err := os.ReadFile(glob(t, dir, "c", "k.json.corrupt-*")[0])
			require.NoError(t, err)
			assert.Equal(t, content, string(b), "nothing is lost")
		})
	}
}

func TestDamagedLongKey(t *testing.T) {
	// If the file name is a hash, only the file contains the key.
	dir := t.TempDir()
	var reported warnings
	store := openIn(t, dir, reported.options())
	long := strings.Repeat("k", 500)
	put(t, store, "c", long, "1")
	put(t, store, "c", "a", "1")
	path := filepath.Join(dir, "c", file.EncodeName(long)+".json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	for _, content := range []string{"", string(bytes.Replace(whole, []byte(long), []byte("other"), 1))} {
		writeEarlier(t, path, content)
		assert.Equal(t, map[string]string{"a": "1"}, list(t, store, "c"))
	}
	assert.NotEmpty(t, reported.lines()[0])
	_, err = store.Get(t.Context(), "c", long)
	require.ErrorIs(t, err, file.ErrCorrupt)
	put(t, store, "c", long, "2")
	assert.Equal(t, map[string]string{"a": "1", long: "2"}, list(t, store, "c"))
}

func TestForeignFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "k", "1")
	foreign := []string{"README.md", "Q.json", "%4b.json", "%6b.json", "q.JSON", ".json", ".hidden.json", "+1.json", "%zz.json", "a+.json", "a%2.json", "k.json.corrupt-x", "k.json~", "é.json"}
	for _, name := range foreign {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "c", name), []byte("mine"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c", "folder.json"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "localpass.json"), []byte("{}"), 0o600))
	assert.Equal(t, map[string]string{"k": "1"}, list(t, store, "c"), "nor does a directory hide the others")
	for _, name := range foreign {
		assert.FileExists(t, filepath.Join(dir, "c", name))
	}
	_, err := store.Get(t.Context(), "c", "folder")
	require.Error(t, err)
	assert.NotErrorIs(t, err, localpass.ErrNotFound)
	_, err = store.Put(t.Context(), "c", "folder", localpass.Document{Data: json.RawMessage("1")})
	assert.Error(t, err)
}

func TestSetAsideFails(t *testing.T) {
	// As on a read-only disk, the file stays, and the other documents are read.
	dir := t.TempDir()
	var reported warnings
	store, s := openSteps(t, dir, reported.options())
	put(t, store, "c", "a", "1")
	path := filepath.Join(dir, "c", "k.json")
	require.NoError(t, os.WriteFile(path, []byte("damaged"), 0o600))
	s.set(func(call, _ string) error {
		if call == "rename" {
			return syscall.EROFS
		}
		return nil
	})
	for range 3 {
		assert.Equal(t, map[string]string{"a": "1"}, list(t, store, "c"))
	}
	_, err := store.Get(t.Context(), "c", "k")
	assert.ErrorIs(t, err, file.ErrCorrupt)
	_, err = store.Put(t.Context(), "c", "k", localpass.Document{Data: json.RawMessage("1")})
	assert.ErrorIs(t, err, localpass.ErrReadOnly)
	s.set(func(string, string) error { return syscall.EROFS })
	_, err = store.Get(t.Context(), "c", "k")
	assert.ErrorIs(t, err, file.ErrCorrupt)
	assert.FileExists(t, path)
	assert.Len(t, reported.lines(), 1, "the same thing is reported once")
}

// leaveJournal writes the journal of a batch whose documents are not written, as after a
// crash.
func leaveJournal(t *testing.T, dir string, ops ...localpass.Op) {
	t.Helper()
	store, s := openSteps(t, dir, nil)
	s.set(func(call, path string) error {
		if call == "rename" && filepath.Base(path) != "journal" || call == "remove" {
			return syscall.EIO
		}
		return nil
	})
	_, err := store.Batch(t.Context(), ops...)
	require.NoError(t, err, "a batch with a journal is complete")
	require.FileExists(t, filepath.Join(dir, "_batch", "journal"))
}

func TestReadersSeeTheJournal(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "changed", `"old"`)
	put(t, store, "c", "deleted", `"old"`)
	put(t, store, "other", "k", `"old"`)
	leaveJournal(t, dir, putOp("c", "changed", `"new"`), localpass.Op{Collection: "c", Key: "deleted", Version: localpass.AnyVersion, Delete: true}, putOp("d", "made", `"new"`))

	assert.Equal(t, `"new"`, value(t, store, "c", "changed"))
	assert.Empty(t, value(t, store, "c", "deleted"))
	assert.Equal(t, `"new"`, value(t, store, "d", "made"))
	assert.Equal(t, map[string]string{"changed": `"new"`}, list(t, store, "c"))
	assert.Equal(t, map[string]string{"made": `"new"`}, list(t, store, "d"))
	assert.FileExists(t, filepath.Join(dir, "_batch", "journal"), "readers only read")

	put(t, store, "other", "k", `"new"`)
	assert.FileExists(t, filepath.Join(dir, "_batch", "journal"), "a write elsewhere need not care")

	before, err := store.Get(t.Context(), "c", "changed")
	require.NoError(t, err)
	after := put(t, store, "c", "changed", `"newer"`)
	assert.Greater(t, after.Version, before.Version)
	assert.NoFileExists(t, filepath.Join(dir, "_batch", "journal"), "a write to one of its collections finishes it")
	assert.Equal(t, map[string]string{"changed": `"newer"`}, list(t, store, "c"))
	assert.Equal(t, map[string]string{"made": `"new"`}, list(t, store, "d"))

	leaveJournal(t, dir, putOp("c", "a", "1"), putOp("d", "a", "1"))
	openIn(t, dir, nil)
	assert.NoFileExists(t, filepath.Join(dir, "_batch", "journal"), "so does opening the store")
	assert.Equal(t, "1", value(t, store, "d", "a"))

	leaveJournal(t, dir, putOp("c", "a", "2"), putOp("d", "a", "2"))
	_, err = store.Batch(t.Context(), putOp("e", "a", "3"), putOp("f", "a", "3"))
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(dir, "_batch", "journal"), "and any other batch")
	assert.Equal(t, "2", value(t, store, "d", "a"))
}

func TestJournalThatComesBack(t *testing.T) {
	// If the removal of a journal is lost, later writes must not be undone.
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "gone", `"old"`)
	leaveJournal(t, dir, putOp("c", "a", `"batch"`), putOp("c", "gone", `"batch"`), putOp("d", "a", `"batch"`))
	journal := filepath.Join(dir, "_batch", "journal")
	saved, err := os.ReadFile(journal)
	require.NoError(t, err)
	put(t, store, "c", "a", `"later"`)
	require.NoError(t, store.Delete(t.Context(), "c", "gone"))
	require.NoError(t, os.WriteFile(journal, saved, 0o600))

	store = openIn(t, dir, nil)
	assert.NoFileExists(t, journal)
	assert.Equal(t, map[string]string{"a": `"later"`}, list(t, store, "c"))
	assert.Equal(t, map[string]string{"a": `"batch"`}, list(t, store, "d"))
}

func TestDamagedJournal(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "not JSON": "hello\n", "zeros": strings.Repeat("\x00", 512), "cut": "", "changed": "",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var reported warnings
			store := openIn(t, dir, reported.options())
			put(t, store, "c", "k", `"old"`)
			leaveJournal(t, dir, putOp("c", "k", `"new"`), putOp("d", "k", `"new"`))
			journal := filepath.Join(dir, "_batch", "journal")
			b, err := os.ReadFile(journal)
			require.NoError(t, err)
			switch name {
			case "cut":
				b = b[:bytes.IndexByte(b, '\n')+1]
			case "changed":
				b = bytes.Replace(b, []byte("new"), []byte("fan"), 1)
			default:
				b = []byte(content)
			}
			require.NoError(t, os.WriteFile(journal, b, 0o600))

			assert.Equal(t, `"old"`, value(t, store, "c", "k"), "readers go on without it")
			assert.Equal(t, map[string]string{"k": `"old"`}, list(t, store, "c"))
			put(t, store, "c", "k", `"newer"`)
			assert.NoFileExists(t, journal)
			assert.Len(t, glob(t, dir, "_batch", "journal.corrupt-*"), 1)
			require.Len(t, reported.lines(), 1)
			assert.Contains(t, reported.lines()[0], journal)
			assert.Equal(t, `"newer"`, value(t, store, "c", "k"))

			require.NoError(t, os.WriteFile(journal, b, 0o600))
			openIn(t, dir, reported.options())
			assert.NoFileExists(t, journal)
		})
	}
}

func TestJournalThatCanNotBeRead(t *testing.T) {
	// Unlike a damaged journal, it may contain a batch, so no writer may continue without
	// it.
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "k", "1")
	journal := filepath.Join(dir, "_batch", "journal")
	require.NoError(t, os.MkdirAll(journal, 0o700)) // reading a directory is an error of the disk
	_, err := store.Get(t.Context(), "c", "k")
	require.ErrorContains(t, err, "journal")
	for _, err := range store.List(t.Context(), "c", localpass.ListOptions{}) {
		require.ErrorContains(t, err, "journal")
	}
	_, err = store.Put(t.Context(), "c", "k", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage("2")})
	require.ErrorContains(t, err, "journal")
	openIn(t, dir, nil)
	assert.DirExists(t, journal)
}

func osReadFile(parts ...string) ([]byte, error) { return os.ReadFile(filepath.Join(parts...)) }

// writeEarlier writes a file with an earlier modification time.
func writeEarlier(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	earlier := time.Now().Add(-time.Minute)
	require.NoError(t, os.Chtimes(path, earlier, earlier))
}

// If an editor writes a document in place, a store that reads the incomplete file does
// not move it, and finds the document when it is complete.
func TestEditorThatWritesInPlace(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "k", `"old"`)
	path := filepath.Join(dir, "c", "k.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	edited := strings.Replace(string(text), "old", "new", 1)

	editor, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(t, err)
	defer editor.Close()
	got := make(chan error, 1)
	for piece := range slices.Chunk([]byte(edited), len(edited)/4) {
		_, err := editor.Write(piece)
		require.NoError(t, err)
		go func() {
			_, err := store.Get(t.Context(), "c", "k")
			got <- err
		}()
	}
	require.NoError(t, editor.Close())
	for range len(slices.Collect(slices.Chunk([]byte(edited), len(edited)/4))) {
		if err := <-got; err != nil {
			assert.ErrorIs(t, err, file.ErrCorrupt)
		}
	}
	assert.Empty(t, glob(t, dir, "c", "*.corrupt-*"))
	assert.Equal(t, `"new"`, value(t, store, "c", "k"))
}

// A file that stays damaged is moved when it no longer changes.
func TestDamageIsMovedOnceItRests(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	put(t, store, "c", "k", "1")
	path := filepath.Join(dir, "c", "k.json")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.Get(ctx, "c", "k")
	require.ErrorIs(t, err, context.Canceled)
	assert.FileExists(t, path)
	_, err = store.Get(t.Context(), "c", "k")
	require.ErrorIs(t, err, file.ErrCorrupt)
	assert.NoFileExists(t, path)
	assert.Len(t, glob(t, dir, "c", "k.json.corrupt-*"), 1)
}
