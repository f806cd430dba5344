package mcphub_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
			"internal/clock", "internal/hostguard", "internal/httpapi", "internal/logline", "internal/poison", "internal/schema"},
	})
}

// The hub starts no processes. What it links may: a terminal approver has an
// editor.
func TestStartsNoProcesses(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	imports := strings.Fields(string(out))
	require.Contains(t, imports, "context")
	assert.NotContains(t, imports, "os/exec")
}
