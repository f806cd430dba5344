package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
)

// everyUse is each way to use a path P; those that write come second.
var everyUse = []string{
	`fs.readText(P)`, `fs.readBytes(P)`, `fs.list(P)`, `fs.stat(P)`, `fs.grep('.', P)`, `fs.lineCount(P)`, `fs.slice(P)`,
	`fs.cut(P, {fields: [1]})`, `fs.sort(P)`, `fs.find(P)`, `fs.searchInFiles(P, '*', '.')`, `fs.copy(P, 'copied')`,
}

var everyWrite = []string{
	`fs.writeText(P, 'x')`, `fs.writeBytes(P, new Uint8Array(1))`, `fs.appendText(P, 'x')`, `fs.editText(P, 'CANARY', 'x')`,
	`fs.copy('in.txt', P)`, `fs.move(P, 'moved')`, `fs.move('in.txt', P)`, `fs.delete(P)`, `fs.deleteDir(P)`,
}

// Nothing leads out, whatever a path looks like.
func TestNoWayOut(t *testing.T) {
	paths := func(w *world) []string {
		w.write("ws/in.txt", "inside\n")
		w.write("ws/d/in.txt", "inside\n")
		w.link("../outside", "ws/up")
		w.link(w.outside, "ws/abs")
		w.link("../up", "ws/d/chain")
		w.link("d/../../outside", "ws/winding")
		w.link("../../../../../../../../../../../../../../../..", "ws/slash")
		w.link(w.dir, "ws/parent")
		w.link(filepath.Join("parent", "outside"), "ws/through")
		sep := string(filepath.Separator)
		out := []string{
			"../outside", "../outside/sub", "d/../../outside", "./../outside", "..//outside/.", w.outside, w.outside + sep + ".", w.outside + sep + "sub",
			w.ws + sep + ".." + sep + "outside", w.dir, filepath.VolumeName(w.dir) + sep, "..", "../", "../..", w.ws + "2", w.ws + sep + "..",
			"up/sub", "abs/sub", "d/chain/sub", "winding/sub", "parent/outside", "through/sub", "slash/etc", "parent/ws/../outside/sub",
			"../OUTSIDE", "../ws" + sep + ".." + sep + "outside", "../outside/secret.txt", "up/secret.txt", "abs/secret.txt", "d/chain/secret.txt", "up/new",
			"parent/new", "winding/new",
		}
		if runtime.GOOS != "windows" {
			out = append(out, "/", "/etc/passwd", "//etc/passwd", "/proc/self/root/etc/passwd", "/dev/zero", "/dev/tty")
		}
		return out
	}
	for i := range paths(newWorld(t)) {
		w := newWorld(t)
		path := paths(w)[i]
		require.NoError(t, w.vm.Set("P", path))
		for _, use := range everyUse {
			got := w.eval(use)
			assert.Truef(t, strings.HasPrefix(got, "SECURITY path-escapes-base"), "%s of %q: %s", use, path, got)
		}
		assert.Equal(t, "false", w.eval(`fs.exists(P)`), path)
		for _, use := range everyWrite {
			got := w.eval(use)
			assert.Truef(t, strings.HasPrefix(got, "SECURITY write-"), "%s of %q: %s", use, path, got)
		}
		assert.Equal(t, "inside\n", w.file("ws/in.txt"), path)
		assert.NotEmpty(t, w.service.Denials())
		for _, d := range w.service.Denials() {
			assert.Equal(t, files.Helper, d.Component)
		}
	}
}

// What is found on a walk is not followed either.
func TestWalksStayInside(t *testing.T) {
	w := newWorld(t)
	w.link("../outside", "ws/up")
	w.link(filepath.Join(w.outside, "secret.txt"), "ws/file")
	w.write("ws/d/in.txt", "inside\n")
	w.link("../..", "ws/d/loop")
	assert.Equal(t, `["d","d/in.txt","d/loop","file","up"]`, w.eval(`fs.find()`))
	assert.Equal(t, `["d","file","up"]`, w.eval(`fs.list()`))
	assert.Equal(t, `["d/in.txt"]`, w.eval(`fs.searchInFiles('.', '*', '.').map(h => h.file)`))
	assert.Equal(t, `3`, w.eval(`fs.deleteDir('d')`))
	assert.Equal(t, `["file","up"]`, w.eval(`fs.find()`))
}

