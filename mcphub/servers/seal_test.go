package servers_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec/secret"
)

// planted is in every secret of these tests.
const planted = "pl4nted"

// secretServers are servers that hold a secret in every place for one.
func secretServers() []servers.Record {
	return []servers.Record{
		{ID: "headers", Kind: client.TransportHTTP, Connection: json.RawMessage(`{"url":"http://mcp.example/mcp","headers":{"Authorization":"Bearer pl4nted-1","X-Env":"Bearer ${MCP_KEY}","X-Mixed":"${MCP_KEY}-pl4nted-2"}}`)},
		{ID: "address", Kind: client.TransportHTTP, Connection: json.RawMessage(`{"url":"http://user:pl4nted-3@mcp.example/mcp?key=pl4nted-4"}`)},
		{ID: "oauth", Kind: client.TransportHTTP, Connection: json.RawMessage(`{"url":"http://mcp.example/mcp","oauth":{"clientId":"id","clientSecret":"pl4nted-5"}}`)},
		{ID: "program", Kind: client.TransportStdio, Connection: json.RawMessage(`{"command":"server","args":["--api-key","pl4nted-6","--token=pl4nted-7","plain"],"env":{"TOKEN":"pl4nted-8","OTHER":"${MCP_KEY}"}}`),
			Extra: map[string]json.RawMessage{"x-token": json.RawMessage(`"pl4nted-9"`), "x-note": json.RawMessage(`"kept"`)}},
		{ID: "open", Kind: client.TransportHTTP, Connection: json.RawMessage(`{"url":"http://mcp.example/mcp"}`)},
	}
}

// inHome opens the servers of a home with a key.
func inHome(t *testing.T, home string, vault *secret.Vault) (*servers.Connections, func()) {
	t.Helper()
	store, err := file.Open(home, nil)
	require.NoError(t, err)
	c, err := servers.New(store, &servers.Options{Vault: vault})
	require.NoError(t, err)
	return c, func() {
		require.NoError(t, c.Close())
		require.NoError(t, store.Close())
	}
}

// plantedIn names the files of a home in which a secret stands.
func plantedIn(t *testing.T, home string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(home, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if strings.Contains(string(data), planted) {
			names = append(names, name)
		}
		return err
	}))
	return names
}

func vaultOf(t *testing.T, of byte) *secret.Vault {
	t.Helper()
	v, err := secret.NewVault([]byte(strings.Repeat(string(rune(of)), 32)), nil)
	require.NoError(t, err)
	return v
}

// sameServers checks that a home holds what was saved.
func sameServers(t *testing.T, c *servers.Connections) {
	t.Helper()
	for _, want := range secretServers() {
		got, err := c.Get(want.ID)
		require.NoError(t, err)
		assert.JSONEq(t, string(want.Connection), string(got.Connection), want.ID)
		for name, value := range want.Extra {
			assert.JSONEq(t, string(value), string(got.Extra[name]), name)
		}
		assert.Equal(t, servers.StateIdle, hubtest.StateOf(t, c, want.ID), want.ID)
	}
}

// The secrets of records are sealed in the home, and are there after a restart.
func TestSecretsOfServersAreSealed(t *testing.T) {
	leak.Check(t)
	home, key := t.TempDir(), vaultOf(t, 'k')
	c, done := inHome(t, home, key)
	for _, r := range secretServers() {
		_, err := c.Save(t.Context(), r)
		require.NoError(t, err)
	}
	sameServers(t, c)
	done()
	assert.Empty(t, plantedIn(t, home))
	data, err := os.ReadFile(serverFile(t, home, "headers"))
	require.NoError(t, err)
	assert.Contains(t, string(data), "Bearer ${MCP_KEY}", "placeholders stay readable")
	assert.Contains(t, string(data), "http://mcp.example/mcp")

	c, done = inHome(t, home, key)
	defer done()
	sameServers(t, c)
	r, err := c.Get("headers")
	require.NoError(t, err)
	r.Connection = json.RawMessage(strings.Replace(string(r.Connection), "mcp.example", "other.example", 1))
	r, err = c.Save(t.Context(), r)
	require.NoError(t, err)
	assert.Contains(t, string(r.Connection), "Bearer pl4nted-1")
	r.Connection = json.RawMessage(`{"url":"http://mcp.example/mcp","headers":{"X-Odd":"lpsec1:pl4nted"}}`)
	_, err = c.Save(t.Context(), r)
	require.NoError(t, err, "what looks sealed is a value like others")
	again, end := inHome(t, home, key)
	defer end()
	odd, err := again.Get("headers")
	require.NoError(t, err)
	assert.Equal(t, string(r.Connection), string(odd.Connection))
	assert.Empty(t, plantedIn(t, home))
}

