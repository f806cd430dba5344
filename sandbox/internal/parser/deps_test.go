package parser_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/parser", depcheck.Rules{
		Ours: []string{".", "observe/genai", "toolspec", "toolspec/secret", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema", "sandbox/internal/parser/dom"},
		Forbid: map[string]string{
			"net/http":                         "a worker has no network",
			"os/exec":                          "a worker starts nothing",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is the host's",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
		},
	})
}
