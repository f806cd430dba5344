package files_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
)

func TestSegment(t *testing.T) {
	for id, want := range map[string]string{
		"": "", ".": "", "..": "", "...": "...", "a": "a", "A-b_c.9": "A-b_c.9", "a/b": "a_b", `a\b`: "a_b", "../x": ".._x",
		"é": "_", "a\x00b": "a_b", "a b": "a_b", "C:x": "C_x", "\xff": "_", "\U0001F600": "_",
	} {
		assert.Equal(t, want, files.Segment(id), "%q", id)
	}
	long, other := strings.Repeat("a", 5000), strings.Repeat("a", 5001)
	assert.Len(t, files.Segment(long), 128)
	assert.NotEqual(t, files.Segment(long), files.Segment(other))
	assert.Equal(t, strings.Repeat("a", 128), files.Segment(strings.Repeat("a", 128)))
}

func TestWorkspaceFor(t *testing.T) {
	base := t.TempDir()
	assert.Equal(t, filepath.Join(base, "a_b"), files.WorkspaceFor(base, "a/b"))
	assert.Equal(t, base, files.WorkspaceFor(base, ""))
	assert.Equal(t, base, files.WorkspaceFor(base, ".."))
}

func TestNew(t *testing.T) {
	for name, scope := range map[string]files.Scope{
		"nothing":             {},
		"relative":            {Workspace: "ws"},
		"relative read root":  {Workspace: t.TempDir(), ReadRoots: []string{"docs"}},
		"relative base path":  {Workspace: t.TempDir(), Override: "ws"},
		"relative beside one": {Workspace: "ws", Override: t.TempDir()},
	} {
		_, err := files.New(scope)
		assert.ErrorContains(t, err, "must be an absolute path", name)
	}
	s, err := files.New(files.Scope{Override: t.TempDir(), Conversation: "mine"})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
}

// conversation is a world of one conversation among others.
func conversation(t *testing.T, change func(w *world, s *files.Scope)) *world {
	return newWorld(t, func(w *world, s *files.Scope) {
		w.write("all/other/x.txt", secret)
		w.write("all/shared.txt", secret)
		w.write("all/MINE/x.txt", secret)
		w.write("notes/n.txt", "note")
		s.Workspace, s.Conversation = filepath.Join(w.dir, "all"), "mine"
		w.ws = filepath.Join(w.dir, "all", "mine")
		change(w, s)
		if s.Override != "" {
			w.ws = s.Override
		}
	})
}

func TestConversation(t *testing.T) {
	w := conversation(t, func(*world, *files.Scope) {})
	assert.Equal(t, `[]`, w.eval(`fs.list()`))
	assert.NoDirExists(t, w.ws, "made by the first write")
	assert.Equal(t, `"WS/uploads/a.txt"`, w.eval(`fs.writeText('uploads/a.txt', 'mine')`))
	assert.Equal(t, `"mine"`, w.eval(`fs.readText('uploads/a.txt')`))
	w.link("../other", "all/mine/other")
	w.write("all/mine/in.txt", "CANARY")
	for _, path := range []string{"../other/x.txt", "../shared.txt", "..", "../other", "other/x.txt", "../mine2", w.dir + "/all/other/x.txt", "../MINE/x.txt"} {
		require.NoError(t, w.vm.Set("P", path))
		for _, use := range everyUse {
			assert.Equal(t, `SECURITY path-escapes-base`, w.eval(use), "%s of %s", use, path)
		}
		for _, use := range everyWrite {
			assert.Equal(t, `SECURITY write-outside-workspace`, w.eval(use), "%s of %s", use, path)
		}
	}
	assert.Equal(t, secret, w.file("all/other/x.txt"))
}

