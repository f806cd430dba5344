package home_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/home"
	"github.com/localpass/localpass/internal/pgtest"
	"github.com/localpass/localpass/persistence/sqlite"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestMain(m *testing.M) { os.Exit(pgtest.M{M: m}.Run()) }

// keeps opens a home twice and checks whether a document is still there, and that the keys are
// in the home.
func keeps(t *testing.T, address string) bool {
	t.Helper()
	dir := t.TempDir()
	cfg, err := config.Load(config.Clichat, []string{"-home", dir, "-store", address}, secret.Map(nil))
	require.NoError(t, err)
	state, err := home.Open(home.Options{Config: cfg})
	require.NoError(t, err)
	require.NoError(t, state.StoreSecret(t.Context(), "NAME", "value"))
	require.NoError(t, state.Documents.Append(t.Context(), "log", json.RawMessage("1")))
	require.NoError(t, state.Close())
	assert.FileExists(t, filepath.Join(dir, "keys", "secrets.key"))
	assert.NoDirExists(t, filepath.Join(dir, home.SecretCollection))

	state, err = home.Open(home.Options{Config: cfg, ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, state.Close()) }()
	value, ok := home.Lookup(cfg)("NAME")
	if !ok {
		return false
	}
	assert.Equal(t, "value", value)
	_, err = state.Passes.Put(t.Context(), "c", "k", localpass.Document{Data: json.RawMessage("1")})
	require.NoError(t, err)
	_, err = state.Store.Get(t.Context(), "c", "k")
	require.ErrorIs(t, err, localpass.ErrNotFound, "a home that is only read stays as it is")
	return true
}

func TestStores(t *testing.T) {
	assert.False(t, keeps(t, "memory:"))
	assert.True(t, keeps(t, "file:"+t.TempDir()))
	assert.True(t, keeps(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")))
}

func TestPostgresStore(t *testing.T) {
	host, _, _ := strings.Cut(strings.TrimPrefix(pgtest.Database(t), "host="), " ")
	assert.True(t, keeps(t, "postgres:///postgres?user=owner&host="+host))
	t.Setenv("DB_HOST", host)
	t.Setenv("DB_NAME", "postgres")
	t.Setenv("DB_USER", "owner")
	t.Setenv("DB_PASSWORD", "not asked for")
	assert.True(t, keeps(t, "postgres:"))
}

// Homes that share a store must have one key of passes. The key is not in the store.
func TestSharedStoreNeedsOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	first, second, third := t.TempDir(), t.TempDir(), t.TempDir()
	start := func(dir string) error {
		cfg, err := config.Load(config.Clichat, []string{"-home", dir, "-store", "sqlite:" + path}, secret.Map(nil))
		require.NoError(t, err)
		state, err := home.Open(home.Options{Config: cfg})
		if err != nil {
			return err
		}
		_, err = state.Store.Put(t.Context(), "keys", "receipts", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(`{"key": "` + filepath.Base(dir) + `"}`)})
		require.NoError(t, err)
		return errors.Join(state.CheckKeys(t.Context()), state.Close())
	}
	require.NoError(t, start(first))
	require.NoError(t, start(first))
	err := start(second)
	require.ErrorContains(t, err, "of a home that uses the store to "+filepath.Join(second, "keys", "receipts.json"))

	store, err := sqlite.Open(path, nil)
	require.NoError(t, err)
	_, err = store.Get(t.Context(), "keys", "receipts")
	require.ErrorIs(t, err, localpass.ErrNotFound)
	require.NoError(t, store.Delete(t.Context(), "home", "passes"))
	require.NoError(t, start(third))
	err = start(first)
	require.ErrorContains(t, err, "and this home has the key")
	require.NoError(t, store.Close())

	copied, err := os.ReadFile(filepath.Join(third, "keys", "receipts.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(first, "keys", "receipts.json"), copied, 0o600))
	cfg, err := config.Load(config.Clichat, []string{"-home", first, "-store", "sqlite:" + path}, secret.Map(nil))
	require.NoError(t, err)
	state, err := home.Open(home.Options{Config: cfg})
	require.NoError(t, err)
	_, err = state.Documents.Batch(t.Context(), localpass.Op{Collection: "keys", Key: "x", Data: json.RawMessage("1")})
	require.ErrorContains(t, err, "can't be part of a batch")
	for change, err := range state.Documents.Watch(canceled(t), "keys") {
		require.Error(t, err)
		assert.Zero(t, change)
	}
	for _, err := range state.Documents.List(t.Context(), "keys", localpass.ListOptions{}) {
		require.NoError(t, err)
	}
	require.NoError(t, state.Store.Delete(t.Context(), "keys", "receipts"))
	require.NoError(t, state.Close())
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A home that is only read makes no file.
func TestReadOnlyMakesNoStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	cfg, err := config.Load(config.Clichat, []string{"-home", t.TempDir(), "-store", "sqlite:" + path}, secret.Map(nil))
	require.NoError(t, err)
	state, err := home.Open(home.Options{Config: cfg, ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, state.Close())
	assert.NoFileExists(t, path)
}

// The password comes from the environment, and an error does not show it.
func TestStorePassword(t *testing.T) {
	open := func(address string) error {
		cfg, err := config.Load(config.Clichat, []string{"-home", t.TempDir(), "-store", address}, secret.Map(nil))
		require.NoError(t, err)
		_, err = home.Open(home.Options{Config: cfg})
		return err
	}
	err := open("postgres://u:${STORE_PW_MISSING}@127.0.0.1:1/x")
	require.ErrorContains(t, err, "STORE_PW_MISSING")
	t.Setenv("STORE_PW", "sesame")
	err = open("postgres://u:${STORE_PW}@127.0.0.1:1/x")
	require.ErrorContains(t, err, "can't be reached")
	assert.NotContains(t, err.Error(), "sesame")
}
