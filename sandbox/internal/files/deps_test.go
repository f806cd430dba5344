package files_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/files", depcheck.Rules{
		Ours: []string{
			"internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema", "sandbox/internal/hostcall", ".", "toolspec", "toolspec/secret", "observe/genai",
		},
		Forbid: map[string]string{
			"net/http":                         "files have nothing to do with the network",
			"os/exec":                          "nothing is started",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is the host's",
			"github.com/mark3labs/mcp-go/...":  "the sandbox does not know MCP",
		},
	})
}
