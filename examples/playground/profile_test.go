package main

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/modelserver"
	"github.com/localpass/localpass/internal/testrun"
)

// The profile that is chosen takes its URL, its model and its key from nowhere
// else: not from the file where that chooses another, not from variables of the
// environment that name another server. Without LOCALPASS_FULL a third of the cases run.
func TestProfilesStayWhole(t *testing.T) {
	const key = "sk-environment-0815"
	cases := map[string]struct {
		args  []string
		env   map[string]string // "//OPENAI", "//OTHER" and "//OLLAMA" are the servers
		file  string
		who   string // is asked
		model string // answers
		key   bool   // was sent to who
		err   string // ends the program
	}{
		"the environment":                           {env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1"}, who: "OPENAI", model: "openai/first-of-OPENAI", key: true},
		"the environment, by its name":              {args: []string{"-profile", "openai"}, env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1"}, who: "OPENAI", model: "openai/first-of-OPENAI", key: true},
		"a base URL without a key":                  {env: map[string]string{"OPENAI_BASE_URL": "http://OPENAI/v1"}, who: "OPENAI", model: "openai/first-of-OPENAI"},
		"compatible without the key":                {args: []string{"-profile", "compatible", "-base-url", "http://OTHER/v1"}, env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1"}, who: "OTHER", model: "compatible/first-of-OTHER"},
		"compatible at the server of the key":       {args: []string{"-profile", "compatible", "-base-url", "http://OPENAI/v1"}, env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1"}, who: "OPENAI", model: "compatible/first-of-OPENAI"},
		"openai elsewhere without the key":          {args: []string{"-profile", "openai", "-base-url", "http://OTHER/v1"}, env: map[string]string{"OPENAI_API_KEY": key}, who: "OTHER", model: "openai/first-of-OTHER"},
		"no URL and model of the file":              {args: []string{"-profile", "openai"}, env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1"}, file: `{"profile":"mine","profiles":{"mine":{"provider":"ollama","model":"of-the-file","baseURL":"http://OTHER"}}}`, who: "OPENAI", model: "openai/first-of-OPENAI", key: true},
		"nor of the file's compatible":              {args: []string{"-profile", "ollama"}, env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1", "OLLAMA_HOST": "http://OLLAMA"}, file: `{"profile":"mine","profiles":{"mine":{"provider":"compatible","model":"of-the-file","baseURL":"http://OTHER/v1"}}}`, who: "OLLAMA", model: "ollama/first-of-OLLAMA:latest"},
		"of the file by its name":                   {args: []string{"-profile", "mine"}, env: map[string]string{"OPENAI_API_KEY": key}, file: `{"profile":"mine","profiles":{"mine":{"provider":"compatible","model":"of-the-file","baseURL":"http://OTHER/v1"}}}`, who: "OTHER", model: "mine/of-the-file"},
		"not the file's model at another URL":       {args: []string{"-base-url", "http://OPENAI/v1"}, file: `{"profile":"mine","profiles":{"mine":{"provider":"compatible","model":"of-the-file","baseURL":"http://OTHER/v1"}}}`, who: "OPENAI", model: "mine/first-of-OPENAI"},
		"not a model of the environment":            {args: []string{"-profile", "ollama"}, env: map[string]string{"OLLAMA_HOST": "http://OLLAMA", "LOCALPASS_MODEL": "gpt-5"}, who: "OLLAMA", model: "ollama/first-of-OLLAMA:latest"},
		"not one of another profile's":              {args: []string{"-profile", "ollama"}, env: map[string]string{"OLLAMA_HOST": "http://OLLAMA", "LOCALPASS_PROFILE": "openai", "LOCALPASS_MODEL": "gpt-5", "LOCALPASS_BASE_URL": "http://OTHER/v1"}, who: "OLLAMA", model: "ollama/first-of-OLLAMA:latest"},
		"one of the profile's own":                  {args: []string{"-profile", "ollama"}, env: map[string]string{"OLLAMA_HOST": "http://OLLAMA", "LOCALPASS_MODEL": "ollama/small"}, who: "OLLAMA", model: "ollama/small:latest"},
		"a model of the environment for the file's": {env: map[string]string{"LOCALPASS_MODEL": "gpt-5"}, file: `{"profile":"mine","profiles":{"mine":{"provider":"compatible","baseURL":"http://OTHER/v1"}}}`, who: "OTHER", model: "mine/gpt-5"},
		"the profile of the environment":            {env: map[string]string{"LOCALPASS_PROFILE": "compatible", "LOCALPASS_MODEL": "openai/large", "LOCALPASS_BASE_URL": "http://OTHER/v1"}, file: `{"profile":"mine","profiles":{"mine":{"provider":"ollama","model":"of-the-file","baseURL":"http://OLLAMA"}}}`, who: "OTHER", model: "compatible/openai/large"},
		"a model that says whose it is":             {env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://OPENAI/v1", "OLLAMA_HOST": "http://OLLAMA", "LOCALPASS_MODEL": "ollama/small"}, who: "OLLAMA", model: "ollama/small:latest"},
		"a base URL of no profile":                  {args: []string{"-base-url", "http://OTHER/v1"}, err: "-profile"},
		"a variable of no profile":                  {args: []string{"-profile", "compatible"}, env: map[string]string{"LOCALPASS_BASE_URL": "http://OTHER/v1"}, err: "LOCALPASS_PROFILE"},
		"a bad host":                                {args: []string{"-profile", "ollama"}, env: map[string]string{"OLLAMA_HOST": "http://me:hidden@x"}, err: "OLLAMA_HOST: "},
		"a bad URL":                                 {env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "ftp://me:hidden@x"}, err: "OPENAI_BASE_URL: "},
		"a bad URL of another profile":              {args: []string{"-profile", "ollama"}, env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "ftp://me:hidden@x", "OLLAMA_HOST": "http://OLLAMA"}, who: "OLLAMA", model: "ollama/first-of-OLLAMA:latest"},
	}
	for _, name := range testrun.Every(3, slices.Sorted(maps.Keys(cases)), 0) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			for _, variable := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "LOCALPASS_MODEL", "LOCALPASS_PROFILE", "LOCALPASS_BASE_URL"} {
				t.Setenv(variable, "")
			}
			t.Setenv("OLLAMA_HOST", "127.0.0.1:9")
			servers := map[string]*modelserver.Server{}
			var pairs []string
			for _, id := range []string{"OPENAI", "OTHER", "OLLAMA"} {
				servers[id] = modelserver.New(t, id)
				pairs = append(pairs, "//"+id, strings.TrimPrefix(servers[id].URL, "http:"))
			}
			fill := strings.NewReplacer(pairs...)
			for variable, value := range c.env {
				t.Setenv(variable, fill.Replace(value))
			}
			home := t.TempDir()
			if c.file != "" {
				require.NoError(t, os.WriteFile(filepath.Join(home, config.FileName), []byte(fill.Replace(c.file)), 0o600))
			}
			args := []string{"-addr", "127.0.0.1:0", "-home", home}
			for _, arg := range c.args {
				args = append(args, fill.Replace(arg))
			}
			if c.err != "" {
				var out, errs text
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a program that starts is ended
				defer cancel()
				assert.Equal(t, 1, run(ctx, args, &out, &errs))
				assert.Contains(t, errs.String(), c.err)
				assert.NotContains(t, errs.String(), "hidden")
				assert.NotContains(t, errs.String(), key)
				return
			}
			page, stdout, end := start(t, args...)
			provider, model, _ := strings.Cut(c.model, "/")
			var got struct {
				Model struct{ Provider, Name, State, Why, Place string }
			}
			require.Eventually(t, func() bool {
				res, err := http.Get(page + "/api/home")
				if err != nil {
					return false
				}
				defer res.Body.Close()
				raw, err := io.ReadAll(res.Body)
				if err != nil || json.Unmarshal(raw, &got) != nil {
					return false
				}
				assert.NotContains(t, string(raw), key)
				return got.Model.State != "" && got.Model.State != "checking"
			}, time.Minute, 10*time.Millisecond)
			assert.Equal(t, provider, got.Model.Provider)
			assert.Equal(t, model, got.Model.Name)
			assert.True(t, strings.HasPrefix(got.Model.Place, servers[c.who].URL), "%s %v", c.who, got.Model)
			if wanted := c.env["OPENAI_API_KEY"] != "" && (provider == "openai" || provider == "compatible") && !c.key; wanted {
				assert.Contains(t, got.Model.Why, "OPENAI_API_KEY is not sent to ")
			}
			assert.Equal(t, 0, end())
			assert.NotContains(t, stdout.String(), key)
			for id, s := range servers {
				if id == c.who {
					assert.NotZero(t, s.Asked())
				}
				if id == c.who && c.key {
					assert.Equal(t, []string{"Bearer " + key}, s.Keys(), id)
				} else {
					assert.Empty(t, s.Keys(), id)
				}
			}
		})
	}
}
