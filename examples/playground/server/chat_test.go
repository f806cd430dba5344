package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// Without a model server the demonstration model answers, and says why it was chosen.
func TestChatWithTheDemo(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "demo")})
	m := w.model("demo")
	assert.Equal(t, "demo", m["name"])
	assert.Equal(t, "-profile demo", m["why"])
	got := w.ask("What time is it in UTC? Use the tool getCurrentTime.")
	assert.Len(t, got["toolCalls"], 1, "a tool of the hub was called")
	home := w.get("/api/home")
	assert.InDelta(t, 1, home["calls"], 0, "the call is counted")

	w.must(http.StatusBadRequest, "PUT", "/api/settings/model", map[string]string{"provider": "nobody", "name": "x"})
	w.must(http.StatusBadRequest, "PUT", "/api/settings/model", map[string]string{"provider": "demo"})
}

// The model that was chosen on the page is used after a restart, unless a flag names another.
func TestChosenModelSurvivesRestart(t *testing.T) {
	t.Parallel()
	base := fakeModels(t)
	home := filepath.Join(t.TempDir(), "home")
	w := serve(t, &server.Options{Config: configured(t, home, "-profile", "compatible", "-base-url", base)})
	m := w.model("ready")
	assert.Equal(t, "small", m["name"], "the first model that the server has")
	assert.Equal(t, base, m["place"])
	assert.Equal(t, map[string]any{"compatible": base, "ollama": "http://localhost:11434"}, m["places"])
	assert.Equal(t, "hi", lastText(w.ask("hello")))
	now := w.must(http.StatusOK, "PUT", "/api/settings/model", map[string]string{"provider": "demo", "name": "demo-text"})
	assert.Equal(t, "demo-text", now["name"])
	assert.Contains(t, lastText(w.ask("long answer 20")), "demonstration")
	w.end()

	w = serve(t, &server.Options{Home: home})
	assert.Equal(t, "demo-text", w.Model().Name)
	assert.Equal(t, "chosen in localpass.json:3", w.Model().Why)
	w.end()

	w = serve(t, &server.Options{Config: configured(t, home, "-profile", "compatible", "-base-url", base, "-model", "large")})
	assert.Equal(t, "large", w.model("ready")["name"])
}

// With a key, OpenAI is used. The key is not shown.
func TestChatWithAKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "a-key-of-nobody-0815")
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "openai", "-base-url", fakeModels(t))})
	m := w.model("ready")
	assert.Equal(t, "openai", m["provider"])
	assert.NotContains(t, asJSON(t, m), "nobody-0815")
}

// The program starts without its model server, and reports that it cannot reach it.
func TestChatWithoutModelServer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	base := gone.URL
	gone.Close()
	for _, profile := range []string{"ollama", "compatible"} {
		w := serve(t, &server.Options{Config: configured(t, "", "-profile", profile, "-base-url", base, "-set", "chat.attempts=1")})
		m := w.model("unreachable")
		assert.Equal(t, profile, m["provider"])
		assert.NotEmpty(t, m["problem"])
		again := w.must(http.StatusOK, "POST", "/api/settings/model/check", nil, "Content-Type: application/json")
		assert.Equal(t, "unreachable", again["state"])
		got := w.ask("hello")
		records := got["turnRecords"].([]any)
		assert.Equal(t, "failed", records[0].(jsonObject)["status"])
		w.end()
	}
}

func TestNegativePaceIsRefused(t *testing.T) {
	t.Parallel()
	s, err := server.New(context.Background(), &server.Options{Home: t.TempDir(), DemoPace: -1})
	require.Error(t, err)
	assert.Nil(t, s)
}
