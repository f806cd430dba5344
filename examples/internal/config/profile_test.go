package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
)

// Every combination of three sources that each name no profile, one or another,
// with and without a model and a URL: no member reaches a profile that its source
// does not name.
func TestChooseKeepsProfilesWhole(t *testing.T) {
	names := []string{"", config.Ollama, config.OpenAI}
	var all []config.Source
	for _, name := range names {
		for _, model := range []string{"", "m"} {
			for _, base := range []string{"", "u"} {
				all = append(all, config.Source{Profile: config.Profile{Name: name, Model: model, BaseURL: base}})
			}
		}
	}
	mark := func(s config.Source, where string) config.Source {
		s.BaseURLName, s.ProfileName = where+"-url", where+"-profile"
		if s.Model != "" {
			s.Model = where + ":" + s.Name
		}
		if s.BaseURL != "" {
			s.BaseURL = "http://" + where + "/" + s.Name
		}
		return s
	}
	combinations, errors := 0, 0
	for _, a := range all {
		for _, b := range all {
			for _, c := range all {
				sources := []config.Source{mark(a, "flag"), mark(b, "environment"), mark(c, "file")}
				got, err := config.Choose(sources)
				combinations++
				if err != nil {
					errors++
					assert.True(t, b.Name == "" && b.BaseURL != "" || c.Name == "" && c.BaseURL != "", sources)
					assert.ErrorContains(t, err, "-profile")
					continue
				}
				var want string
				for _, s := range sources {
					if want == "" {
						want = s.Name
					}
				}
				require.Equal(t, want, got.Name)
				owned := func(i int) bool {
					return i < 0 || sources[i].Name == want || i == 0 && sources[i].Name == ""
				}
				assert.True(t, owned(got.FromModel), "%v: %v", sources, got)
				assert.True(t, owned(got.FromBaseURL), "%v: %v", sources, got)
				if got.FromBaseURL >= 0 {
					assert.LessOrEqual(t, got.FromModel, got.FromBaseURL, "a model of a lower source belongs to another server")
				}
				if i := got.FromModel; i >= 0 {
					assert.True(t, strings.HasPrefix(got.Model, []string{"flag", "environment", "file"}[i]+":"))
				}
			}
		}
	}
	assert.Equal(t, 12*12*12, combinations)
	assert.Equal(t, 12*(144-100), errors, "two of the twelve have a URL without a profile")
}

func TestChoose(t *testing.T) {
	source := func(name, model, base string) config.Source {
		return config.Source{Profile: config.Profile{Name: name, Model: model, BaseURL: base}}
	}
	none := source("", "", "")
	for name, c := range map[string]struct {
		flag, env, file config.Source
		want            config.Profile
	}{
		"nothing":                                    {none, none, none, config.Profile{}},
		"the file":                                   {none, none, source("ollama", "f", "http://f"), config.Profile{Name: "ollama", Model: "f", BaseURL: "http://f"}},
		"another profile than the file's":            {source("openai", "", ""), none, source("ollama", "f", "http://f"), config.Profile{Name: "openai"}},
		"the file's profile by a flag":               {source("ollama", "", ""), none, source("ollama", "f", "http://f"), config.Profile{Name: "ollama", Model: "f", BaseURL: "http://f"}},
		"a model for the file's profile":             {source("", "m", ""), none, source("ollama", "f", "http://f"), config.Profile{Name: "ollama", Model: "m", BaseURL: "http://f"}},
		"a URL for the file's profile":               {source("", "", "http://m"), none, source("ollama", "f", "http://f"), config.Profile{Name: "ollama", BaseURL: "http://m"}},
		"a model of the environment and the file's":  {none, source("", "e", ""), source("ollama", "", ""), config.Profile{Name: "ollama"}},
		"a model of the environment that says whose": {none, source("", "ollama/e", ""), source("ollama", "", ""), config.Profile{Name: "ollama", Model: "e"}},
		"which is not for the file's server":         {none, source("", "ollama/e", ""), source("ollama", "", "http://f"), config.Profile{Name: "ollama", BaseURL: "http://f"}},
		"and not for another profile":                {source("openai", "", ""), source("", "ollama/e", ""), none, config.Profile{Name: "openai"}},
		"a model alone":                              {none, source("", "e", ""), source("", "f", ""), config.Profile{Model: "e"}},
	} {
		got, err := config.Choose([]config.Source{c.flag, c.env, c.file})
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got.Profile, name)
	}
}
