package audit

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
)

// lostLog is a log with one segment, which its program still has open.
func lostLog(t *testing.T) (log *Log, store localpass.Persistence, file string) {
	t.Helper()
	home := t.TempDir()
	store = openFileStore(t, home)
	log = New(store, nil, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = log.Close() })
	recordCalls(t, log.log, 3)
	files, err := filepath.Glob(filepath.Join(homeAudit(home), "*.log"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return log, store, files[0]
}

// What is done to the newest segment, which no other one has seen. The program
// that wrote it always knows; the store alone as far as something stands there.
func TestLossOfTheNewestSegment(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(t *testing.T, file string, was []byte)
		own   string // the first problem, as the program finds it
		later string // as who comes later finds it; empty: not to be told
		empty int
	}{
		"rewritten with lines": {func(t *testing.T, file string, _ []byte) {
			require.NoError(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o600))
		}, "damaged", "damaged", 0},
		"rewritten with text": {func(t *testing.T, file string, _ []byte) {
			require.NoError(t, os.WriteFile(file, []byte("something else"), 0o600))
		}, "missing", "torn", 0},
		"replaced by another file": {func(t *testing.T, file string, _ []byte) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.WriteFile(file, []byte("something else"), 0o600))
		}, "torn", "torn", 0},
		"last line changed": {func(t *testing.T, file string, was []byte) {
			at := bytes.LastIndexByte(was[:len(was)-1], '\n') + 20
			was[at] ^= 1
			require.NoError(t, os.WriteFile(file, was, 0o600))
		}, "damaged", "damaged", 0},
		"emptied": {func(t *testing.T, file string, _ []byte) {
			require.NoError(t, os.Truncate(file, 0))
		}, "missing", "", 1},
		"cut in a line": {func(t *testing.T, file string, was []byte) {
			require.NoError(t, os.Truncate(file, int64(len(was)-10)))
		}, "cut", "", 0},
		"cut behind a line": {func(t *testing.T, file string, was []byte) {
			require.NoError(t, os.Truncate(file, int64(bytes.LastIndexByte(was[:len(was)-1], '\n')+1)))
		}, "cut", "", 0},
		"removed": {func(t *testing.T, file string, _ []byte) {
			require.NoError(t, os.Remove(file))
		}, "missing", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			log, store, file := lostLog(t)
			report, err := log.Verify(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.Problems)
			require.Equal(t, 4, report.Records)
			was, err := os.ReadFile(file)
			require.NoError(t, err)
			c.edit(t, file, was)

			report, err = log.Verify(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, report.Problems)
			assert.Equal(t, c.own, report.Problems[0].Reason, report.Problems)
			all := ""
			for _, p := range report.Problems {
				all += p.Message + "\n"
			}
			assert.Contains(t, all, "this program has written number", "what it knows itself is told")

			// Its program is gone, as if it was killed: it writes nothing more.
			require.NoError(t, log.log.writer.Close())
			report, err = Verify(t.Context(), store)
			require.NoError(t, err)
			assert.Len(t, report.Empty, c.empty)
			if c.later == "" {
				assert.Empty(t, report.Problems)
			} else if assert.NotEmpty(t, report.Problems) {
				assert.Equal(t, c.later, report.Problems[0].Reason)
			}
		})
	}
}

// A segment that a later one has seen is missed by anybody.
func TestLossOfASegmentThatWasSeen(t *testing.T) {
	home, files, content := smallLog(t)
	store := openFileStore(t, home)
	for name, now := range map[string][]byte{"emptied": {}, "rewritten": []byte("nothing of it\n"), "cut": content[0][:len(content[0])/2]} {
		require.NoError(t, os.WriteFile(files[0], now, 0o600))
		report, err := Verify(t.Context(), store)
		require.NoError(t, err)
		assert.NotEmpty(t, report.Problems, name)
	}
	require.NoError(t, os.Remove(files[0]))
	report, err := Verify(t.Context(), store)
	require.NoError(t, err)
	assert.Equal(t, []string{"missing"}, reasons(report))
}

// The record that was written last is known to its program, changed or not.
func TestChangedNewestRecord(t *testing.T) {
	store := memory.New()
	log := New(store, nil, nil)
	recordCalls(t, log.log, 2)
	log.log.head.Digest = strings.Repeat("0", 64)
	report, err := log.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"changed"}, reasons(report))
	assert.Contains(t, report.Problems[0].Message, "this program has written it as another one")

	// A log that is closed is as others find it: retention may take it.
	require.NoError(t, log.Close())
	report, err = log.Verify(t.Context())
	require.NoError(t, err)
	assert.Empty(t, report.Problems)
	_, err = New(nil, nil, nil).Verify(t.Context())
	assert.ErrorIs(t, err, errNoStore)
}
