package approval_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

// Deciding about a call needs no sandbox, no hub and no model.
func TestDeps(t *testing.T) {
	depcheck.Check(t, "approval", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/dop251/goja/...":       "a gate runs no code",
			"github.com/mark3labs/...":         "a gate knows no protocol: the hub adapts it",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is handed in",
		},
		Ours: []string{".", "internal/canon", "internal/canon/scan", "internal/clock", "internal/descriptors", "internal/fair", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/fileid", "internal/poison", "internal/termtext", "internal/schema",
			"observe/genai", "toolspec", "toolspec/secret"},
	})
}
