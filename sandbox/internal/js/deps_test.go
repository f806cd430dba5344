package js_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/js", depcheck.Rules{
		Ours: []string{"toolspec", "toolspec/secret", "internal/canon", "internal/canon/scan", "internal/clock", "internal/schema", "observe/genai", ".", "sandbox/internal/platform"},
		Forbid: map[string]string{
			"net/http":                         "code has no network",
			"os/exec":                          "code starts nothing",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
			"go.opentelemetry.io/otel/sdk/...": "telemetry goes through the API",
		},
	})
}
