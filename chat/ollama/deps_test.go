package ollama_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "chat/ollama", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/sashabaranov/...":      "another provider's library",
			"github.com/mark3labs/...":         "a hub is one more source of tools",
			"github.com/dop251/goja/...":       "a provider runs no code",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is handed in",
			"github.com/stretchr/testify/...":  "a test library must not reach a program",
		},
	})
}
