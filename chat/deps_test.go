package chat_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "chat", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/sashabaranov/...":            "a provider's library belongs to the package that adapts it",
			"github.com/ollama/...":                  "a provider's library belongs to the package that adapts it",
			"github.com/mark3labs/...":               "a hub is one more source of tools",
			"github.com/dop251/goja/...":             "a chat runs no code",
			"go.opentelemetry.io/otel/sdk/...":       "telemetry is handed in; the SDK belongs to the program",
			"go.opentelemetry.io/otel/exporters/...": "telemetry is handed in; exporters belong to the program",
			"github.com/stretchr/testify/...":        "a test library must not reach a program",
		},
		Ours: []string{".", "approval", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan",
			"internal/clock", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/logline", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema"},
	})
}