// Links that stay inside are followed to read; to write, only on the way.
func TestLinksInside(t *testing.T) {
	w := newWorld(t)
	w.write("ws/d/in.txt", "inside\n")
	w.link("d", "ws/dir")
	w.link("d/in.txt", "ws/file")
	w.link(filepath.Join(w.ws, "d", "in.txt"), "ws/abs")
	w.link(filepath.Join(w.dir, "ws", "dir"), "ws/d/abs")
	w.write("ws/e/x", "")
	w.link("e", "ws/other")
	w.link("nothing", "ws/dangling")
	w.link("round", "ws/round")
	w.link("../outside/secret.txt", "ws/out")
	for expr, want := range map[string]string{
		`fs.readText('file')`:             `"inside\n"`,
		`fs.readText('abs')`:              `"inside\n"`,
		`fs.readText('dir/in.txt')`:       `"inside\n"`,
		`fs.readText('d/abs/abs/in.txt')`: `"inside\n"`,
		`fs.list('dir')`:                  `["d/abs","d/in.txt"]`,
		`fs.exists('dangling')`:           `false`,
		`fs.readText('dangling')`:         `HELPER_RUNTIME io`,
		`fs.readText('round')`:            `HELPER_RUNTIME io`,
		`fs.exists('round')`:              `false`,
		`fs.writeText('other/new', 'x')`:  `"WS/e/new"`,
		`fs.writeText('file', 'x')`:       `SECURITY write-through-symlink`,
		`fs.writeText('dangling', 'x')`:   `SECURITY write-through-symlink`,
		`fs.appendText('out', 'x')`:       `SECURITY write-through-symlink`,
		`fs.editText('abs', 'in', 'x')`:   `SECURITY write-through-symlink`,
		`fs.copy('file', 'dangling')`:     `SECURITY write-through-symlink`,
		`fs.copy('file', 'copied')`:       `"WS/copied"`,
		`fs.move('file', 'x')`:            `SECURITY write-through-symlink`,
		`fs.move('d/in.txt', 'file')`:     `SECURITY write-through-symlink`,
		`fs.delete('file')`:               `SECURITY write-through-symlink`,
		`fs.deleteDir('dir')`:             `SECURITY write-through-symlink`,
		`fs.deleteDir('out')`:             `SECURITY write-through-symlink`,
	} {
		assert.Equal(t, want, w.eval(expr), expr)
	}
}

// A file that has another name somewhere is not written, since the other one
// would change too; reading and removing the name is no harm.
func TestHardLinks(t *testing.T) {
	w := newWorld(t)
	w.write("ws/in.txt", "inside")
	if err := os.Link(filepath.Join(w.outside, "secret.txt"), filepath.Join(w.ws, "hard")); err != nil {
		t.Skipf("no hard links here: %v", err)
	}
	for _, use := range []string{`fs.writeText('hard', 'x')`, `fs.appendText('hard', 'x')`, `fs.editText('hard', 'CANARY', 'x')`, `fs.copy('in.txt', 'hard')`, `fs.move('in.txt', 'hard')`} {
		assert.Equal(t, `SECURITY write-through-hard-link`, w.eval(use), use)
	}
	assert.Equal(t, `true`, w.eval(`fs.delete('hard')`))
}

// A read root is read and never written, and need not be nested in anything.
func TestReadRoots(t *testing.T) {
	w := newWorld(t, func(w *world, s *files.Scope) {
		w.write("docs/guide.txt", "guide\n")
		w.write("docs/in/x.txt", "x\n")
		s.ReadRoots = []string{filepath.Join(w.dir, "docs"), filepath.Join(w.dir, "docs", "in"), filepath.Join(w.dir, "gone")}
	})
	w.link("../docs/guide.txt", "ws/guide")
	w.link("../outside/secret.txt", "docs/secret")
	require.NoError(t, w.vm.Set("DOCS", filepath.Join(w.dir, "docs")))
	require.NoError(t, w.vm.Set("GONE", filepath.Join(w.dir, "gone")))
	for expr, want := range map[string]string{
		`fs.readText(DOCS + '/guide.txt')`:         `"guide\n"`,
		`fs.readText('../docs/guide.txt')`:         `"guide\n"`,
		`fs.readText('guide')`:                     `"guide\n"`,
		`fs.readText(DOCS + '/secret')`:            `SECURITY path-escapes-base`,
		`fs.readText(DOCS + '/../outside')`:        `SECURITY path-escapes-base`,
		`fs.list(DOCS)[0] === DOCS + '/guide.txt'`: `true`,
		`fs.list(GONE)`:                            `[]`,
		`fs.readRoots().length`:                    `3`,
		`fs.copy(DOCS + '/guide.txt', 'mine')`:     `"WS/mine"`,
		`fs.writeText(DOCS + '/new', 'x')`:         `SECURITY write-outside-workspace`,
		`fs.appendText('../docs/guide.txt', '')`:   `SECURITY write-outside-workspace`,
		`fs.move(DOCS + '/guide.txt', 'x')`:        `SECURITY write-outside-workspace`,
		`fs.delete(DOCS + '/guide.txt')`:           `SECURITY write-outside-workspace`,
		`fs.deleteDir(DOCS + '/in')`:               `SECURITY write-outside-workspace`,
		`fs.writeText(GONE + '/x', 'x')`:           `SECURITY write-outside-workspace`,
	} {
		if runtime.GOOS != "windows" {
			assert.Equal(t, want, w.eval(expr), expr)
		}
	}
	assert.Equal(t, "<none>", w.file("gone"))
}

