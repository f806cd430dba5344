package home

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/risk"
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
func (h *State) Vault() *secret.Vault {
	h.opened.Do(func() {
		h.vault = OpenVault(h.Home)
		if err := h.vault.Err(); err != nil {
			h.Telemetry.Log().Error("what is sealed in the home cannot be opened, and no secret can be stored: repair keys/secrets.key, or bring it back from a copy", "home", h.Home, "error", err)
		}
	})
	return h.vault
}

// Kinds returns the kinds of connections to MCP servers, with the times of the
// configuration.
func (h *State) Kinds(opts client.RegistryOptions) *client.Registry {
	opts.EndpointTimeout = h.config.Servers.EndpointTimeout
	return client.NewRegistry(&opts)
}

// Connections returns the MCP servers stored in store; nil: in the store of the home. The
// vault of the home seals their secrets.
func (h *State) Connections(store localpass.Persistence, kinds *client.Registry) (*servers.Connections, error) {
	if store == nil {
		store = h.Store
	}
	c := h.config.Servers
	return servers.New(store, &servers.Options{
		Kinds: kinds, Vault: h.Vault(), Forget: h.Forget, Telemetry: h.Telemetry,
		CallTimeout: c.CallTimeout, IdleTimeout: c.IdleTimeout, SyncEvery: c.SyncEvery, StaleFor: c.StaleFor,
		MaxCalls: c.MaxCalls, MaxQueue: c.MaxQueue, QueueTimeout: c.QueueTimeout, MaxTotalCalls: c.MaxTotalCalls, ExactPackages: c.ExactPackages,
		Dial: client.DialOptions{Timeout: c.DialTimeout, ProbeTimeout: c.DiscoverTimeout},
	})
}

// Audit opens the audit log of the home. It must be closed before the store.
func (h *State) Audit() *audit.Log {
	c := h.config.Audit
	return audit.New(h.Store, &audit.Options{KeepFor: c.KeepFor, KeepBytes: int64(c.KeepBytes)}, h.Telemetry.Log())
}

// Gate returns the options of the approval gate of the home, which asks approvers and
// records its decisions in log.
func (h *State) Gate(log *audit.Log, approvers []approval.Approver) *approval.Options {
	c := h.config.Approval
	return &approval.Options{
		Store: h.Store, Origin: servers.OriginsOf(h.Store), Approvers: approvers, Audit: log, Telemetry: h.Telemetry,
		Timeout: c.Timeout, MoreTime: c.MoreTime, PerMinute: c.PerMinute, FourEyes: c.FourEyes,
		Keep: c.Keep, KeepFor: c.KeepFor,
	}
}

// Composition returns the options for tools of other servers: none of them may have the
// name of a bundled tool, whether the bundled tool is served or not.
func Composition(levels *risk.Levels) *mcphub.CompositionOptions {
	return &mcphub.CompositionOptions{Levels: levels, Reserved: catalog.Names()}
}

// Forget revokes every permission that was granted for an MCP server of the home, and
// records this in the audit log.
func (h *State) Forget(ctx context.Context, server string) (err error) {
	audit := h.Audit()
	defer func() { err = errors.Join(err, audit.Close()) }()
	gate, err := approval.NewGate(&approval.Options{Store: h.Store, Audit: audit})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gate.Close()) }()
	return gate.Forget(ctx, server, toolspec.Principal{Subject: "local", Via: "servers"})
}
