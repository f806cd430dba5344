package files_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
)

func limited(t testing.TB, limits files.Limits) *world {
	return newWorld(t, func(_ *world, s *files.Scope) { s.Limits = limits })
}

func TestLimits(t *testing.T) {
	const tooLarge, result = "RESOURCE_LIMIT file-too-large", "RESOURCE_LIMIT result-too-large"
	for _, c := range []struct {
		limits     files.Limits
		expr, want string
	}{
		{files.Limits{ReadBytes: 10}, `fs.readText('ten')`, `"0123456789"`},
		{files.Limits{ReadBytes: 9}, `fs.readText('ten')`, tooLarge},
		{files.Limits{ReadBytes: 9}, `fs.copy('ten', 'x')`, tooLarge},
		{files.Limits{WriteBytes: 9}, `fs.copy('ten', 'x')`, tooLarge},
		{files.Limits{ReadBytes: 9}, `fs.editText('ten', '0', '')`, tooLarge},
		{files.Limits{ReadBytes: 9}, `fs.searchInFiles('.', 'ten', '0')`, `[]`},
		{files.Limits{WriteBytes: 3}, `fs.writeText('x', 'abc')`, `"WS/x"`},
		{files.Limits{WriteBytes: 3}, `fs.writeText('x', 'abcd')`, tooLarge},
		{files.Limits{WriteBytes: 3}, `fs.writeText('x', 'éé')`, tooLarge},
		{files.Limits{WriteBytes: 3}, `fs.appendText('x', 'éé')`, tooLarge},
		{files.Limits{WriteBytes: 3}, `fs.writeBytes('x', new Uint8Array(4))`, tooLarge},
		{files.Limits{WriteBytes: 12}, `fs.editText('ten', '9', '12345')`, tooLarge},
		{files.Limits{Entries: 6}, `fs.list().length`, `6`},
		{files.Limits{Entries: 5}, `fs.list()`, "RESOURCE_LIMIT too-many-entries"},
		{files.Limits{Entries: 7}, `fs.find().length`, "RESOURCE_LIMIT too-many-entries"},
		{files.Limits{Entries: 8}, `fs.find().length`, `8`},
		{files.Limits{Entries: 7}, `fs.deleteDir('.') || fs.searchInFiles('.', '*', 'x')`, "SECURITY deletedir-workspace-root"},
		{files.Limits{Entries: 1}, `fs.deleteDir('d')`, "RESOURCE_LIMIT too-many-entries"},
		{files.Limits{Depth: 2}, `fs.find('d')`, `["d/e","d/e/f"]`},
		{files.Limits{Depth: 2}, `fs.find('.')`, "RESOURCE_LIMIT too-deep"},
		{files.Limits{Depth: 2}, `fs.find('.', '*', {maxDepth: 2}).length`, `7`},
		{files.Limits{Depth: 2}, `fs.readText('d/e/f')`, "RESOURCE_LIMIT too-deep"},
		{files.Limits{Depth: 2}, `fs.writeText('d/e/g', '')`, "RESOURCE_LIMIT too-deep"},
		{files.Limits{GrepLines: 2}, `fs.grep('.', 'lines', {limit: 3})`, `["1","2"]`},
		{files.Limits{SearchHits: 2}, `fs.searchInFiles('.', 'lines', '.').length`, `2`},
		{files.Limits{Lines: 4}, `fs.slice('lines')`, result},
		{files.Limits{Lines: 4}, `fs.sort('lines')`, result},
		{files.Limits{Lines: 5}, `fs.sort('lines').length`, `5`},
		{files.Limits{ResultBytes: 20}, `fs.cut('ten', {fields: [1, 1, 1], delimiter: 'x'})`, result},
		{files.Limits{ResultBytes: 8}, `fs.slice('ten')`, result},
		{files.Limits{ResultBytes: 1}, `fs.find()`, result},
		{files.Limits{ResultBytes: 1}, `fs.list()`, result},
		{files.Limits{ResultBytes: 1}, `fs.searchInFiles('.', 'ten', '.')`, result},
		{files.Limits{ResultBytes: 1}, `fs.grep('.', 'ten')`, result},
		{files.Limits{ResultBytes: 1}, `fs.sort('ten')`, result},
		{files.Limits{ResultBytes: 1}, `fs.readRoots()`, result},
		{files.Limits{PatternSize: 20}, `fs.grep('(a{5}){5}', 'ten')`, "INVALID_INPUT grep-invalid-pattern"},
		{files.Limits{GlobBytes: 3}, `fs.find('.', '****')`, "INVALID_INPUT find-invalid-glob"},
		{files.Limits{ArgumentBytes: 10}, `fs.readText('lines')`, "INVALID_INPUT invalid-arguments"},
		{files.Limits{Links: 1}, `fs.readText('l1')`, `"0123456789"`},
		{files.Limits{Links: 1}, `fs.readText('l2')`, "HELPER_RUNTIME io"},
	} {
		w := limited(t, c.limits)
		w.write("ws/ten", "0123456789")
		w.write("ws/lines", "1\n2\n3\n4\n5\n")
		w.write("ws/d/e/f", "")
		w.link("ten", "ws/l1")
		w.link("l1", "ws/l2")
		w.write("ws/z", "")
		assert.Equal(t, c.want, w.eval(c.expr), "%s under %+v", c.expr, c.limits)
	}
}

