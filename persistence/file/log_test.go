package file_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/file"
)

func appendTo(t testing.TB, store *file.Store, log string, records ...string) {
	t.Helper()
	raws := make([]json.RawMessage, len(records))
	for i, r := range records {
		raws[i] = json.RawMessage(r)
	}
	require.NoError(t, store.Append(t.Context(), log, raws...))
}

// segment returns the path of the only segment of a log.
func segment(t *testing.T, dir, log string) string {
	t.Helper()
	found := glob(t, dir, "_logs", log, "*.log")
	require.Len(t, found, 1)
	return found[0]
}

func TestSegmentIsMadeByTheFirstAppend(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	assert.Empty(t, logged(t, store, "l"))
	appendTo(t, store, "l")
	assert.NoDirExists(t, filepath.Join(dir, "_logs"))
	appendTo(t, store, "l", "1")
	appendTo(t, store, "l", "2")
	segment(t, dir, "l")
}

func TestCutTail(t *testing.T) {
	dir := t.TempDir()
	var reported warnings
	store := openIn(t, dir, reported.options())
	appendTo(t, store, "l", "1")
	appendTo(t, store, "l", "2")
	path := segment(t, dir, "l")
	short, err := os.ReadFile(path)
	require.NoError(t, err)
	appendTo(t, store, "l", `"first of three"`, `"second"`, `"third"`)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, store.Close())

	for cut := len(short); cut < len(whole); cut++ {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		store = openIn(t, dir, reported.options())
		require.Equal(t, []string{"1", "2"}, logged(t, store, "l"), "cut at %d of %d", cut, len(whole))
	}
	assert.Equal(t, []string{""}, reported.lines(), "a truncated tail after a crash is no change")

	require.NoError(t, os.WriteFile(path, append(slices.Clone(short), make([]byte, 500)...), 0o600))
	assert.Equal(t, []string{"1", "2"}, logged(t, store, "l"), "zeros, as a loss of power leaves them")
	appendTo(t, store, "l", "4")
	assert.Equal(t, []string{"1", "2", "4"}, logged(t, store, "l"), "the next writer begins a segment of its own")
}

func TestDamageInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	var reported warnings
	store := openIn(t, dir, reported.options())
	appendTo(t, store, "l", "1")
	appendTo(t, store, "l", `"2a"`, `"2b"`, `"2c"`)
	appendTo(t, store, "l", "3")
	path := segment(t, dir, "l")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := slices.Collect(strings.Lines(string(whole)))
	require.Len(t, lines, 5)

	cases := map[string]struct {
		change func(lines []string) []string
		want   []string
		warned bool
	}{
		"first":          {func(l []string) []string { l[0] = strings.Replace(l[0], "1}", "7}", 1); return l }, []string{`"2a"`, `"2b"`, `"2c"`, "3"}, true},
		"in a call":      {func(l []string) []string { l[2] = "x" + l[2]; return l }, []string{"1", `"2a"`, `"2c"`, "3"}, true},
		"gone in a call": {func(l []string) []string { return slices.Delete(l, 2, 3) }, []string{"1", `"2a"`, `"2c"`, "3"}, true},
		"end of a call":  {func(l []string) []string { l[3] = "\n"; return l }, []string{"1", `"2a"`, `"2b"`, "3"}, true},
		"several":        {func(l []string) []string { l[1], l[2] = "{}\n", "\x00\x00\n"; return l }, []string{"1", `"2c"`, "3"}, true},
		"last, whole":    {func(l []string) []string { l[4] = strings.Replace(l[4], "3}", "7}", 1); return l }, []string{"1", `"2a"`, `"2b"`, `"2c"`}, true},
		"without a line": {func(l []string) []string { return []string{"no line break at all"} }, nil, false},
		"long garbage":   {func(l []string) []string { return append([]string{strings.Repeat("x", 100_000) + "\n"}, l[4]) }, []string{"3"}, true},
		"a foreign line": {func(l []string) []string { return append([]string{`{"time":"now","data":1}` + "\n"}, l[4]) }, []string{"3"}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(tc.change(slices.Clone(lines)), "")), 0o600))
			var reported warnings
			store := openIn(t, dir, reported.options())
			assert.Equal(t, tc.want, logged(t, store, "l"))
			logged(t, store, "l")
			if tc.warned {
				require.Len(t, reported.lines(), 1, "reported once")
				assert.Contains(t, reported.lines()[0], filepath.Base(path))
			} else {
				assert.Equal(t, []string{""}, reported.lines())
			}
		})
	}
}