func serverFile(t *testing.T, home, id string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(home, "servers", id+"*"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// A home from before has its records written anew when it is opened, by two
// programs at once too.
func TestOldRecordsAreSealed(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	c, done := inHome(t, home, nil)
	for _, r := range secretServers() {
		_, err := c.Save(t.Context(), r)
		require.NoError(t, err)
	}
	done()
	require.Len(t, plantedIn(t, home), 4)
	one, endOne := inHome(t, home, vaultOf(t, 'k'))
	two, endTwo := inHome(t, home, vaultOf(t, 'k'))
	assert.Empty(t, plantedIn(t, home))
	sameServers(t, one)
	sameServers(t, two)
	endOne()
	endTwo()
	c, done = inHome(t, home, vaultOf(t, 'k'))
	defer done()
	sameServers(t, c)
}

// Without its key a home says so, and only what needs a secret is withheld. The
// sealed values stay for the day on which the key is back.
func TestServersWithoutTheirKey(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	c, done := inHome(t, home, vaultOf(t, 'k'))
	for _, r := range secretServers() {
		_, err := c.Save(t.Context(), r)
		require.NoError(t, err)
	}
	done()
	broken := filepath.Join(t.TempDir(), "secrets.key")
	require.NoError(t, os.WriteFile(broken, []byte("short"), 0o600))
	for name, other := range map[string]*secret.Vault{"another key": vaultOf(t, 'x'), "no vault": nil, "a damaged key": secret.OpenVault(broken)} {
		t.Run(name, func(t *testing.T) {
			c, done := inHome(t, home, other)
			defer done()
			assert.Equal(t, servers.StateIdle, hubtest.StateOf(t, c, "open"))
			err := c.Connect(t.Context(), "headers")
			require.ErrorContains(t, err, "connection.headers.Authorization, connection.headers.X-Mixed cannot be opened: bring back the key")
			assert.NotContains(t, err.Error(), "lpsec1")
			r, err := c.Get("headers")
			require.NoError(t, err)
			r.Description = "changed without the key: " + name
			_, err = c.Save(t.Context(), r)
			require.NoError(t, err)
			r.ID, r.Version, r.Connection = "more", 0, json.RawMessage(`{"url":"http://mcp.example/mcp","headers":{"X":"pl4nted"}}`)
			if other != nil && other.Err() != nil {
				_, err = c.Save(t.Context(), r)
				require.ErrorContains(t, err, "cannot be sealed")
			}
		})
	}
	assert.Empty(t, plantedIn(t, home))
	c, done = inHome(t, home, vaultOf(t, 'k'))
	defer done()
	sameServers(t, c)
}

// Who writes to the home without its key cannot send a sealed value elsewhere.
func TestSealedValuesStayWithTheirServer(t *testing.T) {
	leak.Check(t)
	home := t.TempDir()
	c, done := inHome(t, home, vaultOf(t, 'k'))
	for _, r := range secretServers() {
		_, err := c.Save(t.Context(), r)
		require.NoError(t, err)
	}
	done()
	for id, change := range map[string][2]string{"headers": {"mcp.example", "evil.example"}, "program": {`"server"`, `"evil"`}} {
		name := serverFile(t, home, id)
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		moved := strings.ReplaceAll(string(data), change[0], change[1])
		require.NotEqual(t, string(data), moved)
		require.NoError(t, os.WriteFile(name, []byte(moved), 0o600))
	}
	c, done = inHome(t, home, vaultOf(t, 'k'))
	defer done()
	for _, id := range []string{"headers", "program"} {
		require.ErrorIs(t, c.Connect(t.Context(), id), secret.ErrSealed)
	}
	sealed, err := c.Get("headers")
	require.NoError(t, err)
	assert.NotContains(t, string(sealed.Connection), "Bearer pl4nted")
}
