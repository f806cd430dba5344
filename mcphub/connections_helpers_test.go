package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// fakes are transports by name, for records with the connection {"to":"name"}.
type fakes map[string]client.Transport

func (f fakes) kinds(t testing.TB) *client.Registry {
	k := client.NewRegistry(nil)
	require.NoError(t, k.Register("fake", func(connection json.RawMessage) (client.Transport, error) {
		var def struct{ To string }
		if err := json.Unmarshal(connection, &def); err != nil {
			return nil, err
		}
		if f[def.To] == nil {
			return nil, fmt.Errorf("nothing is called %q", def.To)
		}
		return f[def.To], nil
	}))
	return k
}

func fakeRecord(id, to string) mcphub.ServerRecord {
	return mcphub.ServerRecord{ID: id, Kind: "fake", Connection: json.RawMessage(`{"to":"` + to + `"}`)}
}

// connections makes Connections that end with the test, with a record for each fake.
func connections(t testing.TB, f fakes, opts *mcphub.ConnectionsOptions) *mcphub.Connections {
	t.Helper()
	if opts == nil {
		opts = &mcphub.ConnectionsOptions{}
	}
	opts.Kinds = f.kinds(t)
	c, err := mcphub.NewConnections(memory.New(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	for name := range f {
		_, err := c.Save(t.Context(), fakeRecord(name, name))
		require.NoError(t, err)
	}
	return c
}

// fake is a server without a connection. Its zero value works and offers nothing.
type fake struct {
	kind client.TransportKind
	// dial and call replace what it does by itself.
	dial func(ctx context.Context, n int) error
	call func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

	mu    sync.Mutex
	tools []string // descriptions
	caps  client.ServerCapabilities
	open  []*fakeSession
	dials atomic.Int64
	made  atomic.Int64
	lists atomic.Int64
}

func (f *fake) Describe() client.Endpoint {
	kind := f.kind
	if kind == "" {
		kind = "fake"
	}
	return client.Endpoint{Kind: kind, Address: "fake", Auth: client.AuthNone}
}

func (f *fake) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	n := f.dials.Add(1)
	if f.dial != nil {
		if err := f.dial(ctx, int(n)); err != nil {
			return nil, err
		}
	}
	f.made.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &fakeSession{f: f, opts: opts, done: make(chan struct{}), caps: f.caps}
	s.caps.Tools = s.caps.Tools || f.tools != nil
	f.open = append(f.open, s)
	return s, nil
}

// offer sets the tools, each "name" or "name=description".
func (f *fake) offer(tools ...string) *fake {
	var all []string
	for _, tool := range tools {
		name, about, _ := strings.Cut(tool, "=")
		all = append(all, fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, about))
	}
	f.mu.Lock()
	f.tools = all
	f.mu.Unlock()
	return f
}

// sessions are those that are open.
func (f *fake) sessions() []*fakeSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.open)
}

// changed tells every session that the tools changed.
func (f *fake) changed() {
	for _, s := range f.sessions() {
		s.opts.Handler.Notification(context.Background(), client.Notification{Method: "notifications/tools/list_changed"})
	}
}

type fakeSession struct {
	f    *fake
	opts *client.DialOptions
	caps client.ServerCapabilities
	mu   sync.Mutex
	err  error
	done chan struct{}
}

func (s *fakeSession) Info() *client.SessionInfo {
	return &client.SessionInfo{Endpoint: s.f.Describe(), Era: client.EraSession, Version: "2025-11-25", Capabilities: s.caps,
		Server: client.Identity{Name: "fake", Version: "1"}}
}

func (s *fakeSession) Call(ctx context.Context, method string, params json.RawMessage, _ *client.CallOptions) (json.RawMessage, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	if method == "tools/list" {
		s.f.lists.Add(1)
	}
	if s.f.call != nil {
		if result, err := s.f.call(ctx, method, params); result != nil || err != nil {
			return result, err
		}
	}
	switch method {
	case "tools/list":
		s.f.mu.Lock()
		defer s.f.mu.Unlock()
		return json.RawMessage(`{"tools":[` + strings.Join(s.f.tools, ",") + `]}`), nil
	case "tools/call":
		return json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`), nil
	case "ping", "server/discover":
		return json.RawMessage(`{}`), nil
	}
	return nil, &client.RPCError{Code: -32601, Message: "Method not found"}
}

func (s *fakeSession) Notify(context.Context, string, json.RawMessage) error { return s.Err() }

func (s *fakeSession) Listen(ctx context.Context, sub *client.Subscription) error {
	if sub.Ready != nil {
		sub.Ready()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return s.Err()
	}
}

func (s *fakeSession) Done() <-chan struct{} { return s.done }

func (s *fakeSession) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// lose ends the session as if the server had gone.
func (s *fakeSession) lose(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first {
		close(s.done)
		s.f.mu.Lock()
		s.f.open = slices.DeleteFunc(s.f.open, func(other *fakeSession) bool { return other == s })
		s.f.mu.Unlock()
	}
}

func (s *fakeSession) Close() error {
	s.lose(client.ErrSessionClosed)
	return nil
}

// connError is a failure of this class.
func connError(class client.ConnClass, sent bool, err error) error {
	return &client.ConnError{Class: class, Op: "test", Sent: sent, Err: err}
}

var errRefused = errors.New("connection refused")

func refused() error { return connError(client.ConnTransport, false, errRefused) }

func stateOf(t testing.TB, c *mcphub.Connections, id string) mcphub.ServerState {
	t.Helper()
	s, err := c.Status(id)
	require.NoError(t, err)
	return s.State
}

func toolsOf(s *mcphub.Snapshot) []string {
	names := []string{}
	if s != nil {
		for _, t := range s.Tools {
			names = append(names, t.Name)
		}
	}
	return names
}

func toolNamesOf(t testing.TB, source toolspec.Source) []string {
	t.Helper()
	tools, err := source.Tools(t.Context())
	require.NoError(t, err)
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Definition().Name)
	}
	return names
}

// toolProvider is a source of the tools of c.
func toolProvider(t testing.TB, c *mcphub.Connections, opts *mcphub.ToolProviderOptions) *mcphub.ToolProvider {
	t.Helper()
	p, err := mcphub.NewToolProvider(c, opts)
	require.NoError(t, err)
	return p
}
