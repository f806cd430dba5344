package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/examples/internal/workspace"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
)

// machine is a machine with a user, projects, and homes of localpass.
type machine struct {
	t    *testing.T
	root string
}

// newMachine sets the home directory of the user, so its tests do not run in parallel.
func newMachine(t *testing.T) *machine {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	m := &machine{t, root}
	for _, dir := range []string{"users/ann/.localpass/keys", "users/ann/project/.git/hooks", "users/ann/project/state/keys", "users/ann/.ssh", "users/ann/project/src", "elsewhere", "lp/keys", "Other"} {
		require.NoError(t, os.MkdirAll(m.at(dir), 0o700))
	}
	require.NoError(t, os.WriteFile(m.at("elsewhere/file"), nil, 0o600))
	t.Setenv("HOME", m.at("users/ann"))
	t.Setenv("USERPROFILE", m.at("users/ann"))
	return m
}

func (m *machine) at(path string) string { return filepath.Join(m.root, filepath.FromSlash(path)) }

func (m *machine) open(opts workspace.Options) *workspace.Workspace {
	m.t.Helper()
	if opts.Home == "" {
		opts.Home = m.at("lp")
	}
	w, err := workspace.New(opts)
	require.NoError(m.t, err)
	return w
}

// files are the options of a sandbox that the workspace sets.
func files(w *workspace.Workspace) *sandbox.FileOptions {
	o := &sandbox.FileOptions{Workspace: "/old"}
	w.Files(o)
	return o
}

