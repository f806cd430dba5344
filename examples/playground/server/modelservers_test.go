package server_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/modelserver"
	"github.com/localpass/localpass/examples/playground/server"
)

const modelServers = "/api/settings/model/servers"

// A server of models is connected, answers without a restart, is changed and removed.
func TestConnectModelServer(t *testing.T) {
	t.Parallel()
	one, ollama := modelserver.New(t, "one"), modelserver.New(t, "ollama")
	one.Require("right-key-0815", false)
	home := t.TempDir()
	w := serve(t, &server.Options{Config: configured(t, home, "-profile", "demo")})
	list := w.must(http.StatusOK, "PUT", modelServers+"/a-b", jsonObject{"provider": "openai", "baseURL": one.URL + "/v1", "key": " right-key-0815\n", "model": "m"})
	assert.Equal(t, jsonObject{"name": "a-b", "provider": "openai", "baseURL": one.URL + "/v1", "model": "m", "key": "stored", "keyName": "LOCALPASS_MODEL_KEY_A_B", "editable": true}, list)
	w.must(http.StatusOK, "PUT", modelServers+"/a_b", jsonObject{"provider": "openai", "baseURL": one.URL + "/v1", "key": "right-key-0815"})
	w.must(http.StatusOK, "PUT", modelServers+"/local", jsonObject{"provider": "ollama", "baseURL": ollama.URL})
	items := w.get(modelServers)["items"].([]any)
	var names []any
	for _, item := range items {
		names = append(names, item.(jsonObject)["name"], item.(jsonObject)["keyName"], item.(jsonObject)["editable"])
	}
	assert.Equal(t, []any{"a-b", "LOCALPASS_MODEL_KEY_A_B", true, "a_b", "LOCALPASS_MODEL_KEY_A_B_2", true, "local", nil, true, "demo", nil, false, "ollama", nil, false}, names)

	w.must(http.StatusOK, "PUT", "/api/settings/model", jsonObject{"provider": "a-b", "name": "m"})
	assert.Equal(t, "I am one", lastText(w.ask("hello")), "no restart")
	// A change without a key keeps the stored one, and the model in use is asked anew.
	w.must(http.StatusOK, "PUT", modelServers+"/a-b", jsonObject{"provider": "openai", "baseURL": one.URL + "/v2", "model": "other"})
	assert.Equal(t, "I am one", lastText(w.ask("hello")))
	assert.Contains(t, one.Models(), "other")

	secrets := w.get("/api/secrets")["items"].([]any)
	assert.Equal(t, []any{"model server a-b"}, secrets[0].(jsonObject)["usedBy"])
	w.must(http.StatusConflict, "PUT", "/api/secrets/LOCALPASS_MODEL_KEY_A_B", jsonObject{"value": "untested"})
	status, _, _ := w.do("DELETE", "/api/secrets/LOCALPASS_MODEL_KEY_A_B", nil)
	assert.Equal(t, http.StatusConflict, status)

	for name, c := range map[string]struct {
		status int
		path   string
		body   jsonObject
	}{
		"another provider": {400, "/x", jsonObject{"provider": "demo"}},
		"no address":       {422, "/x", jsonObject{"provider": "openai", "baseURL": "nowhere"}},
		"a key with a gap": {422, "/x", jsonObject{"provider": "openai", "baseURL": one.URL, "key": "two words"}},
		"a short key":      {422, "/x", jsonObject{"provider": "openai", "baseURL": one.URL, "key": "abc"}},
		"a built-in name":  {422, "/ollama", jsonObject{"provider": "ollama", "baseURL": ollama.URL}},
		"a bad name":       {422, "/a%20b", jsonObject{"provider": "ollama", "baseURL": ollama.URL}},
		"a reserved name":  {422, "/openai", jsonObject{"provider": "ollama", "baseURL": ollama.URL}},
		"no key any more":  {422, "/a-b", jsonObject{"provider": "openai", "baseURL": one.URL + "/v1", "key": ""}},
		"another server":   {422, "/a-b", jsonObject{"provider": "openai", "baseURL": ollama.URL}},
	} {
		got := w.must(c.status, "PUT", modelServers+c.path, c.body)
		assert.NotEmpty(t, got["detail"], name)
	}
	w.must(http.StatusNotFound, "DELETE", modelServers+"/demo", nil)
	w.must(http.StatusConflict, "DELETE", modelServers+"/a-b", nil)
	for _, name := range []string{"a_b", "local"} {
		status, _, _ := w.do("DELETE", modelServers+"/"+name, nil)
		assert.Equal(t, http.StatusNoContent, status, name)
	}
	assert.Len(t, w.get(modelServers)["items"], 3)
	assert.Empty(t, ollama.Keys())
	w.end()

	w = serve(t, &server.Options{Home: home})
	assert.Equal(t, "I am one", lastText(w.ask("hello")), "the next start finds the profile and its key")
}

