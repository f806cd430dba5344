package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/toolspec/secret"
)

// Advisors that cannot do what they are for are an error that names file and line.
func TestAdvisors(t *testing.T) {
	for file, want := range map[string]string{
		`{"advisors": {"use": ["guard"]}}`:                                           "localpass.json:2:22: advisors.use[0]: it must be one of memory, safeguard, redact, logger",
		`{"advisors": {"usee": ["logger"]}}`:                                         "localpass.json:2:14: advisors.usee: there is no such member; did you mean use?",
		`{"advisors": {"use": ["logger", "logger"]}}`:                                "localpass.json:2:32: advisors.use[1]: it is there twice",
		`{"advisors": {"use": ["logger", "memory"]}}`:                                "localpass.json:2: advisors.use: memory must be the first",
		`{"advisors": {"use": ["memory"], "memory": {"kind": "off"}}}`:               "localpass.json:2: advisors.use: it names memory",
		`{"advisors": {"use": ["safeguard"]}}`:                                       "localpass.json:2: advisors.use: safeguard refuses nothing",
		`{"advisors": {"safeguard": {"words": ["x"]}}}`:                              "localpass.json:2: advisors.safeguard.words: it has no effect: name safeguard in advisors.use",
		`{"advisors": {"logger": {"rounds": true}}}`:                                 "localpass.json:2: advisors.logger.rounds: it has no effect",
		`{"advisors": {"use": ["redact"], "redact": {"patterns": ["a{1,3}", "("]}}}`: "localpass.json:2:67: advisors.redact.patterns[1]: it must be a regular expression",
	} {
		_, err := load(t, config.Clichat, "{\n"+file[1:], nil)
		assert.ErrorContains(t, err, want, file)
	}
	const file = `{"advisors": {"use": ["memory", "safeguard", "redact", "logger"], "safeguard": {"words": ["a", "b"], "refusal": "no"}, "redact": {"patterns": ["a{1,3}"], "variables": ["X"]},
		"logger": {"file": "chat.log", "rounds": true}, "memory": {"kind": "process"}}}`
	c, err := load(t, config.Playground, file, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"memory", "safeguard", "redact", "logger"}, c.Advisors.Use)
	assert.Equal(t, config.Safeguard{Words: []string{"a", "b"}, Refusal: "no"}, c.Advisors.Safeguard)
	assert.Equal(t, config.Redact{Patterns: []string{"a{1,3}"}, Variables: []string{"X"}}, c.Advisors.Redact)
	assert.Equal(t, c.Home+"/chat.log", c.Advisors.Logger.File)
	assert.True(t, c.Advisors.Logger.Rounds)
	c, err = load(t, config.Playground, file, nil, "-set", "advisors.use=")
	require.NoError(t, err, "an empty list switches them off")
	assert.Empty(t, c.Advisors.Use)
}

func TestRetrieval(t *testing.T) {
	for file, want := range map[string]string{
		`{"retrieval": {"chunkTokens": 100, "chunkOverlap": 100}}`:                                         "it must be less than retrieval.chunkTokens, which is 100",
		`{"profiles": {"p": {"provider": "ollama", "embedding": {"provider": "openai", "model": "m"}}}}`:   "the key of one server is for no other",
		`{"profiles": {"p": {"provider": "ollama", "embedding": {"provider": "ollama"}}}}`:                 "name the model",
		`{"profiles": {"p": {"provider": "ollama", "embedding": {"provider": "words", "model": "m"}}}}`:    "words needs no model",
		`{"profiles": {"p": {"provider": "demo", "embedding": {"model": "m"}}}}`:                           "demo embeds nothing",
		`{"profiles": {"p": {"provider": "demo", "vectorStore": "mysql://localhost"}}}`:                    "it must be flat, chromem, or a URL",
		`{"profiles": {"p": {"provider": "demo", "vectorStore": "qdrant://localhost"}}}`:                   "names the collection",
		`{"profiles": {"p": {"provider": "demo", "vectorStore": "qdrants://k@localhost/x"}}}`:              "and no user",
		`{"profiles": {"p": {"provider": "demo", "vectorStore": "qdrants://:hunter2@localhost/x"}}}`:       "write the password as ${NAME}",
		`{"profiles": {"p": {"provider": "demo", "vectorStore": "postgres://u:hunter2@localhost/x"}}}`:     "write the password as ${NAME}",
		`{"profiles": {"p": {"provider": "demo", "vectorStore": "postgres://u:hunter2${X}@localhost/x"}}}`: "write the password as ${NAME}",
	} {
		_, err := load(t, config.Clichat, file, nil)
		require.ErrorContains(t, err, want, file)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	c, err := load(t, config.Clichat, `{"profiles": {"p": {"provider": "ollama", "embedding": {"model": "nomic-embed-text"}, "vectorStore": "postgres://u:${PW}@db/x"}}}`, nil, "-docs", "notes")
	require.NoError(t, err)
	assert.Equal(t, "notes", c.Retrieval.Docs)
	p, err := c.Profile("p", secret.Map(nil))
	require.NoError(t, err)
	var members []string
	for _, v := range p.ProfileValues() {
		members = append(members, v.Name+"="+v.Text)
	}
	assert.Contains(t, members, "profiles.p.embedding.model=nomic-embed-text")
	assert.Contains(t, members, "profiles.p.vectorStore=postgres://u:${PW}@db/x")
}
