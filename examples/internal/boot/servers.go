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

// OpenVault returns the vault of a home.
func OpenVault(home string) *secret.Vault {
	return secret.OpenVault(filepath.Join(home, "keys", "secrets.key"))
}

// Vault seals the secrets of the home with the key of the home, keys/secrets.key, which
// is created at the first use. If the key cannot be used, sealed secrets cannot be
// opened, but everything that needs no secret continues to work.
func (l *Local) Vault() *secret.Vault {
	l.opened.Do(func() {
		l.vault = OpenVault(l.Home)
		if err := l.vault.Err(); err != nil {
			l.Telemetry.Log().Error("what is sealed in the home cannot be opened, and no secret can be stored: repair keys/secrets.key, or bring it back from a copy", "home", l.Home, "error", err)
		}
	})
	return l.vault
}

// Kinds returns the kinds of connections to MCP servers, with the times of the
// configuration.
func (l *Local) Kinds(opts client.RegistryOptions) *client.Registry {
	opts.EndpointTimeout = l.config.Servers.EndpointTimeout
	return client.NewRegistry(&opts)
}

// Connections returns the MCP servers stored in store; nil: in the store of the home. The
// vault of the home seals their secrets.
func (l *Local) Connections(store localpass.Persistence, kinds *client.Registry) (*servers.Connections, error) {
	if store == nil {
		store = l.Store
	}
	c := l.config.Servers
	return servers.New(store, &servers.Options{
		Kinds: kinds, Vault: l.Vault(), Forget: l.Forget, Telemetry: l.Telemetry,
		CallTimeout: c.CallTimeout, IdleTimeout: c.IdleTimeout, SyncEvery: c.SyncEvery, StaleFor: c.StaleFor,
		MaxCalls: c.MaxCalls, MaxQueue: c.MaxQueue, QueueTimeout: c.QueueTimeout, MaxTotalCalls: c.MaxTotalCalls,
		Dial: client.DialOptions{Timeout: c.DialTimeout, ProbeTimeout: c.DiscoverTimeout},
	})
}

// Audit opens the audit log of the home. It must be closed before the store.
func (l *Local) Audit() *audit.Log {
	c := l.config.Audit
	return audit.New(l.Store, &audit.Options{KeepFor: c.KeepFor, KeepBytes: int64(c.KeepBytes)}, l.Telemetry.Log())
}

// Gate returns the options of the approval gate of the home, which asks approvers and
// records its decisions in log.
func (l *Local) Gate(log *audit.Log, approvers []approval.Approver) *approval.Options {
	c := l.config.Approval
	return &approval.Options{
		Store: l.Store, Origin: servers.OriginsOf(l.Store), Approvers: approvers, Audit: log, Telemetry: l.Telemetry,
		Timeout: c.Timeout, MoreTime: c.MoreTime, PerMinute: c.PerMinute, FourEyes: c.FourEyes,
		Keep: c.Keep, KeepFor: c.KeepFor,
	}
}

// Composition returns the options for tools of other servers: none of them may have the
// name of a bundled tool, whether the bundled tool is served or not.
func Composition() *mcphub.CompositionOptions {
	return &mcphub.CompositionOptions{Reserved: catalog.Names()}
}

// Forget revokes every permission that was granted for an MCP server of the home, and
// records this in the audit log.
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
