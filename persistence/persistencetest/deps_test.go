package persistencetest_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	// The suite belongs into tests, so the packages for tests may be there.
	depcheck.Check(t, "persistence/persistencetest", depcheck.Rules{
		Forbid: map[string]string{
			"go.opentelemetry.io/...":         "the suite observes through the contract alone",
			"github.com/dop251/goja/...":      "it runs no script",
			"github.com/mark3labs/mcp-go/...": "it serves nothing",
		},
		Ours: []string{".", "internal/leak"},
	})
}
