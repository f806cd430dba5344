package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
)

// kept is a workspace of the user in which a home and files with certain names are
// withheld. All of them contain canaries.
func kept(t testing.TB, change ...func(w *world, s *files.Scope)) *world {
	t.Helper()
	return newWorld(t, append([]func(w *world, s *files.Scope){func(w *world, s *files.Scope) {
		for _, name := range []string{"ws/home/keys/secret.key", "ws/.git/config", "ws/sub/.git/config", "ws/.env", "ws/sub/.ENV.local", "ws/alone/.env"} {
			w.write(name, secret)
		}
		w.write("ws/notes.txt", "the notes\n")
		w.write("ws/sub/more.txt", "more notes\n")
		w.link("home", "ws/door")
		w.link(filepath.Join(w.ws, ".git"), "ws/sub/door")
		w.link("../.env", "ws/sub/env.txt")
		w.link("..", "ws/sub/up")
		s.Own, s.Withheld = true, []string{filepath.Join(w.ws, "home"), filepath.Join(w.dir, "nothing")}
		s.WithheldName = func(name string) bool {
			name = strings.ToLower(name)
			return name == ".git" || strings.HasPrefix(name, ".env")
		}
	}}, change...)...)
}

func TestWithheld(t *testing.T) {
	w := kept(t)
	const no = "SECURITY withheld"
	for expr, want := range map[string]string{
		`fs.readText('notes.txt')`:                        `"the notes\n"`,
		`fs.readText('sub/up/notes.txt')`:                 `"the notes\n"`,
		`fs.list('.')`:                                    `["alone","door","notes.txt","sub"]`,
		`fs.list('sub')`:                                  `["sub/door","sub/env.txt","sub/more.txt","sub/up"]`,
		`fs.find('.', '*')`:                               `["alone","door","notes.txt","sub","sub/door","sub/env.txt","sub/more.txt","sub/up"]`,
		`fs.searchInFiles('.', '*', 'CANARY')`:            `[]`,
		`fs.exists('.env')`:                               `false`,
		`fs.exists('.git/none')`:                          `false`,
		`fs.readText('home/keys/secret.key')`:             no,
		`fs.readText(WS + '/home/keys/secret.key')`:       no,
		`fs.readText('sub/../home/./keys//secret.key')`:   no,
		`fs.readText('door/keys/secret.key')`:             no,
		`fs.list('home')`:                                 no,
		`fs.stat('home')`:                                 no,
		`fs.readText('.git/config')`:                      no,
		`fs.readText('sub/.git/config')`:                  no,
		`fs.readText('sub/door/config')`:                  no,
		`fs.readText('.env')`:                             no,
		`fs.readText('sub/env.txt')`:                      no,
		`fs.readText('sub/.ENV.local')`:                   no,
		`fs.copy('.env', 'copy.txt')`:                     no,
		`fs.copy('notes.txt', '.env')`:                    no,
		`fs.writeText('.git/hooks/post-commit', 'x')`:     no,
		`fs.writeText('new/.git/hooks/post-commit', 'x')`: no,
		`fs.writeText('home/more', 'x')`:                  no,
		`fs.appendText('.env.production', 'x')`:           no,
		`fs.editText('.env', 'CANARY', 'x')`:              no,
		`fs.move('home', 'elsewhere')`:                    no,
		`fs.move('.env', 'env')`:                          no,
		`fs.move('notes.txt', 'home/notes.txt')`:          no,
		`fs.move('alone', 'other')`:                       no,
		`fs.delete('.env')`:                               no,
		`fs.deleteDir('.git')`:                            no,
		`fs.deleteDir('home')`:                            no,
		`fs.deleteDir('alone')`:                           no,
		`fs.readText('../outside/secret.txt')`:            "SECURITY path-escapes-base",
		`fs.writeText('../outside/new.txt', 'x')`:         "SECURITY write-outside-workspace",
	} {
		assert.Equal(t, want, w.eval(expr), expr)
	}
	assert.Equal(t, `["a/b.txt"]`, w.eval(`fs.writeText('a/b.txt', 'x') && fs.list('a')`))
	assert.Equal(t, `true`, w.eval(`fs.writeText('a/c.txt', 'x') !== ''`))
	require.NoError(t, os.WriteFile(filepath.Join(w.ws, "a", "usual"), nil, 0o666))
	usual, err := os.Stat(filepath.Join(w.ws, "a", "usual"))
	require.NoError(t, err)
	made, err := os.Stat(filepath.Join(w.ws, "a", "c.txt"))
	require.NoError(t, err)
	assert.Equal(t, usual.Mode(), made.Mode(), "in a directory of the user, new files have the usual permissions")
	assert.Equal(t, `4`, w.eval(`fs.move('a', 'c') && fs.deleteDir('c')`))
	assert.NotEmpty(t, w.service.Denials())
}

