package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/servers"
)

const (
	// LockFile is the usual name of a file with a [Lock].
	LockFile = "mcp.lock.json"
	// LockFormat is the Format of a [Lock].
	LockFormat = "localpass.mcp-lock/1"
	// MaxLock is the size in bytes of the largest file that [ParseLock] reads.
	MaxLock = 64 << 20
)

// Lock pins tools of servers by the definitions that were approved. Its JSON is the lock
// file: definitions are there as a whole, so that a review of a change shows what a model
// would read.
type Lock struct {
	// Format is [LockFormat].
	Format string `json:"format"`
	// Servers are the pins by the id of the server in the configuration.
	Servers map[string]Pins `json:"servers"`
}

// Pins are the pinned tools of one server.
type Pins struct {
	// Origin is the digest of the program or the address of the server: see
	// [servers.Record.Origin].
	Origin string `json:"origin"`
	// Tools are the definitions by the server's name of the tool.
	Tools map[string]json.RawMessage `json:"tools"`
}

// ParseLock reads a lock file. It refuses one with a member that it does not know, and a
// definition that cannot be approved.
func ParseLock(data []byte) (*Lock, error) {
	if len(data) > MaxLock {
		return nil, fmt.Errorf("ledger: the lock has more than %d MiB", MaxLock>>20)
	}
	if _, err := canon.Transform(data); err != nil { // such as a name that occurs twice, of which a reader may see the other one
		return nil, fmt.Errorf("ledger: the lock is not readable: %w", err)
	}
	var l Lock
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("ledger: the lock is not readable: %w", err)
	}
	if l.Format != LockFormat {
		return nil, fmt.Errorf("ledger: the format of the lock is %q, not %q", l.Format, LockFormat)
	}
	for _, id := range slices.Sorted(maps.Keys(l.Servers)) {
		if l.Servers[id].Origin == "" {
			return nil, fmt.Errorf("ledger: the server %q of the lock has no origin", id)
		}
		for name, raw := range l.Servers[id].Tools {
			t, err := servers.ParseTool(raw)
			if err == nil && t.Name != name {
				err = fmt.Errorf("its definition is that of %q", t.Name)
			}
			if err != nil {
				return nil, fmt.Errorf("ledger: the tool %q of the server %q of the lock: %w", name, id, err)
			}
		}
	}
	return &l, nil
}

// Pin adds a tool of a server, or replaces it. The origin is that of the server.
func (l *Lock) Pin(server, origin, tool string, definition json.RawMessage) {
	l.Format = LockFormat
	if l.Servers == nil {
		l.Servers = map[string]Pins{}
	}
	p := l.Servers[server]
	if p.Tools == nil {
		p.Tools = map[string]json.RawMessage{}
	}
	p.Origin, p.Tools[tool] = origin, definition
	l.Servers[server] = p
}

// Bytes returns the lock file: the same bytes for the same pins, with a line for each
// member.
func (l *Lock) Bytes() ([]byte, error) {
	out := Lock{Format: LockFormat, Servers: l.Servers}
	if out.Servers == nil {
		out.Servers = map[string]Pins{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a description is for reading
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return nil, fmt.Errorf("ledger: write the lock: %w", err)
	}
	return b.Bytes(), nil
}

// State is how what a server offers differs from its pins.
type State string

// The states.
const (
	// StateChanged: the definition is not the pinned one.
	StateChanged State = "changed"
	// StateMissing: the server does not offer the tool.
	StateMissing State = "missing"
	// StateUnpinned: the tool is not in the lock.
	StateUnpinned State = "unpinned"
	// StateOtherOrigin: the program or the address of the server is another one.
	StateOtherOrigin State = "other-origin"
	// StateUnpinnedServer: the lock has no pins of the server.
	StateUnpinnedServer State = "unpinned-server"
)

// says are the states in words.
var says = map[State]string{
	StateChanged: "it differs from what is pinned", StateMissing: "it is pinned, and the server does not offer it", StateUnpinned: "it is not in the lock",
	StateOtherOrigin: "its program or its address is not the pinned one", StateUnpinnedServer: "it is not in the lock",
}

// Problem is something that a server offers otherwise than it was pinned.
type Problem struct {
	Server string `json:"server"`
	// Tool is empty for a problem of the whole server.
	Tool  string `json:"tool,omitempty"`
	State State  `json:"state"`
	// Changes are what differs, for StateChanged.
	Changes []Change `json:"changes,omitempty"`
}

// String returns "server/tool: " and what is wrong.
func (p Problem) String() string {
	name := p.Server
	if p.Tool != "" {
		name += "/" + p.Tool
	}
	return name + ": " + says[p.State]
}

// VerifyOrigin reports a server that has no pins, or is not the program or the address that
// was pinned; nil for a pinned one. Ask it before a server of an untrusted configuration is
// started or sent a secret.
func (l *Lock) VerifyOrigin(server, origin string) *Problem {
	pins, ok := l.Servers[server]
	switch {
	case !ok:
		return &Problem{Server: server, State: StateUnpinnedServer}
	case origin != pins.Origin:
		return &Problem{Server: server, State: StateOtherOrigin}
	}
	return nil
}

// Verify compares what a server offers with its pins, by name. uses says which tools of the
// server are of interest; nil means all. A pinned tool is always of interest. Nothing
// differs if the result is empty. The tools of a server that [Lock.VerifyOrigin] reports are
// not compared.
func (l *Lock) Verify(server, origin string, offered []*servers.OfferedTool, uses func(tool string) bool) []Problem {
	if p := l.VerifyOrigin(server, origin); p != nil {
		return []Problem{*p}
	}
	var out []Problem
	pins := l.Servers[server]
	there := map[string]*servers.OfferedTool{}
	for _, t := range offered {
		there[t.Name] = t
	}
	names := slices.Collect(maps.Keys(pins.Tools))
	for name := range there {
		if pins.Tools[name] == nil && (uses == nil || uses(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		p := Problem{Server: server, Tool: name}
		pinned, t := pins.Tools[name], there[name]
		switch {
		case t == nil:
			p.State = StateMissing
		case pinned == nil:
			p.State = StateUnpinned
		case same(pinned, t.Raw):
			continue
		default:
			p.State = StateChanged
			p.Changes, _ = Diff(pinned, t.Raw) // a pin that is no object differs without changes
		}
		out = append(out, p)
	}
	return out
}
