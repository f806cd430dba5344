package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// secret is what stands in files that nothing may read.
const secret = "CANARY-not-for-tools"

// world is a workspace with both halves of fs, beside files that are none of
// the code's business.
type world struct {
	t       testing.TB
	dir     string // holds everything
	ws      string // the workspace
	outside string // holds canaries
	service *files.Service
	vm      *goja.Runtime
	ctx     context.Context
}

// newWorld makes a world. A change can alter the scope, which grants everything
// in the workspace dir/ws.
func newWorld(t testing.TB, change ...func(w *world, s *files.Scope)) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, dir: dir, ws: filepath.Join(dir, "ws"), outside: filepath.Join(dir, "outside"), ctx: context.Background()}
	w.write("outside/secret.txt", secret+"\n")
	w.write("outside/sub/deep.txt", secret+"\n")
	require.NoError(t, os.MkdirAll(w.ws, 0o700))
	scope := files.Scope{Workspace: w.ws, Read: true, Write: true, Destructive: true}
	for _, f := range change {
		f(w, &scope)
	}
	w.service, err = files.New(scope)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.service.Close()); w.untouched() })
	w.vm = goja.New()
	safety := w.vm.NewObject()
	require.NoError(t, files.Install(w.vm, safety, &files.Options{Read: scope.Read, Write: scope.Write, Call: w.call, Limits: scope.Limits}))
	require.NoError(t, w.vm.Set("safety", safety))
	return w
}

func (w *world) call(req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	return w.service.Serve(w.ctx, req)
}

// write makes a file below dir.
func (w *world) write(name, content string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(content), 0o600))
}

func (w *world) link(target, name string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	if err := os.Symlink(target, path); err != nil {
		w.t.Skipf("no symbolic links here: %v", err)
	}
}

// file reads a file below dir; "<none>" when there is none.
func (w *world) file(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return "<none>"
	}
	require.NoError(w.t, err)
	return string(data)
}

// untouched checks that the canaries are as they were, and alone.
func (w *world) untouched() {
	w.t.Helper()
	found := map[string]string{}
	require.NoError(w.t, filepath.WalkDir(w.outside, func(path string, d fs.DirEntry, err error) error {
		require.NoError(w.t, err)
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			require.NoError(w.t, err)
			rel, _ := filepath.Rel(w.outside, path)
			found[filepath.ToSlash(rel)] = string(data)
		}
		return nil
	}))
	assert.Equal(w.t, map[string]string{"secret.txt": secret + "\n", "sub/deep.txt": secret + "\n"}, found, "files outside of the scope")
}

// eval runs an expression. It gives the value as JSON, or "KIND reason" of the
// error that was thrown; WS and OUT stand for the two directories.
func (w *world) eval(expr string) string {
	w.t.Helper()
	require.NoError(w.t, w.vm.Set("WS", w.ws))
	require.NoError(w.t, w.vm.Set("OUT", w.outside))
	v, err := w.vm.RunString(`(function () {
		const fs = safety.fs;
		try { return JSON.stringify(` + expr + `) }
		catch (e) {
			if (e.name !== 'SafetyError') return String(e);
			if (!(e instanceof Error) || e instanceof TypeError || e.helper !== 'safety.fs' || !e.message.includes(': ')) return 'BAD ' + e.message;
			return e.kind + ' ' + e.reason;
		}
	})()`)
	require.NoError(w.t, err)
	return strings.ReplaceAll(v.String(), jsonText(w.ws), "WS")
}

// jsonText is s as it stands inside of a JSON string.
func jsonText(s string) string {
	data, _ := json.Marshal(s)
	return strings.Trim(string(data), `"`)
}

// ask performs an operation on the service directly.
func (w *world) ask(op string, args string, data ...byte) (hostcall.Reply, *toolspec.CallError) {
	return w.service.Serve(w.ctx, hostcall.Request{Op: op, Args: json.RawMessage(args), Data: data})
}

// reason is "KIND reason" of a failure, "" of none.
func reason(err *toolspec.CallError) string {
	if err == nil {
		return ""
	}
	return string(err.Kind) + " " + err.Reason
}

// counted is a context that ends after so many looks at it.
type counted struct {
	context.Context
	left int
	err  error
}

func (c *counted) Err() error {
	if c.left--; c.left >= 0 {
		return nil
	}
	return c.err
}

func unixMilli(ms int64) time.Time { return time.UnixMilli(ms) }
