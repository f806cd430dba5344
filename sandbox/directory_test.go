package sandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// The program chooses the directory of each run; what is withheld stays so in every
// directory.
func TestChosenDirectory(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		dir, named := t.TempDir(), t.TempDir()
		for name, text := range map[string]string{"notes.txt": "the notes", "home/key": "CANARY", ".env": "CANARY"} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		chosen, problem := sandbox.Directory{Path: dir}, error(nil)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{
			BasePaths: []string{named, dir},
			Directory: func(context.Context) (sandbox.Directory, error) { return chosen, problem },
			Withheld:  []string{filepath.Join(dir, "home")}, WithheldName: func(name string) bool { return name == ".env" },
		}})
		do := func(code string, change func(*toolspec.RunRequest)) *toolspec.Outcome {
			t.Helper()
			req := request(code)
			req.Posture.FileRead, req.Posture.FileWrite, req.Conversation = true, true, "c1"
			if change != nil {
				change(req)
			}
			return run(t, s, req)
		}
		result := func(code, want string, change func(*toolspec.RunRequest)) {
			t.Helper()
			out := do(code, change)
			require.Nil(t, out.Err, code)
			assert.JSONEq(t, want, string(out.Result), code)
		}
		refused := func(code, reason string, change func(*toolspec.RunRequest)) {
			t.Helper()
			out := do(code, change)
			require.NotNil(t, out.Err, code)
			assert.Equal(t, []string{string(toolspec.KindSecurity), reason}, []string{string(out.Err.Kind), out.Err.Reason}, code)
			assert.NotEmpty(t, out.Denials, code)
		}
		result(`safety.fs.writeText('new.txt', 'x'); return [safety.fs.readText('notes.txt'), safety.fs.list()]`, `["the notes",["new.txt","notes.txt"]]`, nil)
		assert.FileExists(t, filepath.Join(dir, "new.txt"), "no directory of a conversation lies between")
		refused(`return safety.fs.readText('home/key')`, "withheld", nil)
		refused(`return safety.fs.readText('.env')`, "withheld", nil)

		scratch := func(req *toolspec.RunRequest) { req.Scratch = true }
		result(`safety.fs.writeText('test.txt', 'x'); return safety.fs.list()`, `["test.txt"]`, scratch)
		assert.NoFileExists(t, filepath.Join(dir, "test.txt"), "a test works elsewhere")

		own := func(path string) func(*toolspec.RunRequest) {
			return func(req *toolspec.RunRequest) {
				spec := *req.Spec
				spec.Overrides.FSBasePath, req.Posture.FSBasePath, req.Spec = &path, path, &spec
			}
		}
		result(`return safety.fs.list()`, `[]`, own(named))
		refused(`return safety.fs.readText('home/key')`, "withheld", own(dir))
		result(`return safety.fs.list()`, `["new.txt","notes.txt"]`, func(req *toolspec.RunRequest) { own(dir)(req); scratch(req) })
		refused(`return safety.fs.readText(`+"`${safety.fs.workspace()}/.env`"+`)`, "withheld", func(req *toolspec.RunRequest) { own(dir)(req); scratch(req) })

		chosen.ReadOnly = "the user said so"
		result(`return safety.fs.readText('notes.txt')`, `"the notes"`, nil)
		refused(`safety.fs.writeText('notes.txt', 'x')`, "read-only", nil)
		problem = errors.New("no directory was named")
		refused(`return safety.fs.readText('notes.txt')`, sandbox.ReasonNoDirectory, nil)
		result(`return safety.fs.list()`, `[]`, scratch)
	})
}
