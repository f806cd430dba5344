package audit

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/logline"
	"github.com/localpass/localpass/persistence/memory"
)

// smallLog is a log of two chains: one of a program that was short, and one of
// a program that came later and filled two segments.
func smallLog(t testing.TB) (home string, files []string, content [][]byte) {
	t.Helper()
	home = t.TempDir()
	store := openFileStore(t, home)
	first := openLog(t, store, Options{}, nil)
	recordCalls(t, first, 3)
	require.NoError(t, first.close())
	second := openLog(t, store, Options{SegmentSize: 1200}, nil)
	recordCalls(t, second, 4)
	require.NoError(t, second.close())
	files, err := filepath.Glob(filepath.Join(homeAudit(home), "*.log"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		content = append(content, b)
	}
	whole(t, home)
	return home, files, content
}

func reasons(report *Report) (all []string) {
	for _, p := range report.Problems {
		if !slices.Contains(all, p.Reason) {
			all = append(all, p.Reason)
		}
	}
	return all
}

// tampered verifies the log with one file as it is given; nil: it is not there.
func tampered(t testing.TB, home, file string, content []byte) *Report {
	t.Helper()
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	if content == nil {
		require.NoError(t, os.Remove(file))
	} else {
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
	report, err := VerifyFiles(t.Context(), []string{home}, nil)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, was, 0o600))
	return report
}

// With LOCALPASS_FULL each byte is flipped, else one of seven.
func TestEveryFlippedByteIsNoticed(t *testing.T) {
	step := 7 // no divisor of 8: every bit of a byte has its turn
	if os.Getenv("LOCALPASS_FULL") != "" {
		step = 1
	}
	home, files, content := smallLog(t)
	for i, file := range files {
		for at := 0; at < len(content[i]); at += step {
			changed := bytes.Clone(content[i])
			changed[at] ^= 1 << (at % 8)
			report := tampered(t, home, file, changed)
			if len(report.Problems) == 0 {
				require.Fail(t, "not noticed", "byte %d of %s", at, file)
			}
			p := report.Problems[0]
			line := 1 + bytes.Count(content[i][:at], []byte("\n"))
			if p.File != file || p.Line < line-1 || p.Line > line+1 {
				require.Fail(t, "the wrong place", "byte %d in line %d of %s: %v", at, line, file, p)
			}
		}
	}
}

func TestEveryChangeOfLinesIsNoticed(t *testing.T) {
	home, files, content := smallLog(t)
	check := func(i int, what string, lines [][]byte, want ...string) {
		t.Helper()
		report := tampered(t, home, files[i], bytes.Join(lines, nil))
		require.NotEmpty(t, report.Problems, "%s in file %d", what, i)
		for _, w := range want {
			assert.Contains(t, reasons(report), w, "%s in file %d: %v", what, i, report.Problems)
		}
	}
	for i := range files {
		lines := bytes.SplitAfter(bytes.TrimSuffix(content[i], []byte("\n")), []byte("\n"))
		lines[len(lines)-1] = append(lines[len(lines)-1], '\n')
		for n := range lines {
			check(i, fmt.Sprintf("without line %d", n+1), slices.Delete(slices.Clone(lines), n, n+1))
			check(i, fmt.Sprintf("line %d doubled", n+1), slices.Insert(slices.Clone(lines), n, lines[n]))
			check(i, fmt.Sprintf("line %d again at the end", n+1), append(slices.Clone(lines), lines[n]))
			if n > 0 {
				check(i, fmt.Sprintf("cut after line %d", n), lines[:n])
				check(i, fmt.Sprintf("cut in line %d", n+1), append(slices.Clone(lines[:n]), lines[n][:len(lines[n])/2]), "torn")
			}
			for m := range n {
				swapped := slices.Clone(lines)
				swapped[n], swapped[m] = swapped[m], swapped[n]
				check(i, fmt.Sprintf("lines %d and %d swapped", m+1, n+1), swapped)
			}
			for j := range files { // lines of elsewhere
				if j != i {
					other := bytes.SplitAfter(content[j], []byte("\n"))
					check(i, fmt.Sprintf("a line of file %d in front of line %d", j, n+1), slices.Insert(slices.Clone(lines), n, other[1]))
				}
			}
		}
		check(i, "empty", nil)
		if i < 2 { // of the last segment nobody knows but the one before, which is not its end
			assert.Contains(t, reasons(tampered(t, home, files[i], nil)), "missing", "file %d", i)
		}
	}
	assert.Equal(t, []string{"open"}, reasons(tampered(t, home, files[2], nil)))

	// A copy of a segment, and two whose names were exchanged.
	copied := filepath.Join(filepath.Dir(files[0]), "20260101t000000.000000z-00000000.log")
	require.NoError(t, os.WriteFile(copied, content[1], 0o600))
	report, err := VerifyFiles(t.Context(), []string{home}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"doubled"}, reasons(report))
	require.NoError(t, os.Remove(copied))
	require.NoError(t, os.WriteFile(files[1], content[2], 0o600))
	require.NoError(t, os.WriteFile(files[2], content[1], 0o600))
	whole(t, home) // nothing is lost: the numbers tell the order
	report, err = VerifyFiles(t.Context(), append([]string{home}, files...), nil)
	require.NoError(t, err)
	require.NoError(t, report.Err(), "a file that is named twice is read once")
}

