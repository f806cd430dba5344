package js_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/js", depcheck.Rules{
		Ours: []string{"toolspec", "toolspec/secret", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema", "observe/genai", ".", "sandbox/egress", "sandbox/internal/fetch", "sandbox/internal/files",
			"sandbox/internal/hostcall", "sandbox/internal/lower", "sandbox/internal/parser", "sandbox/internal/parser/dom", "sandbox/internal/platform"},
		Forbid: map[string]string{
			"os/exec":                          "code starts nothing",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
			"go.opentelemetry.io/otel/sdk/...": "telemetry goes through the API",
		},
	})
}
