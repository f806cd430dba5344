package boot

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/secret"
)

// Vault seals the secrets of the home with its own key, keys/secrets.key, which is
// made at the first use. When the key cannot be used, what is sealed stays closed,
// and everything that needs no secret continues to work.
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
func (l *Local) Connections(store localpass.Persistence, kinds *client.RegistryOptions) (*servers.Connections, error) {
	if store == nil {
		store = l.Store
	}
	c := l.config.Servers
	return servers.New(store, &servers.Options{
		Kinds: client.NewRegistry(kinds), Vault: l.Vault(), Forget: l.Forget, Telemetry: l.Telemetry,
		CallTimeout: c.CallTimeout, IdleTimeout: c.IdleTimeout, SyncEvery: c.SyncEvery, StaleFor: c.StaleFor,
		MaxCalls: c.MaxCalls, MaxQueue: c.MaxQueue, QueueTimeout: c.QueueTimeout, MaxTotalCalls: c.MaxTotalCalls,
	})
}

// Audit is the audit log of the home. It must be closed before the store.
func (l *Local) Audit() *audit.Log {
	c := l.config.Audit
	return audit.New(l.Store, &audit.Options{KeepFor: c.KeepFor, KeepBytes: int64(c.KeepBytes)}, l.Telemetry.Log())
}

// Gate are the options of the gate of the home: who is asked, and what is recorded.
func (l *Local) Gate(log *audit.Log, approvers []approval.Approver) *approval.Options {
	c := l.config.Approval
	return &approval.Options{
		Store: l.Store, Origin: servers.OriginsOf(l.Store), Approvers: approvers, Audit: log, Telemetry: l.Telemetry,
		Timeout: c.Timeout, MoreTime: c.MoreTime, PerMinute: c.PerMinute, FourEyes: c.FourEyes,
	}
}

// Composition are the options of tools of other servers: no tool of another server
// gets the name of a bundled one, whether that is served or not.
func Composition() *mcphub.CompositionOptions {
	return &mcphub.CompositionOptions{Reserved: catalog.Names()}
}

// Forget revokes what was allowed of a server of the home, with a record in the audit
// log.
func (l *Local) Forget(ctx context.Context, server string) (err error) {
	audit := l.Audit()
	defer func() { err = errors.Join(err, audit.Close()) }()
	gate, err := approval.NewGate(&approval.Options{Store: l.Store, Audit: audit})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gate.Close()) }()
	return gate.Forget(ctx, server, toolspec.Principal{Subject: "local", Via: "servers"})
}
