package profiles_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/profiles"
	"github.com/localpass/localpass/toolspec/secret"
)

// advised returns a chat through the advisors of a file.
func advised(t *testing.T, file string, own ...advisor.Advisor) func(question string) string {
	t.Helper()
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, config.FileName), []byte(file), 0o600))
	env := secret.Map(map[string]string{"A_KEY": "sesame-open", "OTHER": "swordfish"})
	c, err := config.Load(config.Clichat, []string{"-home", home}, env)
	require.NoError(t, err)
	a, err := profiles.OpenAdvisors(c, &profiles.AdvisorOptions{Lookup: env, Logger: slog.New(slog.DiscardHandler), Own: own,
		Mask: func(text string) string { return strings.ReplaceAll(text, "mellon", secret.Mask) }})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	model := chattest.NewModel()
	model.Rule = func(req *llm.ModelRequest) chattest.Step {
		if text := req.Messages[len(req.Messages)-1].Text(); text != "history" {
			return chattest.Say("You said: " + text)
		}
		return chattest.Say(fmt.Sprint("messages: ", len(req.Messages)))
	}
	opts := &chat.ClientOptions{}
	require.NoError(t, a.Apply(opts))
	client, err := chat.NewClient(model, opts)
	require.NoError(t, err)
	return func(question string) string {
		t.Helper()
		answer, err := chat.Collect(client.Stream(t.Context(), "c_1", llm.UserText(question), nil))
		require.NoError(t, err)
		return answer.Text()
	}
}

func TestAdvisorsOfTheConfiguration(t *testing.T) {
	log := filepath.Join(t.TempDir(), "chat.log")
	file := `{"profiles": {"work": {"provider": "compatible", "key": "${A_KEY}"}},
		"advisors": {"use": ["safeguard", "redact", "logger"], "safeguard": {"words": ["dragon"], "refusal": "Not here."},
		"redact": {"patterns": ["[A-Z]{2}[0-9]{6,8}"], "variables": ["OTHER"]}, "logger": {"file": "` + filepath.ToSlash(log) + `"}}}`
	seen := 0
	own := advisor.New("own", 0, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		seen++
		return next.Handle(ctx, req)
	})
	ask := advised(t, file, own)
	assert.Equal(t, "Not here.", ask("Tell me of the DRAGON"))
	assert.Zero(t, seen, "the safeguard is outside")
	assert.Equal(t, "You said: *** *** *** *** seen", ask("sesame-open swordfish mellon AB123456 seen"))
	assert.Equal(t, 1, seen)
	lines, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(lines), "chat.request"), "%s", lines)
	assert.Equal(t, 1, strings.Count(string(lines), "chat.answer"), "%s", lines)
	assert.NotContains(t, string(lines), "swordfish")
}

// The order is that of the list: a logger outside of the safeguard sees what it refuses.
func TestOrderOfAdvisors(t *testing.T) {
	for _, outside := range []bool{true, false} {
		log := filepath.Join(t.TempDir(), "chat.log")
		use := `"safeguard", "logger"`
		if outside {
			use = `"logger", "safeguard"`
		}
		ask := advised(t, `{"advisors": {"use": [`+use+`], "safeguard": {"words": ["dragon"]}, "logger": {"file": "`+filepath.ToSlash(log)+`"}}}`)
		assert.Contains(t, ask("a dragon"), "not allowed here")
		lines, err := os.ReadFile(log)
		require.NoError(t, err)
		assert.Equal(t, outside, strings.Contains(string(lines), "chat.request"))
	}
}

func TestMemoryOfTheConfiguration(t *testing.T) {
	for kind, want := range map[string]string{"off": "messages: 1", "process": "messages: 3"} {
		ask := advised(t, `{"advisors": {"memory": {"kind": "`+kind+`"}}}`)
		ask("hello")
		assert.Contains(t, ask("history"), want, kind)
	}
}