// A workspace holds no more than its quota, whatever writes to it.
func TestWorkspaceQuota(t *testing.T) {
	const full = "RESOURCE_LIMIT workspace-quota"
	w := limited(t, files.Limits{WorkspaceBytes: 100, Entries: 6})
	w.write("ws/old", strings.Repeat("x", 60))
	for _, step := range []struct{ expr, want string }{
		{`fs.writeText('a', 'x'.repeat(41))`, full},
		{`fs.writeText('a', 'x'.repeat(30))`, `"WS/a"`},
		{`fs.writeText('a', 'x'.repeat(40))`, `"WS/a"`},
		{`fs.appendText('a', 'x')`, full},
		{`fs.copy('a', 'b')`, full},
		{`fs.editText('a', 'x', 'xx', true)`, full},
		{`fs.writeText('a', 'x'.repeat(20))`, `"WS/a"`},
		{`fs.copy('a', 'd/b')`, `"WS/d/b"`},
		{`fs.writeText('e', 'x')`, full},
		{`fs.move('d/b', 'a')`, `"WS/a"`},
		{`fs.writeText('e', 'x'.repeat(20))`, `"WS/e"`},
		{`fs.delete('old')`, `true`},
		{`fs.appendText('e', 'x'.repeat(60))`, `"WS/e"`},
		{`fs.deleteDir('d')`, `1`},
		{`fs.writeText('1/2/3', '')`, `"WS/1/2/3"`},
		{`fs.writeText('4/5', '')`, full},
		{`fs.writeText('6', '')`, `"WS/6"`},
		{`fs.writeText('7', '')`, full},
		{`fs.move('6', 'n/6')`, full},
		{`fs.deleteDir('1')`, `3`},
		{`fs.move('6', 'n/6')`, `"WS/n/6"`},
		{`fs.move('n', 'm')`, `"WS/m"`},
		{`fs.writeText('8', '')`, `"WS/8"`},
		{`fs.writeText('dir-that-is-a-file', '') && fs.writeText('9', '')`, full},
	} {
		require.Equal(t, step.want, w.eval(step.expr), step.expr)
	}
}

// A write that fails gives back the room that it took.
func TestQuotaAfterFailure(t *testing.T) {
	w := limited(t, files.Limits{WorkspaceBytes: 10})
	w.write("ws/d/x", "")
	for range 5 {
		require.Equal(t, `HELPER_RUNTIME io`, w.eval(`fs.writeText('d', '12345678')`))
	}
	assert.Equal(t, `"WS/y"`, w.eval(`fs.writeText('y', '1234567890')`))
}

// Services that share a count keep to one quota together.
func TestQuotasShared(t *testing.T) {
	var quotas files.Quotas
	a := newWorld(t, func(_ *world, s *files.Scope) { s.Quotas, s.Limits.WorkspaceBytes = &quotas, 10 })
	b, err := files.New(files.Scope{Workspace: a.ws, Write: true, Quotas: &quotas, Limits: files.Limits{WorkspaceBytes: 10}})
	require.NoError(t, err)
	write := func(name, data string) string {
		_, failed := b.Serve(t.Context(), hostcall.Request{Op: "fs.writeText", Args: []byte(`{"path":"` + name + `"}`), Data: []byte(data)})
		return reason(failed)
	}
	assert.Equal(t, `"WS/a"`, a.eval(`fs.writeText('a', '123456')`))
	assert.Equal(t, "", write("b", "1234"))
	assert.Equal(t, "RESOURCE_LIMIT workspace-quota", write("b", "12345"))
	assert.Equal(t, `true`, a.eval(`fs.delete('a')`))
	assert.Equal(t, "", write("b", "12345"))
	require.NoError(t, b.Close())
	assert.Equal(t, `RESOURCE_LIMIT workspace-quota`, a.eval(`fs.writeText('a', '123456')`))
}

