package client

import (
	"context"
	"net/url"
	"strings"
)

// TransportKind is the name of a kind of transport in a connection's definition.
type TransportKind string

// The built-in kinds of a [Registry].
const (
	// TransportHTTP is streamable HTTP, with a fallback to HTTP with SSE.
	TransportHTTP TransportKind = "http"
	// TransportStdio starts a program and uses its standard input and output.
	TransportStdio TransportKind = "stdio"
	// TransportSSE is HTTP with SSE, the transport of 2024-11-05.
	TransportSSE TransportKind = "sse"
	// TransportInProcess is a [mcphub.Hub] in this process, reached without a socket.
	TransportInProcess TransportKind = "inprocess"
)

// AuthMode is how a connection authenticates itself. The zero value is unknown, which
// counts as the worst.
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
	// AuthProcess may pass secrets to a started program.
	AuthProcess AuthMode = "process"
	// AuthInProcess is the identity of a caller in this process.
	AuthInProcess AuthMode = "in-process"
)

// Endpoint describes the server of a [Transport], for display and for scoring its risk.
// It contains no credentials: no user, query, header values or command arguments.
type Endpoint struct {
	Kind TransportKind `json:"kind"`
	// Address is a URL without user, query and fragment, or the command that is
	// started, or the name of a hub. Placeholders are kept as they were written.
	Address string `json:"address"`
	// Auth is how the connection authenticates itself.
	Auth AuthMode `json:"auth"`
	// Required names the placeholders, ${NAME}, of the connection.
	Required []string `json:"required,omitempty"`
}

// String returns the kind and the address.
func (e Endpoint) String() string { return string(e.Kind) + " " + e.Address }

// Transport connects to one MCP server. [NewHTTP], [NewSSE], [NewStdio] and
// [mcphub.Hub.InProcess] make transports, and [Registry] makes them from definitions. A
// custom transport implements a [Conn] for whole messages and calls [Connect];
// mcphubtest.TestTransport tests it against these rules:
//
//   - Dial connects, negotiates a protocol version and returns a session that is ready.
//     ctx bounds only the dialling, not the session. opts may be nil.
//   - A failed Dial leaves nothing behind: no goroutine, file or process.
//   - Each Dial opens a new session. Sessions are independent.
//   - Describe always returns the same value and makes no connection.
//   - All methods are safe for concurrent use.
type Transport interface {
	Dial(ctx context.Context, opts *DialOptions) (Session, error)
	Describe() Endpoint
}

// publicAddress returns an address without the parts that may be secret. An address that
// cannot be parsed, because of a placeholder in its middle, is cut by hand.
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