// rewrite changes the data of a line and mends its checksum, as somebody does
// who knows the form.
func rewrite(t testing.TB, line []byte, change func(string) string) []byte {
	t.Helper()
	content, err := logline.Parse(bytes.TrimSuffix(line, []byte("\n")))
	require.NoError(t, err)
	changed := change(string(content.Data))
	require.NotEqual(t, changed, string(content.Data))
	var buf bytes.Buffer
	require.NoError(t, logline.Append(&buf, content.Time, content.More, func(buf *bytes.Buffer) error {
		buf.WriteString(changed)
		return nil
	}))
	return buf.Bytes()
}

func TestEditsWithAGoodChecksumAreNoticed(t *testing.T) {
	home, files, content := smallLog(t)
	anchor := whole(t, home).Anchor
	year := regexp.MustCompile(`"time":"20`)
	for i := range files {
		lines := bytes.SplitAfter(content[i], []byte("\n"))
		lines = lines[:len(lines)-1]
		for n, line := range lines {
			changed := slices.Clone(lines)
			changed[n] = rewrite(t, line, func(s string) string { return year.ReplaceAllString(s, `"time":"21`) })
			text := bytes.Join(changed, nil)
			report := tampered(t, home, files[i], text)
			if i == len(files)-1 && n == len(lines)-1 {
				// Nothing comes after the last record of the log: only who has noted
				// its digest elsewhere sees that it was changed.
				assert.Empty(t, report.Problems)
				require.NoError(t, os.WriteFile(files[i], text, 0o600))
				report, err := VerifyFiles(t.Context(), []string{home}, &VerifyOptions{Anchors: []string{anchor}})
				require.NoError(t, err)
				assert.Equal(t, []string{"anchor"}, reasons(report))
				continue
			}
			require.Equal(t, []string{"changed"}, reasons(report), "line %d of file %d", n+1, i)
			assert.Equal(t, files[i], report.Problems[0].File)
			assert.Equal(t, n+1, report.Problems[0].Line, "%v", report.Problems[0])
		}
	}
}

func TestForgedRecords(t *testing.T) {
	home, files, content := smallLog(t)
	lines := func(i int) [][]byte {
		return bytes.SplitAfter(bytes.TrimSuffix(content[i], []byte("\n")), []byte("\n"))
	}
	one := lines(0)
	chain := regexp.MustCompile(`"chain":"([0-9a-f]+)"`).FindSubmatch(one[0])[1]
	last, err := logline.Parse(bytes.TrimSuffix(one[len(one)-1], []byte("\n")))
	require.NoError(t, err)
	put := func(records ...string) []byte {
		var buf bytes.Buffer
		buf.Write(content[0])
		for _, r := range records {
			require.NoError(t, logline.Append(&buf, last.Time, 0, func(buf *bytes.Buffer) error {
				buf.WriteString(r)
				return nil
			}))
		}
		return buf.Bytes()
	}
	call := `"time":"2026-01-01T00:00:00Z","tool":{}}`
	for name, tc := range map[string]struct {
		content []byte
		want    string
	}{
		"a chain without a begin": {put(`{"chain":"x","seq":1,"prev":"",` + call), "forged"},
		"a chain with a begin":    {put(`{"chain":"x","seq":1,"prev":"","time":"2026-01-01T00:00:00Z","begin":{"version":1}}`), "open"},
		"behind the seal": {put(fmt.Sprintf(`{"chain":"%s","seq":%d,"prev":"%s",%s`, chain, len(one)+1, digestHex(last.Data), call)),
			"forged"},
		"no record":        {put(`[1,2]`), "foreign"},
		"neither nor":      {put(`{"chain":"x","seq":1,"prev":"","time":"2026-01-01T00:00:00Z"}`), "foreign"},
		"both":             {put(`{"chain":"x","seq":1,"prev":"","begin":{},` + call), "foreign"},
		"without a number": {put(`{"chain":"x","prev":"",` + call), "foreign"},
		"garbage":          {append(bytes.Clone(content[0]), "nothing\n"...), "damaged"},
		"torn":             {append(bytes.Clone(content[0]), "nothing"...), "torn"},
	} {
		report := tampered(t, home, files[0], tc.content)
		assert.Contains(t, reasons(report), tc.want, "%s: %v", name, report.Problems)
		assert.ErrorIs(t, report.Err(), ErrBroken)
	}

	// A seal that is for something else, in a log that is rebuilt from there on.
	seal := rewrite(t, one[len(one)-1], func(s string) string { return strings.Replace(s, `"records":4`, `"records":3`, 1) })
	report := tampered(t, home, files[0], append(bytes.Join(one[:len(one)-1], nil), seal...))
	assert.ElementsMatch(t, []string{"seal", "changed"}, reasons(report), "%v", report.Problems)
}

