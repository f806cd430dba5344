package platform_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/platform", depcheck.Rules{
		Ours: []string{},
		Forbid: map[string]string{
			"net/http":                        "a worker has no network",
			"os/exec":                         "a worker starts nothing",
			"go.opentelemetry.io/...":         "telemetry is the host's",
			"github.com/mark3labs/mcp-go/...": "the sandbox does not know MCP",
			"github.com/nlnwa/...":            "URLs are parsed here",
		},
	})
}
