package mcphubtest_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "mcphub/mcphubtest", depcheck.Rules{
		Forbid: map[string]string{
			"github.com/dop251/goja/...":      "tests of transports run no JavaScript",
			"github.com/stretchr/testify/...": "a test library must not be forced on those who test their own transports",
		},
		Ours: []string{".", "mcphub", "toolspec", "toolspec/secret", "observe/genai", "internal/canon", "internal/canon/scan",
			"internal/clock", "internal/hostguard", "internal/httpapi", "internal/httpapi/sender", "internal/leak", "internal/logline", "internal/fair", "internal/fileid", "internal/poison", "internal/descriptors", "internal/termtext", "internal/schema",
			"internal/lexical", "approval"},
	})
}
