package servers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// TestExactPackages: where only exact versions are allowed, another one is not stored,
// tried or started, and one from before is not started.
func TestExactPackages(t *testing.T) {
	store := memory.New()
	for _, exact := range []bool{false, true} {
		conns, err := servers.New(store, &servers.Options{ExactPackages: exact})
		require.NoError(t, err)
		defer conns.Close()
		const sentence = `only exact versions of packages are started here, and it has "pkg@latest": npx must run an exact version: write package@1.2.3`
		if exact {
			require.ErrorContains(t, conns.Connect(t.Context(), "before"), sentence)
		}
		if !exact {
			_, err = conns.Save(t.Context(), servers.Stdio("before", "npx", "-y", "pkg@latest"))
			require.NoError(t, err)
		} else {
			later := servers.Stdio("later", "npx", "-y", "pkg@latest")
			_, err = conns.Save(t.Context(), later)
			require.ErrorContains(t, err, sentence)
			_, err = conns.Test(t.Context(), later)
			require.ErrorContains(t, err, sentence)
			later.Disabled = true
			_, err = conns.Save(t.Context(), later)
			require.NoError(t, err)
		}
		for _, r := range []servers.Record{servers.Stdio("a", "uvx", "a==1.2.3"), servers.HTTP("b", "https://mcp.example.com/mcp")} {
			_, err = conns.Transport(r)
			require.NoError(t, err)
		}
	}
}
