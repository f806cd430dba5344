package file_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "persistence/file", depcheck.Rules{
		Forbid: map[string]string{
			"net/...":                         "files need no network",
			"os/exec":                         "it starts nothing",
			"go.opentelemetry.io/...":         "observation comes in above it",
			"github.com/dop251/goja/...":      "it runs no script",
			"github.com/mark3labs/mcp-go/...": "it serves nothing",
		},
		Ours: []string{".", "internal/canon/scan", "internal/fileid", "internal/logline", "persistence/internal/contract"},
	})
}