// A read root that holds all workspaces shows the own one and no other.
func TestConversationBelowReadRoot(t *testing.T) {
	for name, roots := range map[string]func(w *world) []string{
		"above": func(w *world) []string { return []string{w.dir} },
		"base":  func(w *world) []string { return []string{filepath.Join(w.dir, "all")} },
		"others": func(w *world) []string {
			return []string{filepath.Join(w.dir, "all", "other"), filepath.Join(w.dir, "all", "MINE")}
		},
		"alias": func(w *world) []string {
			w.link("all", "alias")
			return []string{filepath.Join(w.dir, "alias"), filepath.Join(w.dir, "alias", "other")}
		},
	} {
		w := conversation(t, func(w *world, s *files.Scope) { s.ReadRoots = roots(w) })
		w.write("all/mine/m.txt", "mine")
		require.NoError(t, w.vm.Set("DIR", w.dir))
		assert.Equal(t, `"mine"`, w.eval(`fs.readText(DIR + '/all/mine/m.txt')`), name)
		for _, path := range []string{"/all", "/all/other", "/all/other/x.txt", "/all/shared.txt", "/all/none", "/all/MINE/x.txt"} {
			require.NoError(t, w.vm.Set("P", w.dir+path))
			for _, use := range append([]string{`fs.readText(P)`}, everyUse...) {
				assert.Equal(t, `SECURITY path-escapes-base`, w.eval(use), "%s: %s of %s", name, use, path)
			}
		}
		if name == "others" {
			assert.Equal(t, `["WS"]`, w.eval(`fs.readRoots()`))
		}
		if name == "alias" {
			assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText(DIR + '/alias/other/x.txt')`))
			assert.Equal(t, `"mine"`, w.eval(`fs.readText(DIR + '/alias/mine/m.txt')`))
		}
		if name == "above" {
			assert.Equal(t, `"note"`, w.eval(`fs.readText(DIR + '/notes/n.txt')`), name)
			found := w.eval(`fs.find(DIR, '*.txt')`)
			assert.Contains(t, found, "m.txt", name)
			assert.Contains(t, found, "n.txt", name)
			assert.NotContains(t, found, "x.txt", name)
			assert.NotContains(t, found, "shared.txt", name)
			assert.NotContains(t, w.eval(`fs.searchInFiles(DIR + '/notes', '*', '.')`), secret, name)
			assert.Equal(t, `[]`, w.eval(`fs.searchInFiles(DIR, 'x.txt', 'CANARY')`), name)
		}
	}
}

// A base path confines both, conversation or not, and reaches no other
// conversation either.
func TestOverride(t *testing.T) {
	w := conversation(t, func(w *world, s *files.Scope) {
		s.Override, s.ReadRoots = filepath.Join(w.dir, "notes"), []string{w.outside}
	})
	assert.Equal(t, `["WS"]`, w.eval(`fs.readRoots()`))
	assert.Equal(t, `"note"`, w.eval(`fs.readText('n.txt')`))
	assert.Equal(t, `"WS/new"`, w.eval(`fs.writeText('new', '')`))
	assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText('../all/mine/x')`))
	assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText(OUT + '/secret.txt')`))

	for _, dir := range []string{"all/other", "all/other/sub", "all/MINE"} {
		w = conversation(t, func(w *world, s *files.Scope) { s.Override = filepath.Join(w.dir, dir) })
		assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText('x.txt')`), dir)
		assert.Equal(t, `SECURITY write-outside-workspace`, w.eval(`fs.writeText('y.txt', '')`), dir)
	}
	w = conversation(t, func(w *world, s *files.Scope) { s.Override = w.dir })
	assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText('all/other/x.txt')`))
	assert.Equal(t, `SECURITY write-outside-workspace`, w.eval(`fs.writeText('all/other/x.txt', '')`))
	assert.Equal(t, `"WS/all/mine/x.txt"`, w.eval(`fs.writeText('all/mine/x.txt', '')`))

	// The base itself is no override: a conversation keeps to its own.
	w = conversation(t, func(w *world, s *files.Scope) { s.Override = filepath.Join(w.dir, "all") + string(filepath.Separator) })
	assert.Equal(t, `SECURITY path-escapes-base`, w.eval(`fs.readText('../other/x.txt')`))
	assert.NotContains(t, w.eval(`fs.workspace()`), `all"`)
}

// The workspace of a conversation that was replaced by a link is not used.
func TestConversationIsLink(t *testing.T) {
	w := conversation(t, func(*world, *files.Scope) {})
	w.link("../outside", "all/mine")
	assert.Equal(t, `HELPER_RUNTIME io`, w.eval(`fs.readText('secret.txt')`))
	assert.Equal(t, `HELPER_RUNTIME io`, w.eval(`fs.writeText('new.txt', '')`))
	assert.Equal(t, `false`, w.eval(`fs.exists('secret.txt')`))
}

// deleteDir and moving do not remove what other conversations have.
func TestDestructiveAmongConversations(t *testing.T) {
	w := conversation(t, func(w *world, s *files.Scope) { s.Override = filepath.Dir(w.dir) })
	dir := filepath.Base(w.dir)
	for _, path := range []string{dir, dir + "/all", dir + "/all/other"} {
		require.NoError(t, w.vm.Set("P", path))
		assert.Equal(t, `SECURITY write-outside-workspace`, w.eval(`fs.deleteDir(P)`), path)
		assert.Equal(t, `SECURITY write-outside-workspace`, w.eval(`fs.move(P, 'x')`), path)
	}
	assert.Equal(t, secret, w.file("all/other/x.txt"))
	require.NoError(t, w.vm.Set("P", dir+"/notes"))
	assert.Equal(t, `2`, w.eval(`fs.deleteDir(P)`))
	if runtime.GOOS != "windows" {
		w.link("all", "alias")
		require.NoError(t, w.vm.Set("P", dir+"/alias/other/x.txt"))
		assert.Equal(t, `SECURITY write-outside-workspace`, w.eval(`fs.delete(P)`))
	}
}