// What is too large for one message goes in parts, both ways.
func TestParts(t *testing.T) {
	const most = 2*hostcall.MaxData + 100
	w := limited(t, files.Limits{ReadBytes: most, WriteBytes: most, ResultBytes: most, Lines: 100_000})
	require.NoError(t, w.vm.Set("N", most))
	assert.Equal(t, `"WS/big"`, w.eval(`fs.writeText('big', 'ab'.repeat(N / 2))`))
	assert.Len(t, w.file("ws/big"), most)
	assert.Equal(t, `true`, w.eval(`fs.readText('big') === 'ab'.repeat(N / 2)`))
	assert.Equal(t, `true`, w.eval(`(b => b.length === N && b[N - 1] === 98)(fs.readBytes('big'))`))
	assert.Equal(t, `RESOURCE_LIMIT file-too-large`, w.eval(`fs.writeText('big', 'x'.repeat(N) + 'y')`))
	assert.Equal(t, `RESOURCE_LIMIT file-too-large`, w.eval(`fs.writeText('big', '\u20ac'.repeat(N / 2))`))
	assert.Equal(t, `1`, w.eval(`fs.editText('big', 'ab'.repeat(N / 2), 'y'.repeat(N)).replacements`))
	assert.Equal(t, strings.Repeat("y", most), w.file("ws/big"))
	w.write("ws/lines", strings.Repeat(strings.Repeat("0123456789", 10)+"\n", 50_000))
	assert.Equal(t, `[50000,"01234567890123456789"]`, w.eval(`(l => [l.length, l[49999].slice(80)])(fs.slice('lines'))`))
	w.write("ws/lines", strings.Repeat("\n", 100_001))
	assert.Equal(t, `RESOURCE_LIMIT result-too-large`, w.eval(`fs.slice('lines')`))
	assert.Equal(t, `100001`, w.eval(`fs.lineCount('lines')`))
}

// The sizes of the specification, as they are without being asked for.
func TestDefaultLimits(t *testing.T) {
	w := newWorld(t)
	w.write("ws/big", "")
	require.NoError(t, os.Truncate(filepath.Join(w.ws, "big"), 16<<20))
	reply, failed := w.ask("fs.readBytes", `{"path":"big"}`)
	require.Nil(t, failed)
	assert.JSONEq(t, `{"bytes":16777216,"count":1}`, string(reply.Value))
	require.NoError(t, os.Truncate(filepath.Join(w.ws, "big"), 16<<20+1))
	_, failed = w.ask("fs.readBytes", `{"path":"big"}`)
	assert.Equal(t, "RESOURCE_LIMIT file-too-large", reason(failed))
	require.NoError(t, os.Truncate(filepath.Join(w.ws, "big"), 1<<30-1))
	assert.Equal(t, `"WS/x"`, w.eval(`fs.writeText('x', '1')`))
	assert.Equal(t, `RESOURCE_LIMIT workspace-quota`, w.eval(`fs.writeText('y', '1')`))
	assert.Equal(t, `RESOURCE_LIMIT file-too-large`, w.eval(`fs.writeText('y', 'x'.repeat(16 * 1024 * 1024 + 1))`))
}

// A crash just before a new file takes its name leaves the old one.
func TestAtomicWrite(t *testing.T) {
	clock := time.Now()
	scope := func(_ *world, s *files.Scope) { s.Now = func() time.Time { return clock } }
	w := newWorld(t, scope)
	w.write("ws/x", "old")
	w.service.Renaming(func() {
		assert.Equal(t, "old", w.file("ws/x"))
		assert.Len(t, leftOvers(w), 1)
		panic("crash")
	})
	for _, use := range []string{`fs.writeText('x', 'new')`, `fs.editText('x', 'old', 'new')`, `fs.copy('x', 'y')`} {
		for _, name := range leftOvers(w) {
			require.NoError(t, os.Remove(name))
		}
		assert.Equal(t, "HELPER_RUNTIME panic", w.eval(use), use)
		assert.Equal(t, "old", w.file("ws/x"), use)
		assert.Equal(t, "<none>", w.file("ws/y"), use)
	}
	w.service.Renaming(nil)
	require.Len(t, leftOvers(w), 1)

	// Another process's write may still be under way; an hour later none is.
	again := newWorld(t, scope, func(_ *world, s *files.Scope) { s.Workspace = w.ws })
	again.ws = w.ws
	clock = clock.Add(files.LeftOver - time.Minute)
	assert.Equal(t, `"WS/z"`, again.eval(`fs.writeText('z', '')`))
	assert.Len(t, leftOvers(w), 1)
	clock = clock.Add(2 * time.Minute)
	again = newWorld(t, scope, func(_ *world, s *files.Scope) { s.Workspace = w.ws })
	again.ws = w.ws
	w.write("ws/.localpass-mine.tmp", "")
	require.NoError(t, os.Chtimes(filepath.Join(w.ws, ".localpass-mine.tmp"), time.Unix(0, 0), time.Unix(0, 0)))
	assert.Equal(t, `"WS/z"`, again.eval(`fs.writeText('z', '')`))
	assert.Equal(t, []string{filepath.Join(w.ws, ".localpass-mine.tmp")}, leftOvers(w))
}

