package memory_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "persistence/memory", depcheck.Rules{
		Forbid: map[string]string{
			"net/...":                         "a store in memory talks to nobody",
			"os/exec":                         "it starts nothing",
			"go.opentelemetry.io/...":         "observation comes in above it",
			"github.com/dop251/goja/...":      "it runs no script",
			"github.com/mark3labs/mcp-go/...": "it serves nothing",
		},
		Ours: []string{".", "persistence/internal/contract"},
	})
}
