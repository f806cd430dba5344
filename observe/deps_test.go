package observe_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

// A recorder within the process needs neither the SDK of OpenTelemetry nor any of
// the packages that it looks at.
func TestDeps(t *testing.T) {
	depcheck.Check(t, "observe", depcheck.Rules{
		Forbid: map[string]string{
			"go.opentelemetry.io/otel/sdk/...": "the collector is fed through a sink",
			"github.com/mark3labs/...":         "it knows no protocol",
			"github.com/dop251/goja/...":       "it runs no code",
			"google.golang.org/grpc/...":       "exporters live in packages of their own",
		},
		Ours: []string{"internal/canon/scan", "internal/clock", "internal/hostguard", "internal/httpapi", "observe/genai"},
	})
}