// A directory that disappears under a write is made again or reported, and what
// takes the name of the target meanwhile is replaced and not followed.
func TestTargetChanges(t *testing.T) {
	w := newWorld(t)
	w.write("ws/d/x", "old")
	w.service.Renaming(func() {
		_ = os.Remove(filepath.Join(w.ws, "d", "x"))
		w.link("../../outside/secret.txt", "ws/d/x")
	})
	assert.Equal(t, `"WS/d/x"`, w.eval(`fs.writeText('d/x', 'new')`))
	info, err := os.Lstat(filepath.Join(w.ws, "d", "x"))
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
	w.service.Renaming(func() { _ = os.RemoveAll(filepath.Join(w.ws, "d")) })
	assert.Equal(t, `HELPER_RUNTIME io`, w.eval(`fs.writeText('d/x', 'new')`))
}

// Every operation ends as soon as its context has, wherever it is, and leaves
// either the old state or the new one.
func TestEnds(t *testing.T) {
	ops := []string{
		`fs.readText('lines')`, `fs.list()`, `fs.find()`, `fs.searchInFiles('.', '*', '7')`, `fs.grep('7', 'lines')`, `fs.lineCount('lines')`, `fs.slice('lines', -2)`,
		`fs.cut('lines', {fields: [1]})`, `fs.sort('lines')`, `fs.sort('lines', {unique: true, numeric: true})`, `fs.copy('lines', 'copied')`, `fs.writeText('new', 'x')`, `fs.writeText('lines', 'y'.repeat(3000000))`,
		`fs.appendText('lines', 'x')`, `fs.editText('lines', 'y', 'z', true)`, `fs.deleteDir('d')`, `fs.workspace()`, `fs.stat('.')`, `fs.exists('.')`, `fs.delete('lines')`,
	}
	w := newWorld(t)
	w.write("ws/lines", strings.Repeat("17 23\n", 500))
	for _, name := range []string{"a", "b", "c/d", "c/e"} {
		w.write("ws/d/"+name, "7\n")
	}
	for _, op := range ops {
		for n := 0; ; n++ {
			before := w.file("ws/lines")
			w.ctx = &counted{Context: t.Context(), left: n, err: context.Canceled}
			got := w.eval(op)
			w.ctx = t.Context()
			if !strings.HasPrefix(got, "CANCELLED") {
				require.NotRegexp(t, "^[A-Z_]+ ", got, op)
				break
			}
			require.Equal(t, before, w.file("ws/lines"), "%s after %d looks", op, n)
			require.Empty(t, leftOvers(w), op)
			require.Less(t, n, 20_000, "%s does not come to its end", op)
		}
	}
	w.ctx = &counted{Context: t.Context(), err: context.DeadlineExceeded}
	assert.Equal(t, "TIMEOUT deadline", w.eval(`fs.list()`))
	_, failed := w.ask("fs.list", `{"path":"."}`)
	assert.ErrorIs(t, failed, context.DeadlineExceeded)
}

// A pattern made to be slow, on a line made to be long, does not block.
func TestSlowPattern(t *testing.T) {
	w := newWorld(t)
	w.write("ws/long", strings.Repeat("a", 1<<20))
	for _, op := range []string{
		`fs.grep('(a|a?){900}(b|c)(a?){900}x', 'long')`, `fs.searchInFiles('.', '*', '(x+x+)+y|(.*a){500}z')`,
	} {
		w.ctx = &counted{Context: t.Context(), left: 8, err: context.Canceled}
		assert.Equal(t, "CANCELLED ", w.eval(op), op)
	}
	w.ctx = t.Context()
	assert.Equal(t, `RESOURCE_LIMIT line-too-long`, w.eval(`fs.cut('long', {fields: [1000], delimiter: 'a.*b|a', regex: true})`))
	assert.Equal(t, `true`, w.eval(`fs.cut('long', {fields: [3], delimiter: 'a'})[0] === ''`))
	assert.Equal(t, `1`, w.eval(`fs.grep('a$', 'long').length`))
}

// Many refusals do not fill memory.
func TestDenialsBounded(t *testing.T) {
	w := limited(t, files.Limits{Denials: 3})
	w.eval(`Array.from({length: 50}, (_, i) => fs.exists('../' + i))`)
	assert.Len(t, w.service.Denials(), 3)
	other := newWorld(t)
	other.eval(`Array.from({length: 50}, () => fs.exists(OUT + '/' + 'x'.repeat(200)))`)
	require.Len(t, other.service.Denials(), 1)
	assert.Less(t, len(other.service.Denials()[0].Detail), 500)
	assert.False(t, bytes.ContainsRune([]byte(other.service.Denials()[0].Detail), 0))
}
