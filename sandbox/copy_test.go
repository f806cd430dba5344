package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// scratchRequest is a run of a test: everything is granted, in a copy.
func scratchRequest(code string) *toolspec.RunRequest {
	req := request(code)
	req.Posture.FileRead, req.Posture.FileWrite, req.Posture.Destructive, req.Scratch = true, true, true, true
	return req
}

// A run in a copy sees the workspace under its own path and changes nothing of
// it; the next sees nothing of the run.
func TestWorkspaceCopy(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		base, outside, temp := t.TempDir(), t.TempDir(), t.TempDir()
		base, err := filepath.EvalSymlinks(base)
		require.NoError(t, err)
		write := func(path, text string) {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		write(filepath.Join(base, "a.txt"), "one")
		write(filepath.Join(base, "docs", "b.txt"), "two")
		write(filepath.Join(outside, "secret.txt"), "secret")
		day := time.Unix(1_700_000_000, 0)
		require.NoError(t, os.Chtimes(filepath.Join(base, "a.txt"), day, day))
		for name, to := range map[string]string{"in": "docs/b.txt", "in-absolute": filepath.Join(base, "a.txt"), "out": filepath.Join(outside, "secret.txt"),
			"out-dir": outside, "up": "../" + filepath.Base(outside), "nowhere": "not-there"} {
			require.NoError(t, os.Symlink(to, filepath.Join(base, name)))
		}
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: base, ScratchDir: temp, ReadRoots: []string{filepath.Join(base, "docs")}}})
		code := fmt.Sprintf(`const at = %q
			const seen = [safety.fs.readText('a.txt'), safety.fs.readText(at + '/docs/b.txt'), safety.fs.readText('in'), safety.fs.readText('in-absolute'),
				['out', 'out-dir', 'up'].map(x => safety.fs.list().includes(x)), safety.fs.workspace() === at, safety.fs.stat('a.txt').modified]
			safety.fs.writeText('a.txt', 'changed'); safety.fs.writeText(at + '/docs/b.txt', 'changed too'); safety.fs.writeText('new.txt', 'x')
			seen.push(safety.fs.readText(at + '/a.txt'), safety.fs.readText(at + '/docs/b.txt'))
			safety.fs.deleteDir('docs')
			return seen`, base)
		var first string
		for range 2 { // the second finds what the first found
			out := run(t, s, scratchRequest(code))
			require.Nil(t, out.Err)
			if first == "" {
				first = string(out.Result)
			}
			assert.Equal(t, first, string(out.Result))
			assert.Equal(t, activity.WorkspaceCopy, out.Workspace)
		}
		assert.Contains(t, first, `["one","two","two","one",[false,false,false],true,`)
		assert.Contains(t, first, `"changed","changed too"]`)
		text, err := os.ReadFile(filepath.Join(base, "a.txt"))
		require.NoError(t, err)
		assert.Equal(t, "one", string(text))
		assert.FileExists(t, filepath.Join(base, "docs", "b.txt"))
		assert.NoFileExists(t, filepath.Join(base, "new.txt"))
		left, err := filepath.Glob(filepath.Join(temp, "*", "run-*"))
		require.NoError(t, err)
		assert.Empty(t, left, "the copies are gone")

		req := scratchRequest(`safety.fs.writeText('new.txt', 'x'); return 1`)
		req.Scratch = false
		out := run(t, s, req)
		require.Nil(t, out.Err)
		assert.Equal(t, activity.WorkspaceReal, out.Workspace)
		assert.FileExists(t, filepath.Join(base, "new.txt"), "a call works in the real one")
		assert.Equal(t, activity.WorkspaceNone, run(t, s, request(`return 1`)).Workspace)
	})
}