// The workspace may be named through a link; code may use either name.
func TestWorkspaceByAnotherName(t *testing.T) {
	w := newWorld(t, func(w *world, s *files.Scope) {
		w.link("ws", "alias")
		s.Workspace = filepath.Join(w.dir, "alias")
	})
	w.write("ws/in.txt", "inside")
	require.NoError(t, w.vm.Set("ALIAS", filepath.Join(w.dir, "alias")))
	assert.Equal(t, `"WS"`, w.eval(`fs.workspace()`))
	assert.Equal(t, `"inside"`, w.eval(`fs.readText(ALIAS + '/in.txt')`))
	assert.Equal(t, `"WS/x"`, w.eval(`fs.writeText(ALIAS + '/x', '')`))
	assert.Equal(t, `SECURITY deletedir-workspace-root`, w.eval(`fs.deleteDir(ALIAS)`))

	bad := newWorld(t, func(w *world, s *files.Scope) {
		w.link("nothing", "dangling")
		s.Workspace = filepath.Join(w.dir, "dangling")
	})
	assert.Equal(t, `HELPER_RUNTIME io`, bad.eval(`fs.writeText('x', '')`))
	assert.Equal(t, `HELPER_RUNTIME io`, bad.eval(`fs.workspace()`))
}

func TestGroups(t *testing.T) {
	write := append([]string{`fs.writeText('x', 'x')`, `fs.move()`, `fs.delete(null)`, `fs.deleteDir(1, 2)`}, everyWrite...)
	grant := func(f func(s *files.Scope)) *world {
		return newWorld(t, func(w *world, s *files.Scope) {
			w.write("ws/in.txt", "CANARY")
			w.write("docs/guide.txt", "guide")
			s.ReadRoots = []string{filepath.Join(w.dir, "docs")}
			f(s)
		})
	}
	set := func(w *world) *world { require.NoError(t, w.vm.Set("P", "in.txt")); return w }

	readOnly := set(grant(func(s *files.Scope) { s.Write = false }))
	for _, use := range write {
		assert.Equal(t, `SECURITY capability-not-granted`, readOnly.eval(use), use)
	}
	assert.Equal(t, `"CANARY"`, readOnly.eval(`fs.readText('in.txt')`))
	_, err := readOnly.vm.RunString(`safety.fs.writeText('x')`)
	assert.ErrorContains(t, err, "SafetyError: writeText: fileWrite is not granted; the spec must say fileWrite: true")
	denied := readOnly.service.Denials()
	assert.Len(t, denied, 8, "one for each function: a refusal that was caught is on record")

	writeOnly := set(grant(func(s *files.Scope) { s.Read = false }))
	for _, use := range append(everyUse[:len(everyUse)-1:len(everyUse)-1], `fs.exists(P)`, `fs.readText()`) {
		assert.Equal(t, `SECURITY capability-not-granted`, writeOnly.eval(use), use)
	}
	for expr, want := range map[string]string{
		`fs.workspace()`:                                 `"WS"`,
		`fs.copy('in.txt', 'y')`:                         `"WS/y"`,
		`fs.copy('../docs/guide.txt', 'z')`:              `SECURITY path-escapes-base`,
		`fs.copy(fs.readRoots()[0] + '/guide.txt', 'z')`: `SECURITY capability-not-granted`,
		`fs.copy(OUT + '/secret.txt', 'z')`:              `SECURITY path-escapes-base`,
		`fs.editText('in.txt', 'C', 'c')`:                `{"path":"WS/in.txt","replacements":1}`,
	} {
		assert.Equal(t, want, writeOnly.eval(expr), expr)
	}

	careful := set(grant(func(s *files.Scope) { s.Destructive = false }))
	for _, use := range []string{`fs.move(P, 'x')`, `fs.delete(P)`, `fs.deleteDir(P)`} {
		assert.Equal(t, `SECURITY destructive-not-granted`, careful.eval(use), use)
	}
	assert.Equal(t, `"WS/x"`, careful.eval(`fs.writeText('x', '')`))
	loose := set(grant(func(s *files.Scope) { s.Destructive, s.LooseDestructive = false, true }))
	assert.Equal(t, `true`, loose.eval(`fs.delete(P)`))

	none := grant(func(s *files.Scope) { s.Read, s.Write = false, false })
	_, err = none.vm.RunString(`safety.fs`)
	require.NoError(t, err)
	assert.Equal(t, `TypeError: Cannot read property 'list' of undefined or null`, strings.SplitN(none.eval(`fs.list()`), " at ", 2)[0])
	for _, op := range []string{"fs.workspace", "fs.readText", "fs.writeText", "fs.delete", "fs.stage", "fs.next"} {
		_, failed := none.ask(op, `{"path":"in.txt"}`)
		assert.Equal(t, "SECURITY capability-not-granted", reason(failed), op)
	}
}
