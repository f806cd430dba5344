package boot

import (
	"path/filepath"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec/secret"
)

// Vault seals the secrets of the home with its own key, keys/secrets.key, which is
// made at the first use. When the key cannot be used, what is sealed stays closed,
// and everything that needs no secret goes on.
func (l *Local) Vault() *secret.Vault {
	l.opened.Do(func() {
		l.vault = secret.OpenVault(filepath.Join(l.Home, "keys", "secrets.key"))
		if err := l.vault.Err(); err != nil {
			l.Telemetry.Log().Error("what is sealed in the home cannot be opened, and no secret can be stored: repair keys/secrets.key, or bring it back from a copy", "home", l.Home, "error", err)
		}
	})
	return l.vault
}

// Connections are the MCP servers of a store of the home, nil being all of the
// home: their secrets are sealed in it.
func (l *Local) Connections(store localpass.Persistence, kinds *mcphub.KindsOptions) (*mcphub.Connections, error) {
	if store == nil {
		store = l.Store
	}
	return mcphub.NewConnections(store, &mcphub.ConnectionsOptions{Kinds: mcphub.NewKinds(kinds), Vault: l.Vault(), Telemetry: l.Telemetry})
}
