package client

import (
	"context"
	"net/url"
	"strings"
)

// TransportKind names a way to reach a server, as a connection's definition
// does.
type TransportKind string

// The kinds that every [Registry] knows.
const (
	// TransportHTTP is streamable HTTP, with a fall back to HTTP with SSE.
	TransportHTTP TransportKind = "http"
	// TransportStdio is a program that is started and spoken to over its
	// standard input and output.
	TransportStdio TransportKind = "stdio"
	// TransportSSE is HTTP with SSE, the transport of 2024-11-05.
	TransportSSE TransportKind = "sse"
	// TransportInProcess is a [mcphub.Hub] in this process, reached without a socket.
	TransportInProcess TransportKind = "inprocess"
)

// AuthMode is how a connection authenticates itself. The zero value is unknown,
// to be taken for the worst.
type AuthMode string

// The modes.
const (
	AuthUnknown AuthMode = ""
	// AuthNone sends no credentials.
	AuthNone AuthMode = "none"
	// AuthBearer sends a fixed bearer token.
	AuthBearer AuthMode = "bearer"
	// AuthBasic sends a fixed name and password.
	AuthBasic AuthMode = "basic"
	// AuthAPIKey sends a fixed key in a header or in the address.
	AuthAPIKey AuthMode = "api-key"
	// AuthOAuth sends tokens that [Credentials] provide.
	AuthOAuth AuthMode = "oauth"
	// AuthProcess hands secrets to a program that is started, or none.
	AuthProcess AuthMode = "process"
	// AuthInProcess is the identity of a caller in this process.
	AuthInProcess AuthMode = "in-process"
)

// Endpoint describes where a [Transport] leads, for people and for the scoring
// of risk. It holds no credentials: no user, no query, no header values, no
// arguments of a command.
type Endpoint struct {
	Kind TransportKind `json:"kind"`
	// Address is a URL without user, query and fragment, or the command that is
	// started, or the name of a hub. Placeholders are kept as they were written.
	Address string `json:"address"`
	// Auth is how the connection authenticates itself.
	Auth AuthMode `json:"auth"`
	// Required names the placeholders, ${NAME}, that the connection needs.
	Required []string `json:"required,omitempty"`
}

// String gives kind and address.
func (e Endpoint) String() string { return string(e.Kind) + " " + e.Address }

// Transport is one way to reach one MCP server. Those of this package are made
// by [NewHTTP], [NewSSE], [NewStdio] and [mcphub.Hub.InProcess], or from a connection's
// definition by [Registry]. A custom transport carries whole messages over a [Conn] and
// lets [Connect] do the rest; mcphubtest.TestTransport tests it against the following
// rules.
//
//   - Dial connects, agrees on a protocol version and returns a session that is
//     ready. ctx bounds the dialling only, not the session. opts may be nil.
//   - When Dial fails nothing is left behind: no goroutine, file or process.
//   - Each Dial makes a session of its own. Sessions do not disturb each other.
//   - Describe returns the same each time and connects to nothing.
//   - All methods are safe for concurrent use.
type Transport interface {
	Dial(ctx context.Context, opts *DialOptions) (Session, error)
	Describe() Endpoint
}

// publicAddress is an address without what may be secret in it. What cannot be
// taken apart, because a placeholder is in the middle of it, is cut by hand.
func publicAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.Contains(address, "${") {
		address, _, _ = strings.Cut(address, "?")
		address, _, _ = strings.Cut(address, "#")
		scheme, rest, ok := strings.Cut(address, "://")
		if !ok {
			return address
		}
		host, path, slash := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		if slash {
			host += "/" + path
		}
		return scheme + "://" + host
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}
