package lower_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/lower", depcheck.Rules{
		Ours: []string{"toolspec", "toolspec/secret", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema", "observe/genai", "."},
		Forbid: map[string]string{
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
			"go.opentelemetry.io/otel/sdk/...": "telemetry goes through the API",
			// The translator's package links net/http and os/exec for a server
			// and a watcher that are never started here.
		},
	})
}
