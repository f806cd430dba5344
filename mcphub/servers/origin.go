package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// OriginsOf returns a function for [approval.Options].Origin that identifies the servers
// whose records are in a store: a permanent permission belongs to the command or the
// address for which it was given, not to the id of the server. Headers, the environment
// and descriptive fields do not count: a server with a changed key is still the same
// server. An unreadable record is an error.
func OriginsOf(store localpass.Persistence) approval.Origin {
	return func(ctx context.Context, server string) (string, error) {
		doc, err := store.Get(ctx, serversCollection, server)
		if errors.Is(err, localpass.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("servers: read the record of the server %q: %w", server, err)
		}
		var kept struct {
			Kind       client.TransportKind `json:"transport"`
			Connection json.RawMessage      `json:"connection"`
		}
		if err := doc.Decode(&kept); err != nil {
			return "", fmt.Errorf("servers: the record %s/%s is not readable; repair or delete it: %w", serversCollection, server, err)
		}
		return originDigest(kept.Kind, kept.Connection), nil
	}
}

// originDigest returns the digest of a server's identity: its command and arguments, or its
// address. For an unknown kind, the whole definition counts.
func originDigest(kind client.TransportKind, connection json.RawMessage) string {
	parts := [][]byte{[]byte("mcp-origin")}
	connection, _ = maskedConnection(connection) // secrets may be sealed, with a different result each time
	add := func(name string, value json.RawMessage) {
		if form, err := canon.Transform(value); err == nil {
			value = form
		}
		parts = append(parts, []byte(name), value)
	}
	all := rpc.Object(connection)
	names := []string{}
	switch kind = client.CanonicalKind(kind); {
	case kind == client.TransportStdio, kind == "" && all["command"] != nil:
		names = []string{"command", "args", "cwd"}
	case kind == client.TransportHTTP, kind == client.TransportSSE, kind == "" && all["url"] != nil:
		names = []string{"url", "endpoint", "sse-endpoint"}
	default:
		add(string(kind), connection)
	}
	for _, name := range names {
		add(name, all[name])
	}
	return canon.Digest(parts...)
}

// forgetAllowed lets the program withdraw what was allowed for a server, before the id comes
// to mean another server: when the server is deleted, created, or leads elsewhere.
func (c *Connections) forgetAllowed(ctx context.Context, id string) error {
	if c.opts.Forget == nil {
		return nil
	}
	if err := c.opts.Forget(ctx, id); err != nil {
		return fmt.Errorf("servers: server %q: what was allowed of it cannot be taken back, so its record stays as it is: %w", id, err)
	}
	return nil
}
