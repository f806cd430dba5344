package server_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// recorded is a server with one question in its record, and the record's file.
func recorded(t *testing.T) (w *world, home, file string) {
	t.Helper()
	home = t.TempDir()
	w = serve(t, &server.Options{Home: home})
	status, _, _ := w.do("PUT", "/api/mcp/approval-policies", map[string]any{"serverId": "", "toolName": "uuid", "side": "server", "policy": "ASK_USER"})
	require.Equal(t, 200, status)
	var files []string
	require.NoError(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(filepath.Dir(path), filepath.Join("_logs", "audit")) {
			files = append(files, path)
		}
		return err
	}))
	require.Len(t, files, 1)
	return w, home, files[0]
}

// The record of a home is verified when somebody looks. What damage looks like is
// tested in package mcphub.
func TestCheckAudit(t *testing.T) {
	t.Parallel()
	w, _, file := recorded(t)
	status, _, answer := w.do("GET", "/api/approvals/audit", nil)
	require.Equal(t, 200, status)
	require.Equal(t, true, answer["verified"], answer)
	assert.Positive(t, answer["records"])
	assert.Empty(t, answer["problems"])

	for name, now := range map[string]string{"rewritten": "{}\nnothing of it\n", "one text": "nothing of it", "emptied": ""} {
		require.NoError(t, os.WriteFile(file, []byte(now), 0o600))
		status, _, answer = w.do("GET", "/api/approvals/audit", nil)
		require.Equal(t, 200, status)
		assert.Equal(t, false, answer["verified"], name)
		assert.NotEmpty(t, answer["problems"], name)
	}
	require.NoError(t, os.Remove(file))
	_, _, answer = w.do("GET", "/api/approvals/audit", nil)
	assert.Equal(t, false, answer["verified"])
	assert.Contains(t, answer["problems"].([]any)[0], "this program has written")
}

// After a restart nobody remembers what was written, and what stands there is
// told all the same.
func TestCheckAuditLater(t *testing.T) {
	t.Parallel()
	w, home, file := recorded(t)
	w.stop()
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(file, []byte("nothing of it\n"), 0o600))
	w = serve(t, &server.Options{Home: home})
	_, _, answer := w.do("GET", "/api/approvals/audit", nil)
	assert.Equal(t, false, answer["verified"])
	assert.Contains(t, answer["problems"].([]any)[0], "damaged")

	require.NoError(t, os.Truncate(file, 0))
	_, _, answer = w.do("GET", "/api/approvals/audit", nil)
	assert.Len(t, answer["empty"], 1, "that a file is empty is told, though it may be as it should")
}
