package demo_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "chat/demo", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/dop251/goja/...":      "a chat runs no code",
			"github.com/stretchr/testify/...": "a test library must not reach a program",
		},
		Ours: []string{".", "approval", "chat", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan",
			"internal/clock", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/lexical", "internal/logline", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema"},
	})
}
