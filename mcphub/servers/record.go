package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon"
)

// Where the records of servers and their last snapshots are stored.
const (
	serversCollection = "servers"
	cacheCollection   = "servers-cache"
)

// Limits of a record.
const (
	maxServerTags  = 64
	maxServerBytes = 256 << 10

	maxServerTimeoutMS = 3_600_000
)

// Record is the stored configuration of one MCP server.
type Record struct {
	// ID is the permanent name of the server: 1 to 64 characters of A-Z a-z 0-9 . _ and
	// -. It is part of the names of tools.
	ID string `json:"id"`
	// Name is a display name. Optional.
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	// Kind and Connection define the connection, in the form that [client.Registry]
	// accepts. Placeholders, ${NAME}, are kept as written here and replaced only when the
	// server is connected.
	Kind       client.TransportKind `json:"transport,omitempty"`
	Connection json.RawMessage      `json:"connection"`
	// Selection says which of its tools are used. nil: all of them. A change applies to
	// later calls; no session is reopened for it.
	Selection *Selection `json:"toolSelection,omitempty"`
	// Prefix replaces the id of the server in the names that [Prefixed] gives to its
	// tools and prompts: 1 to 32 characters of a-z 0-9 _ and -, the first a letter.
	// Empty: the id. Several servers may have the same prefix.
	Prefix string `json:"toolPrefix,omitempty"`
	// Relay replaces [Options].Relay for this server. Optional.
	Relay *RelayPolicy `json:"relay,omitempty"`
	// Results says what is done with results that are large or read like orders to a model.
	// Members that are not set are those of [Options].Results. Optional.
	Results *ResultPolicy `json:"results,omitempty"`
	// Rates bounds how often it is called. Optional.
	Rates *CallRates `json:"rates,omitempty"`
	// Disabled keeps the record but prevents connections.
	Disabled bool `json:"disabled,omitempty"`
	// AutoConnect connects to the server when a program calls [Connections.ConnectAuto],
	// usually at its start.
	AutoConnect bool `json:"autoConnect,omitempty"`
	// TimeoutMS bounds one call of the server, in milliseconds, up to an hour. 0:
	// Options.CallTimeout.
	TimeoutMS int64 `json:"timeoutMs,omitempty"`
	// Versions are the acceptable protocol versions, for example only "2025-11-25" for a
	// server whose newer versions are faulty. Empty: DialOptions.Versions.
	Versions []string `json:"protocolVersions,omitempty"`

	// Version is the stored version of the record; 0 for a new record. It is not part of
	// the document.
	Version int64 `json:"-"`
	// Updated is when it was written.
	Updated time.Time `json:"-"`
	// Extra are the members that are not listed above. They are kept when the record
	// changes.
	Extra map[string]json.RawMessage `json:"-"`

	closed    map[string]string // sealed values that could not be decrypted, by their place
	whyClosed error
}

// Stdio returns a record of a server that is a program on this machine. [Connections]
// starts it when it is needed, and uses its standard input and output. ${NAME} in an
// argument is replaced when it is started.
func Stdio(id, command string, args ...string) Record {
	connection := append(rpc.AppendString([]byte(`{"command":`), command), `,"args":`...)
	return Record{ID: id, Kind: client.TransportStdio, Connection: append(rpc.AppendStrings(connection, args), '}')}
}

// HTTP returns a record of a server at an address, over streamable HTTP.
func HTTP(id, url string) Record {
	return Record{ID: id, Kind: client.TransportHTTP, Connection: append(rpc.AppendString([]byte(`{"url":`), url), '}')}
}

// Clone returns a deep copy of the record.
func (r *Record) Clone() Record {
	c := *r
	c.Versions, c.Selection = slices.Clone(r.Versions), r.Selection.own()
	c.Tags, c.Connection, c.Extra, c.closed = slices.Clone(r.Tags), slices.Clone(r.Connection), maps.Clone(r.Extra), maps.Clone(r.closed)
	if r.Relay != nil {
		own := *r.Relay
		c.Relay = &own
	}
	if r.Results != nil {
		own := *r.Results
		c.Results = &own
	}
	if r.Rates != nil {
		own := *r.Rates
		c.Rates = &own
	}
	return c
}

