package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
)

// fakeModels answers as an OpenAI-compatible server does.
func fakeModels(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"small","object":"model"}]}`))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"id":"x","object":"chat.completion.chunk","model":"small","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// model waits until the model of the first page is in a state.
func (w *world) model(state string) map[string]any {
	w.t.Helper()
	var m map[string]any
	require.Eventually(w.t, func() bool {
		_, _, home := w.do("GET", "/api/home", nil)
		m = home["model"].(map[string]any)
		return m["state"] == state
	}, patience, 10*time.Millisecond, "the model becomes %s", state)
	return m
}

// ask puts a question in a new conversation and waits for the end of the turn.
func (w *world) ask(text string) map[string]any {
	w.t.Helper()
	status, _, conv := w.do("POST", "/api/conversations", map[string]any{})
	require.Equal(w.t, http.StatusCreated, status)
	path := "/api/conversations/" + conv["id"].(string)
	status, _, answer := w.do("POST", path+"/turns", map[string]any{"text": text}, "Accept", "application/json")
	require.Equal(w.t, http.StatusAccepted, status, "%v", answer)
	var got map[string]any
	require.Eventually(w.t, func() bool {
		_, _, got = w.do("GET", path, nil)
		return got["turnId"] == nil
	}, patience, 10*time.Millisecond)
	return got
}

func lastText(conv map[string]any) string {
	all := conv["messages"].([]any)
	return all[len(all)-1].(map[string]any)["content"].(string)
}

// Without anything installed the demo answers, and says why it does.
func TestChatWithTheDemo(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "demo")})
	m := w.model("demo")
	assert.Equal(t, "demo", m["name"])
	assert.Equal(t, "-profile demo", m["why"])
	got := w.ask("What time is it in UTC? Use the tool getCurrentTime.")
	assert.Len(t, got["toolCalls"], 1, "a tool of the hub was called")
	_, _, home := w.do("GET", "/api/home", nil)
	assert.InDelta(t, 1, home["calls"], 0, "and stands among the calls")

	status, _, p := w.do("PUT", "/api/settings/model", map[string]string{"provider": "nobody", "name": "x"})
	assert.Equal(t, http.StatusBadRequest, status, "%v", p)
	status, _, _ = w.do("PUT", "/api/settings/model", map[string]string{"provider": "demo"})
	assert.Equal(t, http.StatusBadRequest, status)
}

// A choice of the page is there after a restart, and a flag goes before it.
func TestChatModelIsKept(t *testing.T) {
	t.Parallel()
	base := fakeModels(t)
	home := filepath.Join(t.TempDir(), "home")
	w := serve(t, &server.Options{Config: configured(t, home, "-profile", "compatible", "-base-url", base)})
	m := w.model("ready")
	assert.Equal(t, "small", m["name"], "the first that is there")
	assert.Equal(t, base, m["place"])
	assert.Equal(t, "hi", lastText(w.ask("hello")))
	status, _, now := w.do("PUT", "/api/settings/model", map[string]string{"provider": "demo", "name": "demo-text"})
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, "demo-text", now["name"])
	assert.Contains(t, lastText(w.ask("long answer 20")), "demonstration")
	w.stop()
	require.NoError(t, w.Close())

	w = serve(t, &server.Options{Home: home})
	assert.Equal(t, "demo-text", w.Model().Name)
	assert.Equal(t, "chosen in localpass.json:3", w.Model().Why)
	w.stop()
	require.NoError(t, w.Close())

	w = serve(t, &server.Options{Config: configured(t, home, "-profile", "compatible", "-base-url", base, "-model", "large")})
	assert.Equal(t, "large", w.model("ready")["name"])
}

// A key makes OpenAI the first choice.
func TestChatWithAKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "a-key-of-nobody-0815")
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "openai", "-base-url", fakeModels(t))})
	m := w.model("ready")
	assert.Equal(t, "openai", m["provider"])
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "nobody-0815")
}

// A provider that is away is told of, and does not keep the program from starting.
func TestChatWithoutItsModel(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	base := gone.URL
	gone.Close()
	for _, profile := range []string{"ollama", "compatible"} {
		w := serve(t, &server.Options{Config: configured(t, "", "-profile", profile, "-base-url", base, "-set", "chat.attempts=1")})
		m := w.model("unreachable")
		assert.Equal(t, profile, m["provider"])
		assert.NotEmpty(t, m["problem"])
		status, _, again := w.do("POST", "/api/settings/model/check", nil, "Content-Type", "application/json")
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "unreachable", again["state"])
		got := w.ask("hello")
		records := got["turnRecords"].([]any)
		assert.Equal(t, "failed", records[0].(map[string]any)["status"])
		w.stop()
		require.NoError(t, w.Close())
	}
}

func TestChatRefusesAWrongPace(t *testing.T) {
	t.Parallel()
	s, err := server.New(context.Background(), &server.Options{Home: t.TempDir(), DemoPace: -1})
	require.Error(t, err)
	assert.Nil(t, s)
}
