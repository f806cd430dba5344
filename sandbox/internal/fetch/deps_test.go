package fetch_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/fetch", depcheck.Rules{
		Ours: []string{
			"sandbox/egress", "sandbox/internal/hostcall", "toolspec", "toolspec/secret", "observe/genai",
			".", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema",
		},
		Forbid: map[string]string{
			"os/exec":                          "fetch starts no programs",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is handed in",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
		},
	})
}