// A chain that a killed program left is closed by the next one, so that it
// cannot be cut off or gone on with any more.
func TestClosedChains(t *testing.T) {
	home := t.TempDir()
	store := openFileStore(t, home)
	killed := openLog(t, store, Options{}, nil)
	recordCalls(t, killed, 3)
	require.NoError(t, killed.writer.Close()) // as its end does
	files, err := filepath.Glob(filepath.Join(homeAudit(home), "*.log"))
	require.NoError(t, err)
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	torn := append(bytes.Clone(content), content[:100]...)
	require.NoError(t, os.WriteFile(files[0], torn, 0o600))

	report, err := VerifyFiles(t.Context(), []string{home}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"torn"}, reasons(report), "nobody can tell yet")
	report = whole2(t, home, true)
	assert.Equal(t, Chain{ID: killed.chain, First: 1, Last: 4, Time: report.Chains[0].Time, Digest: killed.prev, End: "open", Torn: 100}, report.Chains[0])

	next := openLog(t, store, Options{}, nil)
	recordCalls(t, next, 1)
	require.NoError(t, next.close())
	report = whole(t, home)
	require.Len(t, report.Chains, 2)
	assert.Equal(t, "closed", report.Chains[0].End)
	assert.EqualValues(t, 100, report.Chains[0].Torn)
	assert.Equal(t, 4, report.Calls)

	lines := bytes.SplitAfter(content, []byte("\n"))
	assert.Equal(t, []string{"open", "cut"}, reasons(tampered(t, home, files[0], bytes.Join(lines[:3], nil))))
	assert.Equal(t, []string{"missing"}, reasons(tampered(t, home, files[0], nil)))
	require.NoError(t, os.WriteFile(files[0], content, 0o600))
	whole(t, home)
	more := rewrite(t, lines[3], func(s string) string {
		s = strings.Replace(s, `"seq":4`, `"seq":5`, 1)
		return regexp.MustCompile(`"prev":"[0-9a-f]+"`).ReplaceAllString(s, `"prev":"`+killed.prev+`"`)
	})
	assert.Contains(t, reasons(tampered(t, home, files[0], append(bytes.Clone(content), more...))), "forged")
}

func TestPartsOfALog(t *testing.T) {
	_, files, _ := smallLog(t)
	for _, tc := range []struct {
		paths []string
		part  bool
		want  []string
	}{
		{files[:1], false, nil},
		{files[1:2], false, []string{"open", "missing"}},
		{files[1:2], true, nil},
		{files[2:], false, []string{"missing"}},
		{files[2:], true, nil},
		{files[1:], false, []string{"missing"}},
		{files[1:], true, nil},
		{[]string{files[0], files[2]}, false, []string{"missing"}},
		{[]string{files[0], files[2]}, true, nil},
	} {
		report, err := VerifyFiles(t.Context(), tc.paths, &VerifyOptions{Part: tc.part})
		require.NoError(t, err)
		assert.Equal(t, tc.want, reasons(report), "%d files, part %t: %v", len(tc.paths), tc.part, report.Problems)
	}
	for _, paths := range [][]string{nil, {t.TempDir()}, {files[0], files[0] + "x"}} {
		_, err := VerifyFiles(t.Context(), paths, nil)
		assert.Error(t, err, "%v", paths)
	}
}

