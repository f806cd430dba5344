package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/localpass/localpass/mcphub/client"
)

// Errors of authorization. They are returned wrapped: test with errors.Is. None of them
// contains a token, a secret or a code.
var (
	// ErrUnsafe reports an address that must not be used: it is neither https nor on this
	// machine, it leads into a private network, or it is no URL.
	ErrUnsafe = errors.New("oauth: address is not safe to use")
	// ErrMetadata reports a document about a server that is missing or cannot be
	// used.
	ErrMetadata = errors.New("oauth: metadata cannot be used")
	// ErrResourceMismatch reports a server whose metadata name another server.
	ErrResourceMismatch = errors.New("oauth: the metadata are those of another resource")
	// ErrIssuerMismatch reports metadata or an answer from an authorization server other
	// than the one that was asked. Nothing of it was used.
	ErrIssuerMismatch = errors.New("oauth: the answer is not from the authorization server that was asked")
	// ErrNoPKCE reports an authorization server that does not say that it
	// protects codes with PKCE and S256.
	ErrNoPKCE = errors.New("oauth: the authorization server does not support PKCE with S256")
	// ErrNoClientID reports an authorization server that does not know this program and
	// does not let it register: add an entry for the server to [Options].Clients.
	ErrNoClientID = errors.New("oauth: no client id for the authorization server")
	// ErrState reports an answer that belongs to no attempt, or to one that has ended:
	// start again.
	ErrState = errors.New("oauth: the answer belongs to no open attempt")
	// ErrRejected reports a server that refuses a token which was just issued for it.
	// Another token would be refused too.
	ErrRejected = errors.New("oauth: the server refuses a new token")
	// ErrTooOften reports that authorization was tried repeatedly without success. A user
	// may start it again: see [Client.Begin].
	ErrTooOften = errors.New("oauth: authorization was tried too often")
	// ErrNoToken reports that there is nothing to revoke.
	ErrNoToken = errors.New("oauth: there is no token")
	// ErrClosed reports a client that was closed.
	ErrClosed = errors.New("oauth: client is closed")
)

// AuthorizationError reports that a user has to grant the authorization first:
// open URL. It is a [client.ErrAuthorizationRequired].
type AuthorizationError struct {
	// Resource is the server, Issuer its authorization server.
	Resource, Issuer string
	// Scopes are the requested scopes.
	Scopes []string
	// URL is the page to open in a browser, https or on this machine. It is for that user
	// alone: anyone who has it can answer in the user's place.
	URL string
}

// Error says what to do, without the URL.
func (e *AuthorizationError) Error() string {
	return fmt.Sprintf("oauth: %s wants an authorization by %s: open its page in a browser", e.Resource, e.Issuer)
}

// Is makes it match [client.ErrAuthorizationRequired].
func (e *AuthorizationError) Is(target error) bool { return target == client.ErrAuthorizationRequired }

// AuthorizationURL returns the page to open; see [servers.Status].
func (e *AuthorizationError) AuthorizationURL() string { return e.URL }

// ServerError is a refusal by an authorization server, in the terms of RFC 6749
// section 5.2 or 4.1.2.1.
type ServerError struct {
	// Op is the refused operation: "token", "registration", "revocation" or
	// "authorization".
	Op string
	// Issuer is the authorization server that refused.
	Issuer string
	// Status is the HTTP status, 0 if a browser brought the answer.
	Status int
	// Code is the reason, such as "invalid_grant"; empty if the server gave none.
	Code string
	// Description is the server's description, shortened and without control characters;
	// secrets that were sent are masked.
	Description string
}

// Error names the server, the operation and the reason.
func (e *ServerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "oauth: %s: the %s request was refused", e.Issuer, e.Op)
	if e.Code != "" {
		fmt.Fprintf(&b, ": %s", e.Code)
	}
	if e.Description != "" {
		fmt.Fprintf(&b, ": %s", e.Description)
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	return b.String()
}

// Temporary reports whether the same request may succeed later.
func (e *ServerError) Temporary() bool {
	switch e.Code {
	case "temporarily_unavailable", "server_error", "slow_down":
		return true
	}
	return passing(e.Status)
}

// awayError is a failure to reach a server: it may be temporary.
type awayError struct{ err error }

func (e *awayError) Error() string   { return e.err.Error() }
func (e *awayError) Unwrap() error   { return e.err }
func (e *awayError) Temporary() bool { return true }

// passing reports whether a status means that the server is failing temporarily.
func passing(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// badStatus returns the error for a document that could not be fetched.
func badStatus(what string, status int) error {
	err := fmt.Errorf("%w: %s: HTTP %d", ErrMetadata, what, status)
	if passing(status) {
		return &awayError{err}
	}
	return err
}

// printableLine makes a server's text fit to be shown: printable, one line, short.
func printableLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, text)
	if text = strings.Join(strings.Fields(text), " "); len(text) > 200 {
		text = text[:200] + " [...]"
	}
	return text
}

// isCode reports whether a text is an error code: a word that needs no masking.
func isCode(code string) bool {
	return code != "" && len(code) <= 64 && strings.Trim(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