// Validate reports what is wrong with the record itself. The factory of its kind checks
// the definition of the connection.
func (r *Record) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("servers: server %q: %s", r.ID, fmt.Sprintf(format, args...))
	}
	if !rpc.IsServerID(r.ID) {
		return fmt.Errorf("servers: %q cannot be the id of a server: use 1 to %d characters of A-Z a-z 0-9 . _ and -", clip.To(r.ID, rpc.MaxServerID), rpc.MaxServerID)
	}
	for _, text := range []struct {
		name, value string
		most        int
	}{{"name", r.Name, rpc.MaxName}, {"description", r.Description, rpc.MaxDescription}, {"category", r.Category, rpc.MaxName}} {
		if len(text.value) > text.most || !utf8.ValidString(text.value) {
			return bad("the %s must be text of at most %d bytes", text.name, text.most)
		}
	}
	if len(r.Tags) > maxServerTags {
		return bad("it has %d tags, and %d are allowed", len(r.Tags), maxServerTags)
	}
	for _, tag := range r.Tags {
		if tag == "" || len(tag) > rpc.MaxName || !utf8.ValidString(tag) {
			return bad("a tag must be text of 1 to %d bytes", rpc.MaxName)
		}
	}
	for _, err := range []error{r.Relay.Validate(), r.Results.Validate(), r.Rates.Validate(), r.Selection.Validate(), checkToolPrefix(r.Prefix)} {
		if err != nil {
			return bad("%v", err)
		}
	}
	if len(r.Connection) > maxServerBytes {
		return bad("the definition of its connection has more than %d bytes", maxServerBytes)
	}
	if len(r.Connection) > 0 && (!rpc.ValidJSON(r.Connection) || !rpc.IsObject([]byte(strings.TrimSpace(string(r.Connection))))) {
		return bad("the definition of its connection must be a JSON object")
	}
	if r.TimeoutMS < 0 || r.TimeoutMS > maxServerTimeoutMS {
		return bad("timeoutMs is %d, and must be between 0 and %d", r.TimeoutMS, maxServerTimeoutMS)
	}
	for _, v := range r.Versions {
		if !slices.Contains(rpc.StatelessVersions[:], v) && !slices.Contains(rpc.SessionVersions[:], v) {
			return bad("protocolVersions has %q, and there are %q and %q", clip.To(v, 20), rpc.StatelessVersions, rpc.SessionVersions)
		}
	}
	return nil
}

// MarshalJSON writes the record as it is stored, with the members in Extra.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	if len(r.Connection) == 0 {
		r.Connection = json.RawMessage("{}")
	}
	data, err := json.Marshal(plain(r))
	if err != nil || len(r.Extra) == 0 {
		return data, err
	}
	data = data[:len(data)-1]
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		if slices.Contains(recordMembers, name) {
			continue
		}
		if !rpc.ValidJSON(r.Extra[name]) {
			return nil, fmt.Errorf("servers: server %q: the member %q is not JSON", r.ID, name)
		}
		data = append(append(rpc.AppendString(append(data, ','), name), ':'), r.Extra[name]...)
	}
	return append(data, '}'), nil
}

var recordMembers = []string{"id", "name", "description", "category", "tags", "transport", "connection", "toolSelection", "toolPrefix", "relay", "results", "rates", "disabled", "autoConnect", "timeoutMs", "protocolVersions"}

// UnmarshalJSON reads a record. Unknown members go to Extra. The names of members are
// case-sensitive.
func (r *Record) UnmarshalJSON(data []byte) error {
	type plain Record
	var p plain
	known := []byte{'{'}
	seen := map[string]bool{}
	var twice string
	err := rpc.ScanObject(data, func(token, name, value []byte) {
		if seen[string(name)] {
			twice = string(name)
		}
		seen[string(name)] = true
		if !slices.Contains(recordMembers, string(name)) {
			if p.Extra == nil {
				p.Extra = map[string]json.RawMessage{}
			}
			p.Extra[string(name)] = slices.Clone(value)
			return
		}
		known = append(append(append(rpc.Comma(known), token...), ':'), value...)
	})
	switch {
	case err != nil:
		return fmt.Errorf("servers: the record of a server must be one JSON object: %w", err)
	case twice != "":
		return fmt.Errorf("servers: the record of a server has the member %q twice", twice)
	}
	extra := p.Extra
	if err := json.Unmarshal(append(known, '}'), &p); err != nil {
		return fmt.Errorf("servers: the record of a server: %w", err)
	}
	p.Extra = extra
	*r = Record(p)
	return nil
}

