package egress

import (
	"context"
	"errors"

	"github.com/localpass/localpass/toolspec"
)

// ErrClosed reports a request through a Guard that was closed.
var ErrClosed = errors.New("egress: guard is closed")

// Reasons of an [Error]. The first group are refusals, kind SECURITY.
const (
	ReasonUnsupportedScheme = "unsupported-scheme" // neither http nor https
	ReasonNetworkBlocked    = "network-blocked"    // the policy allows no network
	ReasonHostNotAllowed    = "host-not-in-allowlist"
	ReasonHostDenied        = "host-in-denylist"
	ReasonMethodNotAllowed  = "method-not-allowed" // no rule for the host allows the method
	ReasonPathNotAllowed    = "path-not-allowed"   // no rule for the host and method allows the path
	ReasonLiteralPrivate    = "literal-private-ip"
	ReasonResolvedPrivate   = "resolved-private-ip"
	ReasonDNSFailed         = "dns-resolution-failed"
	ReasonDNSEmpty          = "dns-no-addresses"
	ReasonTooManyRedirects  = "too-many-redirects"
	ReasonRedirectDowngrade = "redirect-downgrade" // from https to http
	ReasonBodyTooLarge      = "response-body-too-large"
	ReasonSecretHost        = "secret-host"     // a secret for a host that it does not name
	ReasonSecretInsecure    = "secret-insecure" // a secret without TLS

	// Kind INVALID_INPUT.
	ReasonMissingURL        = "missing-url"
	ReasonInvalidURL        = "invalid-url"
	ReasonMissingHost       = "missing-host"
	ReasonInvalidHeader     = "invalid-header"
	ReasonInvalidMethod     = "invalid-method"
	ReasonUnknownLevel      = "unknown-egress-level" // an invalid mode
	ReasonInvalidRule       = "invalid-rule"
	ReasonUnknownSecret     = "unknown-secret" // a handle that names no secret
	ReasonSecretPlace       = "secret-place"   // a handle in a path or a host
	ReasonInvalidSecret     = "invalid-secret" // a Secret that cannot be used
	ReasonBodyNotRewindable = "body-not-rewindable"

	// Kind HELPER_RUNTIME.
	ReasonTimeout        = "timeout"
	ReasonTLS            = "tls"
	ReasonIO             = "io"
	ReasonInterrupted    = "interrupted"
	ReasonDNSUnknownHost = "dns-unknown-host"
	ReasonReplayMiss     = "replay-miss"
	ReasonSecretMissing  = toolspec.ReasonMissingRequirements

	// Kind RESOURCE_LIMIT.
	ReasonRequestBudget = "request-budget"
	ReasonByteBudget    = "byte-budget"
	ReasonRequestBody   = "request-body-too-large"
)

// component is the name of this package in errors, denials and metrics.
const component = "fetch"

// Error is why a request was refused or failed.
type Error struct {
	Kind toolspec.Kind
	// Reason is a stable slug, one of the Reason constants.
	Reason string
	// Message is for people and models: "[fetch] denied: " and the reason for a refusal,
	// "[fetch] " and the failure otherwise. It contains no secret, no query and no
	// resolved address.
	Message string
	// Detail contains further information for the operator, such as the address of a
	// name. It must not be shown to a model.
	Detail string
	// Err is the cause, secrets masked. May be nil.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether time ran out, as in net.Error.
func (e *Error) Timeout() bool { return e.Reason == ReasonTimeout }

// Temporary is always false: trying again is the caller's decision.
func (e *Error) Temporary() bool { return false }

// Denied reports whether the policy refused, as opposed to a failure.
func (e *Error) Denied() bool { return e.Kind == toolspec.KindSecurity }

// CallError returns the same failure as the error of a tool call.
func (e *Error) CallError() *toolspec.CallError {
	return &toolspec.CallError{Kind: e.Kind, Reason: e.Reason, Component: component, Message: e.Message, Err: e.Err}
}

func denied(reason, why string) *Error {
	return &Error{Kind: toolspec.KindSecurity, Reason: reason, Message: "[fetch] denied: " + why}
}

func invalid(reason, what string) *Error {
	return &Error{Kind: toolspec.KindInvalidInput, Reason: reason, Message: "[fetch] " + what}
}

func failed(reason, what string, err error) *Error {
	return &Error{Kind: toolspec.KindHelperRuntime, Reason: reason, Message: "[fetch] " + what, Err: err}
}

func exhausted(reason, what string) *Error {
	return &Error{Kind: toolspec.KindResourceLimit, Reason: reason, Message: "[fetch] " + what}
}

// masked is a cause whose text has secrets masked. errors.Is finds the error that it
// wraps, but that error is never printed.
type masked struct {
	text string
	err  error
}

func (m *masked) Error() string        { return m.text }
func (m *masked) Is(target error) bool { return errors.Is(m.err, target) }

// ended returns a cause that also matches the error of the context.
func ended(ctx context.Context, err error) error {
	if c := ctx.Err(); c != nil && !errors.Is(err, c) {
		return errors.Join(c, err)
	}
	return err
}
