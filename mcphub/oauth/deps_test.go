package oauth_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "mcphub/oauth", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/dop251/goja/...":             "the guard of requests is of use without an engine",
			"go.opentelemetry.io/otel/sdk/...":       "telemetry is handed in",
			"go.opentelemetry.io/otel/exporters/...": "telemetry is handed in",
			"github.com/stretchr/testify/...":        "a test library must not reach a program",
		},
		Ours: []string{".", "mcphub", "sandbox/egress", "approval", "toolspec", "toolspec/secret", "observe/genai", "internal/canon",
			"internal/canon/scan", "internal/clock", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/logline", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema"},
	})
}