func TestOverlongRecords(t *testing.T) {
	store := openIn(t, t.TempDir(), &file.Options{NoSync: true})
	err := store.Append(t.Context(), "l", json.RawMessage("1"), make(json.RawMessage, file.MaxRecord+1))
	require.ErrorContains(t, err, "record 2 of 2")
	require.ErrorContains(t, err, "at most")
	appendTo(t, store, "l", "1")

	line := string(must(os.ReadFile(segment(t, store.Dir(), "l"))))
	for _, overlong := range []int{101, 33_000, 70_000, 200_000} { // the buffer of the reader has 32 KiB
		records, warned, err := file.ReadSegment(strings.NewReader(strings.Repeat("y", overlong)+"\n"+line), 100)
		require.NoError(t, err)
		assert.Equal(t, 1, warned)
		require.Len(t, records, 1)
		assert.Equal(t, "1", string(records[0].Data))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSegmentsEndBySize(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	store := openIn(t, dir, &file.Options{SegmentSize: 300, Clock: func() time.Time { now = now.Add(-time.Second); return now }})
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprint(i))
		appendTo(t, store, "l", want[i])
	}
	segments := glob(t, dir, "_logs", "l", "*.log")
	assert.Greater(t, len(segments), 3)
	for _, s := range segments {
		info, err := os.Stat(s)
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(500))
	}
	assert.Equal(t, want, logged(t, store, "l"), "in order, although the clock ran backwards")

	var paged []string
	for after := ""; ; {
		n := len(paged)
		for record, err := range store.Records(t.Context(), "l", localpass.LogOptions{After: after, Limit: 3}) {
			require.NoError(t, err)
			paged = append(paged, string(record.Data))
			after = record.Position
		}
		if len(paged) == n {
			break
		}
		if n == 9 { // segments that were read may be put away between two pages
			require.NoError(t, os.Remove(slices.Min(glob(t, dir, "_logs", "l", "*.log"))))
		}
	}
	assert.Equal(t, want, paged)
}

func TestPositions(t *testing.T) {
	dir := t.TempDir()
	store := openIn(t, dir, nil)
	appendTo(t, store, "l", "1", "2")
	name := strings.TrimSuffix(filepath.Base(segment(t, dir, "l")), ".log")
	for _, name := range []string{"notes.txt", "x.log", "20261121t111900.123456z-xyzxyzxy.log", "20261321t111900.123456z-00000000.log", "20261121T111900.123456Z-00000000.log"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "_logs", "l", name), []byte("mine\nmine\n"), 0o600))
	}
	assert.Equal(t, []string{"1", "2"}, logged(t, store, "l"), "other files are no segments")

	for _, after := range []string{"x", "/", "../../c/k.json/0", name, name + "/", name + "/-1", name + "/x", "notes/0"} {
		for record, err := range store.Records(t.Context(), "l", localpass.LogOptions{After: after}) {
			assert.Zero(t, record)
			assert.ErrorContains(t, err, "position", after)
		}
	}
	for _, err := range store.Records(t.Context(), "l", localpass.LogOptions{After: name + "/100000"}) {
		assert.Fail(t, "nothing stands behind the end", "%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range store.Records(ctx, "l", localpass.LogOptions{}) {
		last = err
		cancel()
	}
	assert.ErrorIs(t, last, context.Canceled)
}

func TestGroupCommit(t *testing.T) {
	// Calls of Append during a flush share the next flush.
	leak.Check(t)
	store, s := openSteps(t, t.TempDir(), nil)
	appendTo(t, store, "l", "0")
	g := s.gate("sync")
	done := make(chan error)
	appendOne := func(n int) {
		done <- store.Append(context.Background(), "l", json.RawMessage(fmt.Sprint(n)))
	}
	go appendOne(1)
	<-g.reached
	const waiting = 20
	for n := range waiting {
		go appendOne(2 + n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	withdrawn := make(chan error)
	go func() { withdrawn <- store.Append(ctx, "l", json.RawMessage(`"withdrawn"`)) }()
	for file.Waiting(store, "l") < waiting+1 {
		<-time.After(time.Millisecond)
	}
	cancel()
	err := <-withdrawn
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "nothing was appended")
	close(g.open)
	for range waiting + 1 {
		require.NoError(t, <-done)
	}
	assert.Equal(t, []string{"write", "write the rest", "sync", "write", "write the rest", "sync"}, s.taken(), "two flushes for all")
	got := logged(t, store, "l")
	assert.Len(t, got, waiting+2)
	assert.NotContains(t, got, `"withdrawn"`)
}

func TestContextEndsDuringAFlush(t *testing.T) {
	leak.Check(t)
	store, s := openSteps(t, t.TempDir(), nil)
	g := s.gate("sync")
	first := make(chan error, 1)
	go func() { first <- store.Append(context.Background(), "l", json.RawMessage("1")) }()
	<-g.reached
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, store.Append(ctx, "l", json.RawMessage("2")), context.DeadlineExceeded)
	close(g.open)
	require.NoError(t, <-first)
	appendTo(t, store, "l", "3")
	assert.Equal(t, []string{"1", "3"}, logged(t, store, "l"))
}

func TestSegmentIsLeftAfterAFailure(t *testing.T) {
	dir := t.TempDir()
	store, s := openSteps(t, dir, nil)
	appendTo(t, store, "l", "1")
	s.set(func(call, _ string) error {
		if call == "write the rest" || call == "truncate" {
			return syscall.EIO
		}
		return nil
	})
	err := store.Append(t.Context(), "l", json.RawMessage(`"a record that is written in part"`))
	require.ErrorIs(t, err, syscall.EIO)
	s.set(nil)
	appendTo(t, store, "l", "2")
	assert.Equal(t, []string{"1", "2"}, logged(t, store, "l"))
	assert.Len(t, glob(t, dir, "_logs", "l", "*.log"), 2)
}
