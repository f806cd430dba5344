package studioapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// box is the sandbox of all tests that run code for good.
var box *sandbox.Sandbox

func TestMain(m *testing.M) {
	sandbox.Main()
	testrun.InMemory()
	workspace, err := os.MkdirTemp("", "studioapi")
	if err == nil {
		box, err = sandbox.New(&sandbox.Options{Workers: 2, Files: &sandbox.FileOptions{Workspace: workspace}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	box.Close()
	os.RemoveAll(workspace)
	os.Exit(code)
}

// shout passes and prints.
const shout = `{
  "name": "shout", "description": "Writes a text in capitals, for signs and headlines.", "category": "TEXT", "tags": ["util"], "codeType": "Javascript",
  "params": [{"name": "text", "description": "The text, such as hello.", "type": "STRING", "required": true, "testValue": "quiet"}],
  "code": "console.log('got', text);\nreturn {out: text.toUpperCase()};",
  "x-tests": [{"name": "hello", "args": {"text": "hello"}, "want": {"out": "HELLO"}}, {"args": {"text": "x"}, "want": {"out": "X"}}]
}`

// world is an API over a real sandbox, and a client of it that holds every
// answer against the description.
type world struct {
	*apitest.Client
	api    *studioapi.API
	studio *studio.Studio
	store  *memory.Store
	log    *apitest.Log
}

func newWorld(t *testing.T, studioOpts *studio.Options, opts *studioapi.Options) *world {
	t.Helper()
	return worldOn(t, box, studioOpts, opts)
}

func worldOn(t *testing.T, runner toolspec.Runner, studioOpts *studio.Options, opts *studioapi.Options) *world {
	t.Helper()
	w := &world{store: memory.New(), log: &apitest.Log{}}
	var err error
	w.studio, err = studio.New(context.Background(), runner, w.store, studioOpts)
	require.NoError(t, err)
	if opts == nil {
		opts = &studioapi.Options{}
	}
	opts.Logger = slog.New(slog.NewTextHandler(w.log, nil))
	w.api, err = studioapi.New(w.studio, opts)
	require.NoError(t, err)
	w.Client = apitest.NewClient(t, w.api)
	t.Cleanup(func() { require.NoError(t, w.api.Close()) }) // before its client
	return w
}

// create stores a tool and returns its path and its tag.
func (w *world) create(document string) (path, tag string) {
	w.T.Helper()
	r := w.OK(201, "POST", "/api/tools", document)
	return r.Header.Get("Location"), r.Header.Get("ETag")
}
