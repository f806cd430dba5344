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

// recorded returns a server with one record in its audit log, and the file of the log.
func recorded(t *testing.T) (w *playground, home, file string) {
	t.Helper()
	home = t.TempDir()
	w = serve(t, &server.Options{Home: home})
	w.must(200, "PUT", "/api/mcp/approval-policies", jsonObject{"serverId": "", "toolName": "uuid", "side": "server", "policy": "ASK_USER"})
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

// The audit log of a home is verified on request. Package mcphub/audit tests the kinds of
// damage.
func TestCheckAudit(t *testing.T) {
	t.Parallel()
	w, _, file := recorded(t)
	answer := w.must(200, "GET", "/api/approvals/audit", nil)
	require.Equal(t, true, answer["verified"], answer)
	assert.Positive(t, answer["records"])
	assert.Empty(t, answer["problems"])

	for name, now := range map[string]string{"rewritten": "{}\nnothing of it\n", "one text": "nothing of it", "emptied": ""} {
		require.NoError(t, os.WriteFile(file, []byte(now), 0o600))
		answer = w.must(200, "GET", "/api/approvals/audit", nil)
		assert.Equal(t, false, answer["verified"], name)
		assert.NotEmpty(t, answer["problems"], name)
	}
	require.NoError(t, os.Remove(file))
	answer = w.get("/api/approvals/audit")
	assert.Equal(t, false, answer["verified"])
	assert.Contains(t, answer["problems"].([]any)[0], "this program has written")
}

// After a restart the program does not know what was written before, and still reports
// damage.
func TestCheckAuditLater(t *testing.T) {
	t.Parallel()
	w, home, file := recorded(t)
	w.end()
	require.NoError(t, os.WriteFile(file, []byte("nothing of it\n"), 0o600))
	w = serve(t, &server.Options{Home: home})
	answer := w.get("/api/approvals/audit")
	assert.Equal(t, false, answer["verified"])
	assert.Contains(t, answer["problems"].([]any)[0], "damaged")

	require.NoError(t, os.Truncate(file, 0))
	answer = w.get("/api/approvals/audit")
	assert.Len(t, answer["empty"], 1, "an empty file is reported, although it may be in order")
}
