package sandbox_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox", depcheck.Rules{
		Ours: []string{
			".", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan", "internal/clock", "internal/schema",
			"internal/worker", "sandbox/internal/js", "sandbox/internal/platform",
		},
		Forbid: map[string]string{
			"net/http":                         "the sandbox has no network",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
			"go.opentelemetry.io/otel/sdk/...": "telemetry goes through the API",
			"testing":                          "tests stay outside",
		},
	})
}
