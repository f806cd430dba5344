package egress_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/egress", depcheck.Rules{
		Ours: []string{"toolspec", "toolspec/secret", "observe/genai", ".", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema"},
		Forbid: map[string]string{
			"github.com/dop251/goja/...":       "a guard is of use without an engine",
			"os/exec":                          "a guard starts no programs",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is handed in",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
		},
	})
}
