package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Errors of sessions with other servers. They are returned wrapped, mostly in a [*ConnError]: test with errors.Is.
var (
	// ErrMissingConfig reports a connection that needs values that are not set; see [MissingConfigError].
	ErrMissingConfig = errors.New("client: configuration is missing")
	// ErrAuthorizationRequired reports that a server requires credentials, or other ones (HTTP 401).
	// ConnError.Challenges says which.
	ErrAuthorizationRequired = errors.New("client: authorization required")
	// ErrForbidden reports that a server has authenticated the caller but refuses the
	// request (HTTP 403), for example because a scope is missing: see
	// ConnError.Challenges.
	ErrForbidden = errors.New("client: forbidden by the server")
	// ErrBusy reports that a server temporarily refused a request (HTTP 429 or 503): try again after
	// ConnError.RetryAfter.
	ErrBusy = errors.New("client: the server is busy")
	// ErrSessionLost reports a session that has ended without being closed: the server no
	// longer knows it, or its process or connection ended. Dial again.
	ErrSessionLost = errors.New("client: session lost")
	// ErrSessionClosed reports a session that was closed on this side.
	ErrSessionClosed = errors.New("client: session closed")
	// ErrProtocol reports a server that violates the protocol.
	ErrProtocol = errors.New("client: protocol violation")
	// ErrTooLarge reports a message above DialOptions.MaxMessage.
	ErrTooLarge = errors.New("client: message too large")
	// ErrUnsupportedProtocol reports two sides without a common version of the
	// protocol.
	ErrUnsupportedProtocol = errors.New("client: no common protocol version")
)

// ConnClass is the class of a [ConnError], which determines what can be done about it. The zero value is unknown.
type ConnClass uint8

// The classes.
const (
	ConnUnknown ConnClass = iota
	// ConnTransport: there was no connection, or it broke. Try again, but repeat a call only if Sent is false or the
	// tool is idempotent.
	ConnTransport
	// ConnTimeout: the deadline passed; errors.Is(err, context.DeadlineExceeded).
	ConnTimeout
	// ConnCancelled: the caller cancelled; errors.Is(err, context.Canceled).
	ConnCancelled
	// ConnAuth: [ErrAuthorizationRequired] or [ErrForbidden].
	ConnAuth
	// ConnBusy: [ErrBusy].
	ConnBusy
	// ConnServer: the server failed (HTTP 5xx) or refused the request (other statuses).
	ConnServer
	// ConnProtocol: [ErrProtocol], [ErrTooLarge] or [ErrUnsupportedProtocol].
	ConnProtocol
	// ConnSessionLost: [ErrSessionLost].
	ConnSessionLost
	// ConnClosed: [ErrSessionClosed].
	ConnClosed
)

var connClasses = []string{"unknown", "transport", "timeout", "cancelled", "auth", "busy", "server", "protocol", "session-lost", "closed"}

// String returns the class as one word.
func (c ConnClass) String() string {
	if int(c) < len(connClasses) {
		return connClasses[c]
	}
	return connClasses[0]
}

// MarshalText returns the class as one word.
func (c ConnClass) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *ConnClass) UnmarshalText(text []byte) error {
	for i, name := range connClasses {
		if string(text) == name {
			*c = ConnClass(i)
			return nil
		}
	}
	return fmt.Errorf("client: %q is no class of a connection error", text)
}

// ConnError is a failure between this side and a server, other than an error answer. Secrets of the connection are
// masked in it.
type ConnError struct {
	Class ConnClass
	// Op is what failed: "dial", "close", or the method of a call.
	Op string
	// Endpoint is the server's endpoint.
	Endpoint Endpoint
	// Sent says that the request may have reached the server. If it is false, repeating the request has no double
	// effect.
	Sent bool
	// Status is the HTTP status; 0 if there was none.
	Status int
	// RetryAfter is how long the server asks clients to wait; 0 if it did not say.
	RetryAfter time.Duration
	// Challenges are the WWW-Authenticate headers, as sent.
	Challenges []string
	// Detail is what the server wrote outside the protocol: the end of its standard error, or the beginning of the
	// body of a refusal.
	Detail string
	// Err is the cause.
	Err error
}

