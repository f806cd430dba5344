package mcphubtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/localpass/localpass/mcphub/client"
)

// PeerOptions are the options of [NewPeer]. The zero value is a server that supports
// every version of the protocol, with a session up to 2025-11-25.
type PeerOptions struct {
	// Versions are the protocol versions that the peer supports, newest first. nil means
	// all of them.
	Versions []string
	// SSE makes the peer support only HTTP with SSE: its versions then end at 2025-11-25.
	SSE bool
	// Stateless prevents the peer from issuing session ids over HTTP.
	Stateless bool
	// Capabilities are the declared capabilities, a JSON object. Default:
	// {"tools":{"listChanged":true}}.
	Capabilities string
	// Identity returns the name and the version that the peer gives to a client; it is
	// called for each connection. nil means "peer", version 1.2.3.
	Identity func() client.Identity
}

// Peer is an MCP server whose behaviour a test determines. It answers initialize,
// server/discover, ping and notifications by default, unless On sets something else, and
// refuses every other method as unknown. It is safe for concurrent use.
type Peer struct {
	opts PeerOptions

	mu        sync.Mutex
	reactions map[string][]Reaction
	listen    Reaction
	seen      []Message
	sessions  int
	ended     map[string]bool
	asked     int
	answers   map[string]chan Message
	streams   map[string]*sseStream
}

// Message is a message that the peer received.
type Message struct {
	// HTTP is the HTTP method, "" on a stream. Method is "" for a response, and
	// for a request without a body.
	HTTP   string
	Method string
	ID     json.RawMessage
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
	Header http.Header
	Body   string
}

// Reaction handles one request. If it returns without an answer, there is none: over HTTP
// the response ends, and a stream stays silent.
type Reaction func(x *Exchange)

// NewPeer returns a peer. opts may be nil.
func NewPeer(opts *PeerOptions) *Peer {
	if opts == nil {
		opts = &PeerOptions{}
	}
	p := &Peer{opts: *opts, reactions: map[string][]Reaction{}, ended: map[string]bool{}, answers: map[string]chan Message{},
		streams: map[string]*sseStream{}}
	if p.opts.Versions == nil {
		p.opts.Versions = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	}
	if p.opts.Capabilities == "" {
		p.opts.Capabilities = `{"tools":{"listChanged":true}}`
	}
	return p
}

// On sets how the peer reacts to requests and notifications of a method: with the first
// reaction to the first one, with the next to the next one, and with the last to all
// further ones. Without reactions the peer behaves as by default. The method "*" matches
// every method that is not set; "DELETE" is the end of a session over HTTP.
func (p *Peer) On(method string, reactions ...Reaction) *Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reactions[method] = reactions
	return p
}

// OnListen sets how the peer reacts to the GET of a listening stream, or of the rest of a
// stream. Without it the peer answers 405.
func (p *Peer) OnListen(reaction Reaction) *Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listen = reaction
	return p
}

// Seen returns the messages that have arrived so far, in order.
func (p *Peer) Seen() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.seen...)
}

// Methods returns the methods of those messages; a message without a method is
// represented by its HTTP method, a response by "response".
func (p *Peer) Methods() []string {
	var out []string
	for _, m := range p.Seen() {
		switch {
		case m.Method != "":
			out = append(out, m.Method)
		case m.Body == "":
			out = append(out, m.HTTP)
		default:
			out = append(out, "response")
		}
	}
	return out
}

// EndSessions makes the peer forget its sessions: requests in them are answered
// with 404.
func (p *Peer) EndSessions() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.sessions {
		p.ended[sessionID(i+1)] = true
	}
}

func sessionID(n int) string { return fmt.Sprintf("peer-session-%d", n) }

// Transport returns a transport to the peer that needs no socket, of the kind http, sse
// or stdio (a byte stream in memory).
func (p *Peer) Transport(kind client.TransportKind) client.Transport {
	switch kind {
	case client.TransportHTTP, client.TransportSSE:
		make := client.NewHTTP
		if kind == client.TransportSSE {
			make = client.NewSSE
		}
		t, err := make(client.HTTPConfig{URL: "http://peer.example/mcp"}, &client.HTTPOptions{RoundTripper: RoundTripper(p)})
		if err != nil {
			panic(err) // the address is good
		}
		return t
	}
	return &streamTransport{p: p}
}