// The headers of a profile stay with its server, and so do an address of a flag and a
// file that somebody edited.
func TestConnectModelServerRefuses(t *testing.T) {
	t.Parallel()
	one, two := modelserver.New(t, "one"), modelserver.New(t, "two")
	home := t.TempDir()
	file := filepath.Join(home, config.FileName)
	text := `{"profiles": {"with": {"provider": "compatible", "baseURL": "` + one.URL + `/v1", "headers": {"X-Test": "0815"}}, "keyed": {"provider": "compatible", "baseURL": "` + one.URL + `/v1", "key": "${NOT_SET_ANYWHERE}"}}}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	w := serve(t, &server.Options{Config: configured(t, home, "-profile", "with", "-base-url", two.URL+"/v1")})
	w.must(http.StatusConflict, "PUT", modelServers+"/with", jsonObject{"provider": "compatible", "baseURL": one.URL + "/v1"})
	w.must(http.StatusConflict, "DELETE", modelServers+"/with", nil)
	w.end()

	w = serve(t, &server.Options{Config: configured(t, home, "-profile", "demo")})
	got := w.must(http.StatusUnprocessableEntity, "PUT", modelServers+"/with", jsonObject{"provider": "compatible", "baseURL": two.URL + "/v1"})
	assert.Contains(t, got["detail"], "has headers for")
	assert.Empty(t, two.Headers())
	got = w.must(http.StatusOK, "POST", modelServers+"/test", jsonObject{"name": "with", "provider": "compatible", "baseURL": one.URL + "/v2"})
	assert.Equal(t, true, got["ok"])
	assert.Equal(t, []any{"first-of-one"}, got["models"])
	require.NoError(t, os.WriteFile(file, []byte(`{"profiles": {"with": {"provider": "demo"}}}`), 0o600))
	w.must(http.StatusConflict, "PUT", modelServers+"/with", jsonObject{"provider": "compatible", "baseURL": one.URL + "/v2"})
	w.must(http.StatusConflict, "DELETE", modelServers+"/with", nil)
}

// A failed test of a model server says what happened and what to do.
func TestModelServerProblems(t *testing.T) {
	t.Parallel()
	w := serve(t, &server.Options{Config: configured(t, "", "-profile", "demo")})
	respond := func(status int, body string) string {
		s := testServer(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
		})
		return s + "/v1"
	}
	for name, c := range map[string]struct {
		at, provider, key, problem string
	}{
		"forbidden":    {respond(403, "{}"), "compatible", "a-key", "does not allow this use"},
		"rate limited": {respond(429, "{}"), "compatible", "a-key", "no more requests"},
		"down":         {respond(500, "{}"), "compatible", "", "failure of its own (HTTP 500)"},
		"a web page":   {respond(404, "<html>"), "compatible", "", "not as an OpenAI-compatible server"},
		"no Ollama":    {respond(200, "<html>"), "ollama", "", "not as Ollama"},
		"refused":      {"http://127.0.0.1:9", "ollama", "", "No Ollama answers"},
		"empty list":   {respond(200, `{"object":"list","data":[]}`), "compatible", "a-key", "could not be tested"},
		"another code": {respond(418, `{"error":{"message":"a teapot"}}`), "compatible", "", "a teapot"},
	} {
		body := jsonObject{"provider": c.provider, "baseURL": c.at}
		if c.key != "" {
			body["key"] = c.key
		}
		got := w.must(http.StatusOK, "POST", modelServers+"/test", body)
		assert.Equal(t, false, got["ok"], name)
		assert.Contains(t, got["problem"], c.problem, name)
		assert.NotEmpty(t, got["advice"], name)
	}
}

// testServer serves until the test ends, and returns the address.
func testServer(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}
