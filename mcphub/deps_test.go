package mcphub_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "mcphub", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/dop251/goja/...":             "a hub serves tools that hold a pass; it knows no JavaScript engine",
			"go.opentelemetry.io/otel/sdk/...":       "telemetry is handed in; the SDK belongs to the program",
			"go.opentelemetry.io/otel/exporters/...": "telemetry is handed in; exporters belong to the program",
			"github.com/stretchr/testify/...":        "a test library must not reach a program",
		},
		Ours: []string{".", "approval", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan",
			"internal/clock", "internal/descriptors", "internal/fair", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/logline", "internal/fileid", "internal/poison", "internal/termtext", "internal/schema"},
	})
}
