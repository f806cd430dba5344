package home_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/home"
	"github.com/localpass/localpass/toolspec/secret"
)

// A value that is stored in the home is found before one of the environment, also if it
// is stored later. The key of a model server is not found for tools and MCP servers.
func TestStoredSecrets(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FROM_BOTH", "of the environment")
	t.Setenv("FROM_ENV", "of the environment")
	find := func(lookup secret.Lookup, name string) string { value, _ := lookup(name); return value }
	load := func(dir string) *config.Config {
		cfg, err := config.Load(config.Clichat, []string{"-home", dir}, secret.Map(nil))
		require.NoError(t, err)
		return cfg
	}
	missing := home.Lookup(load(filepath.Join(dir, "missing")))
	assert.Equal(t, "of the environment", find(missing, "FROM_BOTH"))
	assert.NoDirExists(t, filepath.Join(dir, "missing"))

	cfg := load(dir)
	state, err := home.Open(home.Options{Config: cfg})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, state.Close()) })
	lookup, tools := home.Lookup(cfg), state.Secrets()
	assert.Equal(t, "of the environment", find(tools, "FROM_BOTH"))
	assert.NoFileExists(t, filepath.Join(dir, "keys", "secrets.key"), "nothing was sealed yet")
	key := home.ModelKeyPrefix + "WORK"
	for name, value := range map[string]string{"FROM_BOTH": "of the home", key: "a model key"} {
		data, err := home.SealSecret(state.Vault(), name, value)
		require.NoError(t, err)
		assert.NotContains(t, string(data), value)
		_, err = state.Store.Put(t.Context(), home.SecretCollection, name, localpass.Document{Data: data})
		require.NoError(t, err)
	}
	for _, l := range []secret.Lookup{lookup, tools} {
		assert.Equal(t, "of the home", find(l, "FROM_BOTH"))
		assert.Equal(t, "of the environment", find(l, "FROM_ENV"))
		assert.Empty(t, find(l, "FROM_NOWHERE"))
	}
	assert.Equal(t, "a model key", find(lookup, key))
	assert.Empty(t, find(tools, key))

	// With another key of the home the stored value cannot be opened.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys", "secrets.key"), make([]byte, 32), 0o600))
	assert.Equal(t, "of the environment", find(home.Lookup(cfg), "FROM_BOTH"))
}