func TestReportIsBounded(t *testing.T) {
	home, files, content := smallLog(t)
	report := tampered(t, home, files[0], append(bytes.Clone(content[0]), bytes.Repeat([]byte("x\n{}\n"), 1)...))
	assert.NotZero(t, report.Problems)
	line, err := logline.Parse(bytes.Split(content[0], []byte("\n"))[1])
	require.NoError(t, err)
	var buf bytes.Buffer
	for range 250 {
		require.NoError(t, logline.Append(&buf, line.Time, 0, func(buf *bytes.Buffer) error {
			buf.Write(line.Data)
			return nil
		}))
	}
	report = tampered(t, home, files[0], append(bytes.Clone(content[0]), buf.Bytes()...))
	assert.Len(t, report.Problems, 100)
	assert.GreaterOrEqual(t, report.ProblemsCut, 150)
	assert.ErrorContains(t, report.Err(), "more")
}

// fixedLog is a log like that of smallLog, the same each time: fuzzing runs in
// several processes.
func fixedLog(t testing.TB) (content [][]byte) {
	store, now, ids := memory.New(), newTestClock(), 0
	for i, calls := range []int{3, 4} {
		a := newStoreLog(store, Options{SegmentSize: 3000 - 2000*int64(i)}, slog.New(slog.DiscardHandler))
		a.clock = countingClock(now, &ids)
		a.restart()
		recordCalls(t, a, calls)
		require.NoError(t, a.close())
	}
	list, err := store.Segments(t.Context(), logName)
	require.NoError(t, err)
	for _, s := range list {
		var buf bytes.Buffer
		for r, err := range store.Records(t.Context(), logName, localpass.LogOptions{Segment: s.ID}) {
			require.NoError(t, err)
			require.NoError(t, logline.Append(&buf, now.Now(), 0, func(buf *bytes.Buffer) error {
				buf.Write(r.Data)
				return nil
			}))
		}
		content = append(content, buf.Bytes())
	}
	require.Equal(t, 3, len(content)) // Len would print them
	return content
}

func countingClock(c *testClock, ids *int) clock.Clock {
	return clock.Clock{NowFunc: c.Now, IDFunc: func() string {
		*ids++
		return fmt.Sprintf("%032x", *ids)
	}}
}

// FuzzAuditFile verifies any file. Whatever stands in it there is no panic, and
// only the log as it was written is whole.
func FuzzAuditFile(f *testing.F) {
	content := fixedLog(f)
	for _, c := range content {
		f.Add(c)
		f.Add(c[:len(c)/2])
		f.Add(append(bytes.Clone(c), c...))
	}
	f.Add([]byte(`{"crc":"00000000","time":"2026-01-01T00:00:00.000000Z","data":{}}` + "\n"))
	f.Add([]byte("\n\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(dir, fmt.Sprintf("%d.log", os.Getpid()))
		require.NoError(t, os.WriteFile(file, data, 0o600))
		for _, part := range []bool{false, true} {
			report, err := VerifyFiles(t.Context(), []string{file}, &VerifyOptions{Part: part})
			require.NoError(t, err)
			known := slices.ContainsFunc(content, func(c []byte) bool { return bytes.Equal(c, data) })
			if report.Err() == nil && !known {
				t.Fatalf("taken for whole: %q", data)
			}
			_, err = VerifyFiles(t.Context(), []string{file}, &VerifyOptions{Part: part, Open: true})
			require.NoError(t, err)
		}
		for _, err := range FileEntries(t.Context(), []string{file}) {
			require.False(t, err != nil && !errors.Is(err, ErrBroken), err)
		}
	})
}

// A killed program may have written its last record many segments of others ago: the
// next program still closes what it left.
func TestChainThatWasLeftLongAgoIsClosed(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	store := openFileStore(t, home)
	killed := openLog(t, store, Options{}, nil)
	recordCalls(t, killed, 3)
	busy := openLog(t, store, Options{SegmentSize: 2000}, nil)
	recordCalls(t, busy, 60)
	require.NoError(t, killed.writer.Close()) // as its end does
	require.NoError(t, busy.close())
	segments := len(metas(t, store))
	require.Greater(t, segments, mostSeen+2)
	require.Less(t, segments, mostUnsealed)
	next := openLog(t, store, Options{}, nil)
	recordCalls(t, next, 1)
	require.NoError(t, next.close())
	report := whole(t, home)
	assert.Equal(t, endClosed, report.Chains[0].End)
}
