package client

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/mark3labs/mcp-go/mcp"
)

// DialOptions are the options of [Transport]'s Dial. The zero value works:
// every version of the protocol, and a client that answers no questions.
type DialOptions struct {
	// Client identifies this side to the server. Default "localpass".
	Client Identity
	// Capabilities are what the server may request from this side. Any other request is
	// refused without reaching Handler.
	Capabilities ClientCapabilities
	// Handler handles messages that the server sends by itself.
	Handler Handler
	// Versions are the acceptable protocol versions; nil accepts all known ones,
	// 2024-11-05 to 2026-07-28. The newest version that both sides support is used.
	Versions []string
	// Timeout bounds the dialling, in addition to its context. Default 20 s.
	Timeout time.Duration
	// ProbeTimeout is how long to wait for an answer to server/discover before the server
	// counts as older than 2026-07-28. Default 5 s.
	ProbeTimeout time.Duration
	// MaxMessage bounds one message in bytes, in both directions. Default 4 MiB.
	MaxMessage int64
	// Wire is called with each message of the session, in both directions, as it passes:
	// see [WireMessage]. It is called where messages are sent and read, concurrently, and
	// must not block. nil costs nothing.
	Wire func(WireMessage)
}

// Identity is the name of a program.
type Identity struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// ClientCapabilities are what a server may request from a client.
type ClientCapabilities struct {
	// Form and URL let the server ask the user, with a form or by opening a page.
	Form, URL bool
	// Sampling lets the server ask for completions; SamplingTools and
	// SamplingContext let those use tools and other servers' context.
	Sampling, SamplingTools, SamplingContext bool
	// Roots lets the server ask for the roots; RootsChanged says that this side
	// sends notifications of their changes (up to 2025-11-25).
	Roots, RootsChanged bool
	// Extensions are declared unchanged, by name. Each value is an object.
	Extensions map[string]json.RawMessage
	// Experimental is like Extensions, for experimental capabilities.
	Experimental map[string]json.RawMessage
}

// Union returns what c or d declares. Extensions and Experimental are taken from c.
func (c ClientCapabilities) Union(d ClientCapabilities) ClientCapabilities {
	c.Form, c.URL = c.Form || d.Form, c.URL || d.URL
	c.Sampling, c.SamplingTools, c.SamplingContext = c.Sampling || d.Sampling, c.SamplingTools || d.SamplingTools, c.SamplingContext || d.SamplingContext
	c.Roots, c.RootsChanged = c.Roots || d.Roots, c.RootsChanged || d.RootsChanged
	return c
}

// Handler handles messages that a server sends by itself. A nil function ignores
// notifications or refuses requests.
type Handler struct {
	// Notification is called with each notification, in the order of arrival; the
	// notifications of a call come before the call returns. Progress goes to the call
	// that requested it instead. Notification is called where messages are read: while it
	// runs, the session reads no further messages, and on some transports a call from
	// within it would deadlock.
	Notification func(ctx context.Context, n Notification)
	// Request answers a request of the server: sampling/createMessage, elicitation/create
	// or roots/list, as far as declared in [DialOptions.Capabilities]. Requests are
	// served concurrently. ctx ends with the session, or when the server cancels the
	// request. An [*RPCError] is sent unchanged; of any other error the server learns
	// only that it occurred.
	Request func(ctx context.Context, r ServerRequest) (json.RawMessage, error)
}

// Notification is a message without an answer.
type Notification struct {
	Method string
	Params json.RawMessage // nil when there are none

	mask Mask // of the session
}

// Mask returns the mask for the secrets of the notification's session.
func (n *Notification) Mask() Mask { return n.mask }

// ServerRequest is a request from the server.
type ServerRequest struct {
	Method string
	Params json.RawMessage // nil when there are none

	mask Mask // of the session
}

// Mask returns the mask for the secrets of the request's session.
func (r *ServerRequest) Mask() Mask { return r.mask }

const (
	defaultDialTimeout = 20 * time.Second
	defaultProbe       = 5 * time.Second
	defaultMaxMessage  = 4 << 20
)

// withDefaults returns a copy with the defaults filled in. A nil receiver is allowed.
func (o *DialOptions) withDefaults() *DialOptions {
	var c DialOptions
	if o != nil {
		c = *o
	}
	c.Client.Name = cmp.Or(c.Client.Name, rpc.LibraryName)
	c.Client.Version = cmp.Or(c.Client.Version, rpc.LibraryVersion)
	c.Timeout = cmp.Or(max(c.Timeout, 0), defaultDialTimeout)
	c.ProbeTimeout = cmp.Or(max(c.ProbeTimeout, 0), defaultProbe)
	c.MaxMessage = cmp.Or(max(c.MaxMessage, 0), defaultMaxMessage)
	return &c
}

// DialTimeout returns Timeout, or its default. A nil receiver is allowed.
func (o *DialOptions) DialTimeout() time.Duration { return o.withDefaults().Timeout }

// allowed returns the known versions that may be negotiated.
func (o *DialOptions) allowed(known []string) []string {
	if o.Versions == nil {
		return known
	}
	var out []string
	for _, v := range known {
		if slices.Contains(o.Versions, v) {
			out = append(out, v)
		}
	}
	return out
}

func appendIdentity(dst []byte, i Identity) []byte {
	dst = rpc.AppendString(append(dst, `{"name":`...), i.Name)
	dst = rpc.AppendField(dst, "title", i.Title)
	dst = rpc.AppendString(append(dst, `,"version":`...), i.Version)
	return append(dst, '}')
}

// appendTo writes the declaration. A version that does not know a member ignores it.
func (c *ClientCapabilities) appendTo(dst []byte, version string) []byte {
	dst = append(dst, '{')
	member := func(name string) { dst = append(rpc.AppendString(rpc.Comma(dst), name), ':') }
	flags := func(pairs ...any) { // name, set, name, set …
		dst = append(dst, '{')
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i+1].(bool) {
				member(pairs[i].(string))
				dst = append(dst, "{}"...)
			}
		}
		dst = append(dst, '}')
	}
	if c.Form || c.URL {
		member("elicitation")
		flags("form", c.Form, "url", c.URL)
	}
	if c.Sampling {
		member("sampling")
		flags("tools", c.SamplingTools, "context", c.SamplingContext)
	}
	if c.Roots {
		member("roots")
		if c.RootsChanged && !mcp.IsModernProtocol(version) {
			dst = append(dst, `{"listChanged":true}`...)
		} else {
			dst = append(dst, "{}"...)
		}
	}
	for _, group := range []struct {
		name string
		all  map[string]json.RawMessage
	}{{"extensions", c.Extensions}, {"experimental", c.Experimental}} {
		if len(group.all) == 0 {
			continue
		}
		member(group.name)
		dst = appendRawMap(dst, group.all)
	}
	return append(dst, '}')
}

// appendRawMap writes a map in the order of its names. A value that is not a JSON object
// is written as an empty object, because a declaration must not break the message.
func appendRawMap(dst []byte, m map[string]json.RawMessage) []byte {
	dst = append(dst, '{')
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := m[name]
		if !rpc.IsObject(value) || !rpc.ValidJSON(value) {
			value = json.RawMessage("{}")
		}
		dst = rpc.AppendMember(dst, rpc.AppendString(nil, name), value)
	}
	return append(dst, '}')
}