// What cannot be copied is not tested, and nothing of it is used.
func TestWorkspaceCopyBounds(t *testing.T) {
	base := t.TempDir()
	for i := range 3 {
		require.NoError(t, os.WriteFile(filepath.Join(base, fmt.Sprint(i)), make([]byte, 400<<10), 0o644))
	}
	for name, tt := range map[string]struct {
		files sandbox.FileOptions
		want  string
	}{
		"bytes":        {sandbox.FileOptions{CopyBytes: 1 << 20}, toolspec.ReasonWorkspaceTooLarge},
		"files":        {sandbox.FileOptions{CopyFiles: 2}, toolspec.ReasonWorkspaceTooLarge},
		"within":       {sandbox.FileOptions{CopyBytes: 3 * 400 << 10, CopyFiles: 3}, ""},
		"does not lie": {sandbox.FileOptions{ScratchDir: filepath.Join(base, "0", "no-directory")}, toolspec.ReasonWorkspaceCopy},
	} {
		t.Run(name, func(t *testing.T) {
			tt.files.Workspace = base
			s := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Workers: 1, Files: &tt.files})
			out := run(t, s, scratchRequest(`safety.fs.writeText('0', 'gone'); return 1`))
			if tt.want == "" {
				require.Nil(t, out.Err)
				return
			}
			require.NotNil(t, out.Err)
			assert.Equal(t, tt.want, out.Err.Reason)
			assert.True(t, out.Unfinished)
			assert.Contains(t, out.Err.Message, base)
			assert.Contains(t, out.Err.Message, "x-fixtures")
			info, err := os.Stat(filepath.Join(base, "0"))
			require.NoError(t, err)
			assert.EqualValues(t, 400<<10, info.Size())
		})
	}
	s := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Workers: 1, Files: &sandbox.FileOptions{Workspace: base}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Run(ctx, scratchRequest(`return 1`))
	assert.ErrorIs(t, err, context.Canceled)
}

// The workspaces of conversations, and a base path of the spec's own.
func TestWorkspaceCopyOfConversations(t *testing.T) {
	base, own := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "c1"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "c1", "mine.txt"), []byte("x"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(own, "own.txt"), []byte("x"), 0o644))
	s := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Workers: 1, Files: &sandbox.FileOptions{Workspace: base, BasePaths: []string{own}}})
	for name, change := range map[string]func(*toolspec.RunRequest){
		`["mine.txt"]`: func(r *toolspec.RunRequest) { r.Conversation = "c1" },
		`["c1"]`:       func(*toolspec.RunRequest) {},
		`[]`:           func(r *toolspec.RunRequest) { r.Conversation = "c2" },
		`["own.txt"]`: func(r *toolspec.RunRequest) {
			r.Conversation, r.Posture.FSBasePath, r.Spec.Overrides.FSBasePath = "c1", own, &own
		},
	} {
		req := scratchRequest(`const seen = safety.fs.list(); safety.fs.writeText('new.txt', 'x'); return seen`)
		change(req)
		out := run(t, s, req)
		require.Nil(t, out.Err)
		assert.JSONEq(t, name, string(out.Result))
	}
	for _, dir := range []string{base, filepath.Join(base, "c1"), own} {
		assert.NoFileExists(t, filepath.Join(dir, "new.txt"))
	}
	assert.NoDirExists(t, filepath.Join(base, "c2"))
}

// What a program that crashed left is removed by the next start; what another one
// uses is not.
func TestWorkspaceCopiesAreSwept(t *testing.T) {
	temp, base := t.TempDir(), t.TempDir()
	left := filepath.Join(temp, "localpass-scratch-1")
	require.NoError(t, os.MkdirAll(filepath.Join(left, "run-1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(left, "lock"), nil, 0o600))
	young := filepath.Join(temp, "localpass-scratch-2")
	require.NoError(t, os.MkdirAll(young, 0o700))
	open := func() *sandbox.Sandbox {
		return newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Workers: 1, Files: &sandbox.FileOptions{Workspace: base, ScratchDir: temp}})
	}
	one := open()
	assert.NoDirExists(t, left)
	assert.DirExists(t, young, "its program may be about to lock it")
	require.Nil(t, run(t, one, scratchRequest(`return 1`)).Err)
	used, err := filepath.Glob(filepath.Join(temp, "localpass-scratch-*", "lock"))
	require.NoError(t, err)
	require.Len(t, used, 1)
	open()
	assert.FileExists(t, used[0])
	require.NoError(t, one.Close())
	assert.NoFileExists(t, used[0])
}
