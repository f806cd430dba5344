package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
)

// The advisors of the file are around every question, and what is wrong with them is
// said with file and line.
func TestAdvisorsOfTheFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(home, config.FileName), []byte(text), 0o600))
	}
	write(`{"advisors": {"use": ["safeguard", "redact", "logger"],
		"safeguard": {"words": ["dragon"], "refusal": "Not here."}, "redact": {"patterns": ["[A-Z]{2}[0-9]{6}"]}}}`)
	ask := func(question string) ran { return once(t, "", "-home", home, "-tools", "none", question) }
	assert.Equal(t, "Not here.\n", ask("A dragon?").out)
	got := ask("my number is AB123456")
	assert.Equal(t, "You said: my number is ***\n", got.out)
	assert.Contains(t, got.err, "chat.request")
	assert.NotContains(t, got.err, "AB123456")
	assert.Contains(t, once(t, "", "-home", home, "-set", "advisors.use=", "-tools", "none", "A dragon?").out, "A dragon?")

	write("{\n\"advisors\": {\n\"use\": [\"logger\", \"safegard\"]}}")
	got = ask("hello")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.err, "localpass.json:3:19: advisors.use[1]: it must be one of")
}
