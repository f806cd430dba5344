package worker_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "internal/worker", depcheck.Rules{
		Ours: []string{"internal/descriptors"},
		Forbid: map[string]string{
			"net/http":                        "a worker has no network",
			"github.com/dop251/goja/...":      "what runs in a worker is its user's matter",
			"github.com/mark3labs/mcp-go/...": "workers know no MCP",
			"go.opentelemetry.io/...":         "telemetry is the parent's",
		},
	})
}