// A root that lies in what is withheld cannot be used at all.
func TestWithheldRoot(t *testing.T) {
	w := kept(t, func(w *world, s *files.Scope) { s.Workspace = filepath.Join(w.ws, "home", "keys") })
	assert.Equal(t, "SECURITY withheld", w.eval(`fs.list('.')`))
	assert.Equal(t, "SECURITY withheld", w.eval(`fs.readText('secret.key')`))
	assert.Equal(t, "SECURITY withheld", w.eval(`fs.writeText('new', 'x')`))

	w = kept(t, func(w *world, s *files.Scope) { s.ReadRoots = []string{filepath.Join(w.ws, "home")} })
	assert.Equal(t, "SECURITY withheld", w.eval(`fs.readText(WS + '/home/keys/secret.key')`))
	assert.Equal(t, `["WS"]`, w.eval(`fs.readRoots()`))

	// The name of a root itself is not looked at: the operator named it.
	w = kept(t, func(w *world, s *files.Scope) { s.Workspace = filepath.Join(w.ws, ".git") })
	assert.Equal(t, `"`+secret+`"`, w.eval(`fs.readText('config')`))

	_, err := files.New(files.Scope{Workspace: t.TempDir(), Withheld: []string{"relative"}})
	assert.ErrorContains(t, err, "absolute")
}

// A workspace that is only read says why.
func TestReadOnly(t *testing.T) {
	w := kept(t, func(_ *world, s *files.Scope) { s.ReadOnly = "say -write" })
	assert.Equal(t, `"the notes\n"`, w.eval(`fs.readText('notes.txt')`))
	assert.Equal(t, "SECURITY read-only", w.eval(`fs.writeText('notes.txt', 'x')`))
	_, err := w.ask("fs.delete", `{"path":"notes.txt"}`)
	require.NotNil(t, err)
	assert.Equal(t, "delete: say -write", err.Message)
}

// No path leads to what is withheld.
func FuzzWithheld(f *testing.F) {
	for _, path := range []string{"notes.txt", ".env", "./.env", "sub/../.env", "sub/up/.env", "sub/env.txt", "home/keys/secret.key", "door/keys/secret.key",
		"sub/door/config", "sub/up/sub/up/home/keys/secret.key", "sub/.ENV.local", "../outside/secret.txt", "/", ".", "", "\x00", "alone", ".git/../.env", "door/../.env"} {
		f.Add(path, path)
	}
	f.Fuzz(func(t *testing.T, path, to string) {
		w := kept(t)
		args, err := json.Marshal(map[string]any{"path": path, "to": to, "glob": "*", "pattern": "CANARY"})
		require.NoError(t, err)
		for _, op := range []string{"readText", "readBytes", "list", "stat", "exists", "find", "searchInFiles", "slice", "copy", "move", "writeText", "appendText", "delete", "deleteDir"} {
			reply, _ := w.ask("fs."+op, string(args), []byte("x")...)
			assert.NotContains(t, string(reply.Data)+string(reply.Value), secret, op)
		}
		for _, name := range []string{"home/keys/secret.key", ".git/config", "sub/.git/config", ".env", "sub/.ENV.local", "alone/.env"} {
			assert.Equal(t, secret, w.file("ws/"+name), name)
		}
		require.NoError(t, filepath.WalkDir(w.ws, func(at string, d os.DirEntry, err error) error {
			if rel, _ := filepath.Rel(w.ws, at); err == nil && d.Type().IsRegular() && !strings.Contains(rel, "home") && !strings.Contains(strings.ToLower(rel), ".git") && !strings.Contains(strings.ToLower(rel), ".env") {
				data, err := os.ReadFile(at)
				assert.NoError(t, err)
				assert.NotContains(t, string(data), secret, at)
			}
			return err
		}))
	})
}
