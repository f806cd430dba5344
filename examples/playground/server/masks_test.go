package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// Traces and exports mask the same secrets: tokens of the program, secrets that are or were
// stored, and those in the environment, also for a tool that was never called.
func TestMasks(t *testing.T) {
	t.Setenv("MASKS_TEST_KEY", "out-of-the-environment")
	const token = "the-token-of-mcp-clients"
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "demo"), MCPToken: token})
	values := []string{token, "out-of-the-environment", "the-first-value", "the-second-value"}
	for _, v := range values[2:] {
		w.must(http.StatusNoContent, "PUT", "/api/secrets/STORED_KEY", jsonObject{"value": v})
	}
	keyed := doubler("keyed") // never called
	keyed["staticVariables"] = []jsonObject{{"key": "${MASKS_TEST_KEY}"}}
	w.must(http.StatusCreated, "POST", "/api/tools", keyed)

	conv := w.ask(fmt.Sprintf("Repeat: %q", values))
	for _, format := range []string{"md", "txt", "html", "json"} {
		status, _, text := w.send("GET", "/api/conversations/"+conv["id"].(string)+"/export?format="+format, "")
		require.Equal(t, http.StatusOK, status, format)
		assert.Contains(t, text, "***", format)
		for _, v := range values {
			assert.NotContains(t, text, v, format)
		}
	}

	leaky := doubler("leaky") // contains the secrets in its code
	leaky["code"] = fmt.Sprintf("throw new Error(%q);\n", fmt.Sprint(values))
	_, _, tool := w.do("POST", "/api/tools", leaky)
	w.do("POST", "/api/tools/"+tool["id"].(string)+"/runs?wait=1", struct{}{})
	require.Eventually(t, func() bool { return len(w.traces("q=leaky&status=error")) == 1 }, patience, 10*time.Millisecond)
	id := w.traces("q=leaky&status=error")[0].(jsonObject)["traceId"].(string)
	whole := asJSON(t, w.get("/api/observe/traces/"+id))
	assert.Contains(t, whole, "***")
	for _, v := range values {
		assert.NotContains(t, whole, v)
	}
}
