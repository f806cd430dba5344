package openai_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "chat/openai", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/ollama/...":            "the adapters do not know each other",
			"github.com/mark3labs/...":         "a hub is one more source of tools",
			"github.com/dop251/goja/...":       "a chat runs no code",
			"github.com/stretchr/...":          "a test library must not reach a program",
			"go.opentelemetry.io/otel/sdk/...": "telemetry is handed in; the SDK belongs to the program",
		},
		Ours: []string{".", "chat", "chat/internal/rescue", "chat/internal/wire", "approval", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan",
			"internal/clock", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/logline", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema"},
	})
}