// streamTransport connects to a peer over a pipe.
type streamTransport struct {
	p        *Peer
	remember client.Remembered
}

func (t *streamTransport) Describe() client.Endpoint {
	return client.Endpoint{Kind: client.TransportStdio, Address: "peer", Auth: client.AuthNone}
}

func (t *streamTransport) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	here, there := net.Pipe()
	go t.p.ServeStream(there)
	var limit int64
	if opts != nil {
		limit = opts.MaxMessage
	}
	return client.Connect(ctx, client.StreamConn(here, limit), t.Describe(), opts, &client.ConnectOptions{Remember: &t.remember})
}

// ServeStream serves one client, which writes one message per line, until the stream
// ends, and closes it.
func (p *Peer) ServeStream(stream io.ReadWriteCloser) {
	defer stream.Close()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	var writing sync.Mutex
	write := func(message []byte) {
		writing.Lock()
		defer writing.Unlock()
		_, _ = stream.Write(append(message, '\n')) // a client that is gone does not need it
	}
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		m := parseMessage(lines.Bytes())
		p.note(m)
		if p.delivered(m) {
			continue
		}
		x := &Exchange{Message: m, peer: p, ctx: ctx, write: write}
		react := p.reaction(m)
		if m.Method == "initialize" || m.ID == nil {
			react(x)
			continue
		}
		all.Go(func() { react(x) })
	}
}

func parseMessage(data []byte) Message {
	m := Message{Body: string(data)}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) == nil {
		_ = json.Unmarshal(all["method"], &m.Method) // "" on failure
		m.ID, m.Params, m.Result, m.Error = all["id"], all["params"], all["result"], all["error"]
	}
	return m
}

func (p *Peer) note(m Message) {
	p.mu.Lock()
	p.seen = append(p.seen, m)
	p.mu.Unlock()
}

// delivered passes a response to the waiting request, and reports whether there was one.
func (p *Peer) delivered(m Message) bool {
	if m.Method != "" || m.ID == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if waiting := p.answers[string(m.ID)]; waiting != nil {
		waiting <- m
		delete(p.answers, string(m.ID))
	}
	return true
}

// reaction returns the next scripted reaction to a message.
func (p *Peer) reaction(m Message) Reaction {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := m.Method
	if name == "" {
		name = m.HTTP
	}
	for _, name := range []string{name, "*"} {
		list := p.reactions[name]
		if len(list) == 0 {
			continue
		}
		if len(list) > 1 {
			p.reactions[name] = list[1:]
		}
		return list[0]
	}
	return p.natural(m)
}

// info returns the identity as JSON.
func (p *Peer) info() string {
	who := client.Identity{Name: "peer", Title: "A peer", Version: "1.2.3"}
	if p.opts.Identity != nil {
		who = p.opts.Identity()
	}
	text, _ := json.Marshal(who)
	return string(text)
}

// natural returns the default reaction of the peer.
func (p *Peer) natural(m Message) Reaction {
	switch {
	case m.Method == "initialize":
		return func(x *Exchange) {
			var params struct{ ProtocolVersion string }
			_ = json.Unmarshal(x.Params, &params) // "" on failure
			version := ""
			for _, v := range p.opts.Versions {
				if v == params.ProtocolVersion {
					version = v
				}
			}
			for _, v := range p.opts.Versions {
				if version == "" && v < "2026" {
					version = v
				}
			}
			if version == "" {
				x.Refuse(-32601, "Method not found", "")
				return
			}
			x.Reply(`{"protocolVersion":"` + version + `","capabilities":` + p.opts.Capabilities + `,"serverInfo":` + p.info() + `,"instructions":"Ask away."}`)
		}
	case m.Method == "server/discover" && p.opts.Versions[0] >= "2026":
		return func(x *Exchange) {
			x.Reply(`{"resultType":"complete","supportedVersions":["` + strings.Join(p.opts.Versions, `","`) + `"],"capabilities":` + p.opts.Capabilities +
				`,"instructions":"Ask away.","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":` + p.info() + `}}`)
		}
	case m.Method == "ping":
		return Reply(`{}`)
	case m.ID == nil:
		return func(x *Exchange) { x.accepted() }
	}
	return Refuse(-32601, "Method not found")
}
