package hubtest

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

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// Describe returns the description of a tool in a list.
func Describe(name, about string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, about)
}

// ToolList returns the result of tools/list with these tools; next is its cursor.
func ToolList(next string, tools ...string) string {
	if next != "" {
		next = `,"nextCursor":"` + next + `"`
	}
	return `{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `]` + next + `}`
}

// GoodPeer returns a peer with one working tool, x.
func GoodPeer() *mcphubtest.Peer {
	return mcphubtest.NewPeer(nil).On("tools/list", mcphubtest.Reply(ToolList("", Describe("x", "")))).On("tools/call", mcphubtest.Reply(`{"content":[]}`))
}

// Fakes are transports by name, for records with the connection {"to":"name"}.
type Fakes map[string]client.Transport

// Kinds returns a registry that makes the transports of records of the kind fake.
func (f Fakes) Kinds(t testing.TB) *client.Registry {
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

// FakeRecord returns the record of a server id that leads to the fake with the name to.
func FakeRecord(id, to string) servers.Record {
	return servers.Record{ID: id, Kind: "fake", Connection: json.RawMessage(`{"to":"` + to + `"}`)}
}

// Connections makes Connections with a record for each fake, which are closed at the end
// of the test.
func Connections(t testing.TB, f Fakes, opts *servers.Options) *servers.Connections {
	t.Helper()
	if opts == nil {
		opts = &servers.Options{}
	}
	opts.Kinds = f.Kinds(t)
	c, err := servers.New(memory.New(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	for name := range f {
		_, err := c.Save(t.Context(), FakeRecord(name, name))
		require.NoError(t, err)
	}
	return c
}

// Fake is a server without a connection. Its zero value works and offers nothing.
type Fake struct {
	Kind client.TransportKind
	// OnDial and OnCall replace the default behaviour.
	OnDial func(ctx context.Context, n int) error
	OnCall func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

	mu    sync.Mutex
	tools []string // descriptions
	Caps  client.ServerCapabilities
	open  []*FakeSession
	Dials atomic.Int64
	Made  atomic.Int64
	Lists atomic.Int64
}

func (f *Fake) Describe() client.Endpoint {
	kind := f.Kind
	if kind == "" {
		kind = "fake"
	}
	return client.Endpoint{Kind: kind, Address: "fake", Auth: client.AuthNone}
}

func (f *Fake) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	n := f.Dials.Add(1)
	if f.OnDial != nil {
		if err := f.OnDial(ctx, int(n)); err != nil {
			return nil, err
		}
	}
	f.Made.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &FakeSession{f: f, Opts: opts, done: make(chan struct{}), caps: f.Caps}
	s.caps.Tools = s.caps.Tools || f.tools != nil
	f.open = append(f.open, s)
	return s, nil
}

// Offer sets the tools, each "name" or "name=description".
func (f *Fake) Offer(tools ...string) *Fake {
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

// OfferRaw sets the tools to these descriptions.
func (f *Fake) OfferRaw(descriptions ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tools = descriptions
}

// Sessions returns the open sessions.
func (f *Fake) Sessions() []*FakeSession {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.open)
}

// Changed notifies every session that the tools changed.
func (f *Fake) Changed() {
	for _, s := range f.Sessions() {
		s.Opts.Handler.Notification(context.Background(), client.Notification{Method: "notifications/tools/list_changed"})
	}
}

// FakeSession is a session with a [Fake].
type FakeSession struct {
	f    *Fake
	Opts *client.DialOptions
	caps client.ServerCapabilities
	mu   sync.Mutex
	err  error
	done chan struct{}
}

func (s *FakeSession) Info() *client.SessionInfo {
	return &client.SessionInfo{Endpoint: s.f.Describe(), Era: client.EraSession, Version: "2025-11-25", Capabilities: s.caps,
		Server: client.Identity{Name: "fake", Version: "1"}}
}

func (s *FakeSession) Call(ctx context.Context, method string, params json.RawMessage, _ *client.CallOptions) (json.RawMessage, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	if method == "tools/list" {
		s.f.Lists.Add(1)
	}
	if s.f.OnCall != nil {
		if result, err := s.f.OnCall(ctx, method, params); result != nil || err != nil {
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

func (s *FakeSession) Notify(context.Context, string, json.RawMessage) error { return s.Err() }

func (s *FakeSession) Listen(ctx context.Context, sub *client.Subscription) error {
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

func (s *FakeSession) Done() <-chan struct{} { return s.done }

func (s *FakeSession) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Lose ends the session as if the server were gone.
func (s *FakeSession) Lose(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first {
		close(s.done)
		s.f.mu.Lock()
		s.f.open = slices.DeleteFunc(s.f.open, func(other *FakeSession) bool { return other == s })
		s.f.mu.Unlock()
	}
}

func (s *FakeSession) Close() error {
	s.Lose(client.ErrSessionClosed)
	return nil
}

// ConnError returns a failure of this class.
func ConnError(class client.ConnClass, sent bool, err error) error {
	return &client.ConnError{Class: class, Op: "test", Sent: sent, Err: err}
}

// ErrRefused is the error of a server that cannot be reached.
var ErrRefused = errors.New("connection refused")

// Refused returns the failure of a dial that reached no server.
func Refused() error { return ConnError(client.ConnTransport, false, ErrRefused) }

// StateOf returns the state of a server.
func StateOf(t testing.TB, c *servers.Connections, id string) servers.State {
	t.Helper()
	s, err := c.Status(id)
	require.NoError(t, err)
	return s.State
}

// ToolsOf returns the names of the tools in a snapshot.
func ToolsOf(s *servers.Snapshot) []string {
	names := []string{}
	if s != nil {
		for _, t := range s.Tools {
			names = append(names, t.Name)
		}
	}
	return names
}

// ToolNamesOf returns the names of the tools of a source.
func ToolNamesOf(t testing.TB, source toolspec.Source) []string {
	t.Helper()
	tools, err := source.Tools(t.Context())
	require.NoError(t, err)
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Definition().Name)
	}
	return names
}

// ToolProvider returns a source of the tools of c.
func ToolProvider(t testing.TB, c *servers.Connections, opts *servers.ToolProviderOptions) *servers.ToolProvider {
	t.Helper()
	p, err := servers.NewToolProvider(c, opts)
	require.NoError(t, err)
	return p
}

// FullPeer returns a peer that offers items of every kind.
func FullPeer(version string, sse bool) *mcphubtest.Peer {
	caps := `{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}`
	p := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{version}, Capabilities: caps, SSE: sse})
	page := func(member, items string) mcphubtest.Reaction {
		return func(x *mcphubtest.Exchange) {
			if strings.Contains(string(x.Params), `"cursor":"2"`) {
				x.Reply(`{"resultType":"complete","` + member + `":[],"ttlMs":0,"cacheScope":"public"}`)
				return
			}
			x.Reply(`{"resultType":"complete","` + member + `":[` + items + `],"nextCursor":"2","ttlMs":0,"cacheScope":"public"}`)
		}
	}
	p.On("tools/list", page("tools", `{"name":"echo","description":"Echoes.","inputSchema":{"type":"object"}},{"name":"fail","inputSchema":{"type":"object"}},{"name":"ask","inputSchema":{"type":"object"}}`))
	p.On("resources/list", page("resources", `{"uri":"demo:///a","name":"a"}`))
	p.On("resources/templates/list", page("resourceTemplates", `{"uriTemplate":"demo:///{id}","name":"t"}`))
	p.On("prompts/list", page("prompts", `{"name":"greet"}`))
	p.On("resources/read", func(x *mcphubtest.Exchange) {
		if !strings.Contains(string(x.Params), "demo:///a") {
			code := -32002
			if version >= "2026" {
				code = -32602
			}
			x.Refuse(code, "Resource not found", "")
			return
		}
		x.Reply(`{"resultType":"complete","contents":[{"uri":"demo:///a","text":"A"}],"ttlMs":0,"cacheScope":"private"}`)
	})
	p.On("prompts/get", mcphubtest.Reply(`{"resultType":"complete","messages":[]}`))
	p.On("completion/complete", mcphubtest.Reply(`{"resultType":"complete","completion":{"values":["one","other"],"hasMore":false}}`))
	p.On("logging/setLevel", mcphubtest.Reply(`{}`))
	p.On("resources/subscribe", mcphubtest.Reply(`{}`))
	p.On("resources/unsubscribe", mcphubtest.Reply(`{}`))
	p.On("tools/call", func(x *mcphubtest.Exchange) {
		var params struct {
			Name      string
			Arguments json.RawMessage
		}
		_ = json.Unmarshal(x.Params, &params)
		switch params.Name {
		case "echo":
			x.Notify("notifications/message", `{"level":"info","logger":"peer","data":"`+strings.Repeat("long ", 100)+`"}`)
			x.Reply(`{"resultType":"complete","content":[{"type":"text","text":"echo"}],"structuredContent":` + string(params.Arguments) + `}`)
		case "fail":
			x.Reply(`{"resultType":"complete","content":[{"type":"text","text":"broken"}],"isError":true}`)
		default:
			x.Refuse(-32602, "Unknown tool", "")
		}
	})
	return p
}
