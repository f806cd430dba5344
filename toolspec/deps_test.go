package toolspec_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

// The vocabulary links no engine, no protocol and no network.
func TestDeps(t *testing.T) {
	depcheck.Check(t, "toolspec", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/dop251/goja/...":       "a service without a sandbox links no JavaScript engine",
			"github.com/mark3labs/...":         "the vocabulary knows no protocol",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is handed in",
			"net/http":                         "nothing here reaches a network",
			"net":                              "nothing here reaches a network",
			"os/exec":                          "nothing here starts a process",
		},
		Ours: []string{".", "internal/canon", "internal/canon/scan", "internal/clock", "internal/fair", "internal/fileid", "internal/schema", "internal/poison", "internal/descriptors", "internal/termtext", "observe/genai", "toolspec/secret"},
	})
}
