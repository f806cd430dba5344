package config_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/ollama/ollama/envconfig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/toolspec/secret"
)

func environment(vars map[string]string) *config.Environment {
	return config.ReadEnvironment(secret.Map(vars))
}

// OLLAMA_HOST is read as Ollama's own client reads it.
func TestOllamaHost(t *testing.T) {
	for _, host := range []string{
		"", "localhost", "gpu.example", "gpu.example:1234", "127.0.0.1", "192.0.2.7:8080", "[::1]", "[::1]:1234", "::1", "2001:db8::1",
		"http://gpu.example", "http://gpu.example:1234", "http://gpu.example/", "https://gpu.example", "https://gpu.example:8443/ollama", "http://[::1]:1234",
		"ollama.com", ` "gpu.example:1234" `, "'gpu.example'", "gpu.example:1234/ollama/",
	} {
		t.Setenv("OLLAMA_HOST", host)
		s, err := environment(map[string]string{"OLLAMA_HOST": host}).Ollama("")
		require.NoError(t, err, host)
		got, err := url.Parse(s.Place)
		require.NoError(t, err, host)
		want := envconfig.Host()
		if host == "" { // localhost is that address, and ::1 too
			assert.Equal(t, "localhost:11434", got.Host)
			continue
		}
		assert.Equal(t, want.Scheme+"://"+want.Host, got.Scheme+"://"+got.Host, host)
		assert.Equal(t, strings.Trim(want.Path, "/"), strings.Trim(got.Path, "/"), host)
	}
	for host, want := range map[string]string{
		":1234": "http://127.0.0.1:1234", "0.0.0.0": "http://127.0.0.1:11434", "0.0.0.0:1234": "http://127.0.0.1:1234", "[::]:1234": "http://127.0.0.1:1234", "http://0.0.0.0": "http://127.0.0.1:80", "HTTP://localhost:1": "http://localhost:1",
	} {
		s, err := environment(map[string]string{"OLLAMA_HOST": host}).Ollama("")
		require.NoError(t, err, host)
		assert.Equal(t, want, s.Place, host)
		assert.True(t, s.Loopback(), host)
	}
	for _, host := range []string{"ftp://x", "localhost:99999", "localhost:hidden", "http://me:hidden@localhost", "localhost?hidden", "a:b:hidden", "a hidden", "http://localhost/x?hidden"} {
		_, err := environment(map[string]string{"OLLAMA_HOST": host}).Ollama("")
		require.ErrorContains(t, err, "OLLAMA_HOST: ", host)
		assert.NotContains(t, err.Error(), "hidden", host)
		_, err = environment(map[string]string{"OLLAMA_HOST": host}).Ollama("http://localhost:1")
		assert.NoError(t, err, "%s is not asked", host)
	}
}

// The key belongs to one server.
func TestKeyBelongsToOneServer(t *testing.T) {
	const key = "sk-of-a-test-0815"
	for name, c := range map[string]struct {
		base, asked, place, model string
		withheld                  bool
	}{
		"OpenAI's own":              {place: "https://api.openai.com/v1", model: "gpt-5.4-mini"},
		"OpenAI's own, named":       {asked: "https://API.openai.com:443/v1", place: "https://API.openai.com:443/v1", model: "gpt-5.4-mini"},
		"another than OpenAI":       {asked: "https://models.example/v1", place: "https://models.example/v1", withheld: true},
		"OpenAI over plain HTTP":    {asked: "http://api.openai.com/v1", place: "http://api.openai.com/v1", withheld: true},
		"a name that begins so":     {asked: "https://api.openai.com.example/v1", place: "https://api.openai.com.example/v1", withheld: true},
		"the base URL":              {base: " https://models.example/v1\n", place: "https://models.example/v1"},
		"another path":              {base: "https://models.example/v1", asked: "https://models.example/other", place: "https://models.example/other"},
		"another port":              {base: "https://models.example/v1", asked: "https://models.example:8443/v1", place: "https://models.example:8443/v1", withheld: true},
		"OpenAI beside a base URL":  {base: "https://models.example/v1", asked: "https://api.openai.com/v1", place: "https://api.openai.com/v1", model: "gpt-5.4-mini", withheld: true},
		"beside a base URL of none": {base: "not a url", asked: "https://models.example/v1", place: "https://models.example/v1", withheld: true},
	} {
		t.Run(name, func(t *testing.T) {
			env := environment(map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": c.base})
			s, err := env.OpenAI("", c.asked)
			require.NoError(t, err)
			assert.Equal(t, c.place, s.Place)
			assert.Equal(t, c.model, s.Model)
			assert.Equal(t, c.withheld, s.Note != "", s.Note)
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", env, env, env, s.Note), key)
		})
	}
	for base, want := range map[string]string{
		"http://models.example/v1":          "OPENAI_API_KEY: ",
		"https://me:hidden@models":          "OPENAI_BASE_URL: ",
		"https://models/?key=hidden":        "OPENAI_BASE_URL: ",
		"models.example/hidden":             "OPENAI_BASE_URL: ",
		"https://models.example/\x01hidden": "OPENAI_BASE_URL: ",
	} {
		_, err := environment(map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": base}).OpenAI("", "")
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), key)
		assert.NotContains(t, err.Error(), "hidden")
	}
	_, err := environment(map[string]string{"OPENAI_API_KEY": key + "\n"}).OpenAI("", "")
	require.ErrorContains(t, err, "OPENAI_API_KEY: ")
	assert.NotContains(t, err.Error(), key)
	_, err = environment(map[string]string{"OPENAI_BASE_URL": "http://models.example/v1"}).OpenAI("", "")
	assert.NoError(t, err, "without a key")
}

func TestModelOfTheEnvironment(t *testing.T) {
	for _, c := range []struct{ vars, provider, name string }{
		{"gpt-5", "", "gpt-5"}, {"ollama/hf.co/a/b", "ollama", "hf.co/a/b"}, {"meta/llama", "", "meta/llama"}, {"", "", ""},
	} {
		provider, name := environment(map[string]string{"LOCALPASS_MODEL": c.vars}).Model()
		assert.Equal(t, c.provider, provider)
		assert.Equal(t, c.name, name)
	}
	for _, other := range []string{"LOCALPASS_PROFILE", "LOCALPASS_BASE_URL"} {
		_, name := environment(map[string]string{"LOCALPASS_MODEL": "gpt-5", other: "x"}).Model()
		assert.Empty(t, name, other)
	}
	assert.Equal(t, "OPENAI_API_KEY", environment(map[string]string{"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "x"}).Sets(config.OpenAI))
	assert.Equal(t, "OPENAI_BASE_URL", environment(map[string]string{"OPENAI_BASE_URL": "x"}).Sets(config.OpenAI))
	assert.Equal(t, "OLLAMA_HOST", environment(map[string]string{"OLLAMA_HOST": "x"}).Sets(config.Ollama))
	assert.Empty(t, environment(nil).Sets(config.OpenAI))
	assert.Empty(t, environment(nil).Sets(config.Ollama))
}