func TestWhichDirectories(t *testing.T) {
	m := newMachine(t)
	link := func(target, name string) {
		if err := os.Symlink(m.at(target), m.at(name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	link("users/ann", "elsewhere/ann")
	link("lp/keys", "elsewhere/keys")
	link("users/ann/project", "elsewhere/project")
	for _, c := range []struct {
		dir           string
		started, name string // parts of the refusals; empty: it may be used
	}{
		{"users/ann/project", "", ""},
		{"users/ann/project/src", "", ""},
		{"elsewhere", "", ""},
		{"elsewhere/project", "", ""},
		{"users/ann", "holds your home directory", ""},
		{"users/ann/../ann/.", "holds your home directory", ""},
		{"users", "holds your home directory", ""},
		{"elsewhere/ann", "holds your home directory", ""},
		{"users/ann/.ssh", "withheld", ""},
		{"users/ann/project/.git/hooks", "withheld", ""},
		{"lp", "home of localpass", "home of localpass"},
		{"lp/keys", "home of localpass", "home of localpass"},
		{"elsewhere/keys", "home of localpass", "home of localpass"},
		{"users/ann/.localpass", "home of localpass", "home of localpass"},
		{"users/ann/.localpass/keys", "home of localpass", "home of localpass"},
		{"elsewhere/file", "not a directory", "not a directory"},
		{"nothing", "does not exist", "does not exist"},
	} {
		for _, named := range []bool{false, true} {
			w := m.open(workspace.Options{Read: true, Write: true})
			err := w.Use(t.Context(), m.at(c.dir), named)
			want := c.started
			if named {
				want = c.name
			}
			if want == "" {
				assert.NoError(t, err, c.dir)
				assert.Equal(t, workspace.ReadWrite, w.Access(), c.dir)
				d, err := files(w).Directory(t.Context())
				require.NoError(t, err)
				real, err := filepath.EvalSymlinks(m.at(c.dir))
				require.NoError(t, err)
				assert.Equal(t, sandbox.Directory{Path: real}, d)
				continue
			}
			assert.ErrorContains(t, err, want, c.dir)
			assert.Equal(t, workspace.Refused, w.Access(), c.dir)
			assert.Equal(t, err, w.Refusal())
			assert.Error(t, w.Answer(t.Context(), true))
			_, err = files(w).Directory(t.Context())
			assert.ErrorContains(t, err, want, c.dir)
		}
	}
	w := m.open(workspace.Options{})
	assert.ErrorContains(t, w.Use(t.Context(), filepath.VolumeName(m.root)+string(filepath.Separator), false), "root of the file system")

	// The home of localpass in a project is withheld, the project is not.
	w = m.open(workspace.Options{Home: m.at("users/ann/project/state"), Withheld: []string{m.at("users/ann/project/localpass.json")}})
	require.NoError(t, w.Use(t.Context(), m.at("users/ann/project"), false))
	assert.Equal(t, []string{m.at("users/ann/project/state"), m.at("users/ann/.localpass"), m.at("users/ann/project/localpass.json")}, files(w).Withheld)
	assert.Empty(t, files(w).Workspace)
	assert.ErrorContains(t, w.Use(t.Context(), m.at("users/ann/project/state/keys"), true), "home of localpass")
}

func TestAnswers(t *testing.T) {
	m := newMachine(t)
	store := memory.New()
	project, elsewhere := m.at("users/ann/project"), m.at("elsewhere")
	open := func(opts workspace.Options, dir string) *workspace.Workspace {
		t.Helper()
		w := m.open(opts)
		w.Remember(store)
		require.NoError(t, w.Use(t.Context(), dir, false))
		return w
	}
	refused := func(w *workspace.Workspace, access workspace.Access, why string) {
		t.Helper()
		assert.Equal(t, access, w.Access())
		_, err := files(w).Directory(t.Context())
		assert.ErrorContains(t, err, why)
	}
	_, err := files(m.open(workspace.Options{Read: true})).Directory(t.Context())
	assert.ErrorContains(t, err, "no directory was chosen")

	refused(open(workspace.Options{}, project), workspace.Unasked, "was not asked")
	refused(open(workspace.Options{Write: true}, project), workspace.Unasked, "was not asked")
	require.NoError(t, open(workspace.Options{}, project).Answer(t.Context(), true))
	w := open(workspace.Options{}, project)
	assert.Equal(t, workspace.ReadOnly, w.Access(), "the answer is remembered")
	d, err := files(w).Directory(t.Context())
	require.NoError(t, err)
	assert.Contains(t, d.ReadOnly, "-write")
	w.AllowWriting(true)
	assert.Equal(t, workspace.ReadWrite, w.Access())
	w.AllowWriting(false)
	assert.Equal(t, workspace.ReadOnly, w.Access())
	assert.Equal(t, workspace.ReadWrite, open(workspace.Options{Write: true}, project).Access())
	refused(open(workspace.Options{}, elsewhere), workspace.Unasked, "was not asked")
	refused(open(workspace.Options{}, m.at("users/ann/project/src")), workspace.Unasked, "was not asked")

	require.NoError(t, w.Answer(t.Context(), false))
	refused(open(workspace.Options{Write: true}, project), workspace.Denied, "does not let")
	assert.Equal(t, workspace.ReadOnly, open(workspace.Options{Read: true}, project).Access(), "-read answers")
	w = open(workspace.Options{Read: true}, elsewhere)
	require.NoError(t, w.Answer(t.Context(), false))
	refused(w, workspace.Denied, "does not let")

	w.Leave("the conversation works elsewhere")
	refused(w, workspace.Refused, "works elsewhere")
	assert.Empty(t, w.Dir())

	// An answer that cannot be read, or is about another directory, is none.
	for doc, err := range store.List(t.Context(), "workspaces", localpass.ListOptions{}) {
		require.NoError(t, err)
		doc.Data = []byte(`{"path":"/other","read":true}`)
		_, err = store.Put(t.Context(), "workspaces", doc.Key, doc)
		require.NoError(t, err)
	}
	refused(open(workspace.Options{}, project), workspace.Unasked, "was not asked")

	// A directory that was replaced is used no more.
	w = open(workspace.Options{Read: true}, m.at("Other"))
	require.NoError(t, os.Rename(m.at("Other"), m.at("Moved")))
	require.NoError(t, os.Mkdir(m.at("Other"), 0o700))
	_, err = files(w).Directory(t.Context())
	assert.ErrorContains(t, err, "not the directory any more")
}

func TestWithheldNames(t *testing.T) {
	m := newMachine(t)
	withheld := files(m.open(workspace.Options{})).WithheldName
	for _, name := range []string{".ssh", ".SSH", ".\u017fsh", ".gnupg", ".aws", ".git", ".Git", ".g\u200cit", ".env", ".ENV", ".env.local", ".envrc"} {
		assert.True(t, withheld(name), name)
	}
	for _, name := range []string{"", ".", "git", ".gitignore", ".github", "env", "src", ".config", "x.env", "ssh"} {
		assert.False(t, withheld(name), name)
	}
	withheld = files(m.open(workspace.Options{Include: []string{".git", ".ENV"}})).WithheldName
	assert.False(t, withheld(".git"))
	assert.False(t, withheld(".env"))
	assert.True(t, withheld(".env.local"), "it was not named")
	for _, bad := range []string{"a/.env", `a\.env`, "/", "..", "."} {
		_, err := workspace.New(workspace.Options{Include: []string{bad}})
		assert.ErrorContains(t, err, "-include", bad)
	}
}

// What a chat reads itself, such as a folder that is attached, leaves out what tools may
// not use.
func TestWithholds(t *testing.T) {
	m := newMachine(t)
	settings, link := m.at("users/ann/project/settings.json"), m.at("users/ann/project/link.json")
	require.NoError(t, os.WriteFile(settings, nil, 0o600))
	require.NoError(t, os.Link(settings, link))
	w := m.open(workspace.Options{Withheld: []string{settings}})
	for _, path := range []string{settings, link, m.at("lp/keys"), m.at("users/ann/.localpass/keys"), m.at("users/ann/project/.git")} {
		assert.True(t, w.Withholds(path), path)
	}
	for _, path := range []string{m.at("users/ann/project/src"), m.at("elsewhere/file")} {
		assert.False(t, w.Withholds(path), path)
	}
}

// No spelling of a withheld name is free, and a name that a user allows frees no other.
func FuzzWithheldName(f *testing.F) {
	for _, seed := range []string{".git", ".env.local", ".aws", "notes.txt", ".s\u200dsh", "\xff"} {
		f.Add(seed)
	}
	w, err := workspace.New(workspace.Options{Home: f.TempDir(), Include: []string{".included"}})
	require.NoError(f, err)
	withheld := files(w).WithheldName
	f.Fuzz(func(t *testing.T, name string) {
		spellings := []string{strings.ToLower(name), strings.ToUpper(name), strings.Map(unicode.SimpleFold, name)}
		for _, secret := range []string{".ssh", ".gnupg", ".aws", ".git"} {
			if strings.EqualFold(name, secret) {
				assert.True(t, withheld(name), name)
			}
		}
		if len(name) >= 4 && strings.EqualFold(name[:4], ".env") {
			assert.True(t, withheld(name), name)
		}
		if withheld(name) && strings.ToValidUTF8(name, "") == name {
			for _, other := range spellings[2:] {
				assert.True(t, withheld(other), "%q %q", name, other)
			}
		}
	})
}