// Error names the operation, the endpoint, the cause and what the server said.
func (e *ConnError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "client: %s: %s: %s", e.Endpoint, e.Op, rpc.PlainText(fmt.Sprint(e.Err)))
	if e.Detail != "" {
		fmt.Fprintf(&b, ": the server said: %s", e.Detail)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *ConnError) Unwrap() error { return e.Err }

// RPCError is an error answer of the server.
type RPCError struct {
	Code    int
	Message string
	// Data is additional data from the server, raw; nil if there is none.
	Data json.RawMessage
}

// Error returns the message and the code.
func (e *RPCError) Error() string {
	return fmt.Sprintf("client: the server refused: %s (%d)", e.Message, e.Code)
}

// Is makes the error match errors.ErrUnsupported if the server does not have the method.
func (e *RPCError) Is(target error) bool {
	return target == errors.ErrUnsupported && e.Code == rpc.CodeMethodNotFound
}

// MissingConfigError names the placeholders of a connection that have no value
// here. Nothing was connected to or started.
type MissingConfigError struct {
	Endpoint Endpoint
	Names    []string
}

// Error names the values to set.
func (e *MissingConfigError) Error() string {
	return fmt.Sprintf("client: %s: configuration is missing: set %s", e.Endpoint, strings.Join(e.Names, ", "))
}

// Is makes it match [ErrMissingConfig].
func (e *MissingConfigError) Is(target error) bool { return target == ErrMissingConfig }

// classOf returns the class of a cause.
func classOf(err error) ConnClass {
	for _, c := range []struct {
		err   error
		class ConnClass
	}{
		{ErrSessionClosed, ConnClosed}, {ErrSessionLost, ConnSessionLost},
		{ErrAuthorizationRequired, ConnAuth}, {ErrForbidden, ConnAuth}, {ErrBusy, ConnBusy},
		{ErrProtocol, ConnProtocol}, {ErrTooLarge, ConnProtocol}, {ErrUnsupportedProtocol, ConnProtocol},
		{context.DeadlineExceeded, ConnTimeout}, {context.Canceled, ConnCancelled},
	} {
		if errors.Is(err, c.err) {
			return c.class
		}
	}
	return ConnTransport
}

// failure returns a masked ConnError for err.
func (s *session) failure(op string, sent bool, err error) error {
	var conn *ConnError
	if errors.As(err, &conn) {
		if conn.Op == opSession && op != opSession { // the reason why the session ended, reported for one request
			own := *conn
			own.Op, own.Sent = op, sent
			return &own
		}
		return err
	}
	var no *httpRefusal
	e := &ConnError{Class: classOf(err), Op: op, Endpoint: s.endpoint, Sent: sent, Err: s.masked(err)}
	if errors.As(err, &no) {
		e.Status, e.RetryAfter, e.Challenges, e.Detail = no.status, no.retryAfter, no.challenges, no.body
		if e.Class == ConnTransport {
			e.Class = ConnServer
		}
	} else if e.Class != ConnClosed && e.Class != ConnCancelled {
		e.Detail = s.link.detail()
	}
	e.Detail = tailOf(s.mask.String(e.Detail))
	return e
}

// masked hides the secrets of the connection in the text of an error. errors.Is still finds the same errors in it.
func (s *session) masked(err error) error {
	plain := err.Error()
	if hidden := s.mask.String(plain); hidden != plain {
		return &maskedError{hidden, err}
	}
	return err
}

type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

// Is inspects the cause without exposing it.
func (e *maskedError) Is(target error) bool { return errors.Is(e.err, target) }

// AuthorizationURL returns the page that an error, such as one of package oauth, asks the user to open; empty if it
// asks for none.
func AuthorizationURL(err error) string {
	var page interface{ AuthorizationURL() string }
	if errors.As(err, &page) {
		return page.AuthorizationURL()
	}
	return ""
}