// Definition returns the digest, in hex, of everything that determines the endpoint of
// the connection. What was learnt or approved over one connection is valid only for the
// same digest.
func (r *Record) Definition() string {
	form := []byte(r.Connection)
	if len(form) == 0 {
		form = []byte("{}")
	}
	if canonical, err := canon.Transform(form); err == nil {
		form = canonical
	}
	return canon.Digest([]byte(client.CanonicalKind(r.Kind)), form)
}

// Origin returns the digest, in hex, of which server this is: its program with the arguments
// and the directory, or its address. Headers, the environment and what describes the server do
// not count: with another key it is the same server.
func (r *Record) Origin() string { return originDigest(r.Kind, r.Connection) }

// sourceMember is the member in Extra that names the file a record came from.
const sourceMember = "source"

// Source returns the file from which the record came: see [Record.SetSource]. Empty if it
// did not come from a file.
func (r *Record) Source() string {
	source, _ := rpc.Text(r.Extra[sourceMember])
	return source
}

// SetSource stores the file from which the record came, such as its absolute path.
func (r *Record) SetSource(file string) {
	r.Extra = maps.Clone(r.Extra)
	if r.Extra == nil {
		r.Extra = map[string]json.RawMessage{}
	}
	r.Extra[sourceMember] = rpc.AppendString(nil, file)
}

// Errors of [Connections], in addition to those of sessions. They are returned wrapped.
var (
	// ErrNotFound reports that there is no record with the id.
	ErrNotFound = errors.New("servers: no such server")
	// ErrCircuitOpen reports a server that failed so often that it is not
	// contacted for a while; see [CircuitOpenError].
	ErrCircuitOpen = errors.New("servers: the server is left alone after repeated failures")
	// ErrOverloaded reports a call that got no slot: too many calls were running and
	// waiting, or it waited too long.
	ErrOverloaded = errors.New("servers: too many calls of this server")
	// ErrDisabled reports a server whose record is disabled.
	ErrDisabled = errors.New("servers: the server is disabled")
	// ErrWithheld reports a tool that differs from what the operator approved.
	ErrWithheld = errors.New("servers: the tool is withheld")
)

// ConflictError reports that a record was written since it was read. It matches
// localpass.ErrConflict.
type ConflictError struct {
	ID string
	// Current is the stored record; nil if it is gone.
	Current *Record
	err     error
}

// Error says how to proceed.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("servers: server %q: its record changed since it was read: apply the change to the current one and save again", e.ID)
}

// Unwrap returns the error of the store.
func (e *ConflictError) Unwrap() error { return e.err }

// CircuitOpenError is an [ErrCircuitOpen] with the time of the next attempt.
type CircuitOpenError struct {
	Server  string
	RetryAt time.Time
}

// Error names the server and the time.
func (e *CircuitOpenError) Error() string {
	return fmt.Sprintf("servers: server %q is left alone after repeated failures, until %s", e.Server, e.RetryAt.Format(time.RFC3339))
}

// Is makes it match [ErrCircuitOpen].
func (e *CircuitOpenError) Is(target error) bool { return target == ErrCircuitOpen }

func notFound(id string) error {
	return fmt.Errorf("%w: %q: save a record for it first", ErrNotFound, clip.To(id, rpc.MaxServerID))
}

// readServers reads all records. Unreadable records are reported separately and hide
// nothing else. plain lists the records whose secrets are not sealed.
func (c *Connections) readServers(ctx context.Context) (all, plain []*Record, unreadable map[string]error, err error) {
	for doc, err := range c.store.List(ctx, serversCollection, localpass.ListOptions{}) {
		if err != nil {
			return nil, nil, nil, fmt.Errorf("servers: read the records of servers: %w", err)
		}
		r, bare, err := c.decode(doc)
		if err != nil {
			if unreadable == nil {
				unreadable = map[string]error{}
			}
			unreadable[doc.Key] = fmt.Errorf("servers: the record %s/%s is not readable; repair or delete it: %w", serversCollection, doc.Key, err)
			continue
		}
		all = append(all, r)
		if bare {
			plain = append(plain, r)
		}
	}
	return all, plain, unreadable, nil
}
