package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// What people read later and what they give away mask the same secrets: those of the
// program, those that are stored or were, and those that the environment holds for a
// tool that nobody has called.
func TestMasks(t *testing.T) {
	t.Setenv("MASKS_TEST_KEY", "out-of-the-environment")
	const token = "the-token-of-mcp-clients"
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "demo"), MCPToken: token})
	values := []string{token, "out-of-the-environment", "the-first-value", "the-second-value"}
	for _, v := range values[2:] {
		status, _, _ := w.do("PUT", "/api/secrets/STORED_KEY", map[string]any{"value": v})
		require.Equal(t, http.StatusNoContent, status)
	}
	keyed := doubler("keyed") // never called
	keyed["staticVariables"] = []map[string]any{{"key": "${MASKS_TEST_KEY}"}}
	status, _, _ := w.do("POST", "/api/tools", keyed)
	require.Equal(t, http.StatusCreated, status)

	conv := w.ask(fmt.Sprintf("Repeat: %q", values))
	for _, format := range []string{"md", "txt", "html", "json"} {
		res, err := http.Get(w.url + "/api/conversations/" + conv["id"].(string) + "/export?format=" + format)
		require.NoError(t, err)
		raw, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode, format)
		assert.Contains(t, string(raw), "***", format)
		for _, v := range values {
			assert.NotContains(t, string(raw), v, format)
		}
	}

	leaky := doubler("leaky") // knows what nobody told it
	leaky["code"] = fmt.Sprintf("throw new Error(%q);\n", fmt.Sprint(values))
	_, _, tool := w.do("POST", "/api/tools", leaky)
	w.do("POST", "/api/tools/"+tool["id"].(string)+"/runs?wait=1", struct{}{})
	require.Eventually(t, func() bool { return len(w.traces("q=leaky&status=error")) == 1 }, patience, 10*time.Millisecond)
	id := w.traces("q=leaky&status=error")[0].(map[string]any)["traceId"].(string)
	_, _, whole := w.do("GET", "/api/observe/traces/"+id, nil)
	raw, err := json.Marshal(whole)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "***")
	for _, v := range values {
		assert.NotContains(t, string(raw), v)
	}
}
