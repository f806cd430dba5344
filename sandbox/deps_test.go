package sandbox_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox", depcheck.Rules{
		Ours: []string{
			".", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema",
			"internal/worker", "sandbox/egress", "sandbox/internal/fetch", "sandbox/internal/files", "sandbox/internal/hostcall", "sandbox/internal/js",
			"sandbox/internal/lower", "sandbox/internal/parser", "sandbox/internal/parser/dom", "sandbox/internal/platform",
		},
		Forbid: map[string]string{
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
			"go.opentelemetry.io/otel/sdk/...": "telemetry goes through the API",
			"testing":                          "tests stay outside",
		},
	})
}
