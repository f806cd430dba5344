package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// "mcpserver pass" in a shell, beside a server on the same home: what it finds out
// counts for the server at once, also of a tool that comes from a file.
func TestPassBesideAServer(t *testing.T) {
	t.Parallel()
	var bad atomic.Bool
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"ok":%t}`, !bad.Load()) }))
	defer backend.Close()
	host, home, dir := backend.Listener.Addr().String(), t.TempDir(), t.TempDir()
	file := toolFile(t, dir, "fickle", "return (await fetch('"+backend.URL+"')).json()", map[string]any{
		"sandboxOverrides": map[string]any{"networkMode": "allowlist", "hostsAllow": []string{host}},
		"x-tests":          []any{map[string]any{"want": map[string]any{"ok": true}}}})
	steady := toolFile(t, dir, "steady", "return 1", nil)
	p := launch(t, "-home", home, "-allow-host", host, "-specs", file, "-specs", steady)
	p.initialize(t)
	require.Equal(t, []string{"fickle", "steady"}, p.tools(t, "2"))

	bad.Store(true)
	_, _, code := output(t, "pass", "-home", home, "-allow-host", host, file)
	require.Equal(t, 1, code)
	p.becomes(t, "3", "steady")
	bad.Store(false)
	stdout, stderr, code := output(t, "pass", "-home", home, "-allow-host", host, file)
	require.Equal(t, 0, code, stdout+stderr)
	p.becomes(t, "4", "fickle", "steady")
	assert.False(t, p.call(t, "5", "fickle", `{}`).IsError)
}
