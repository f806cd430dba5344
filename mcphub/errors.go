package mcphub

import "errors"

// Errors that callers branch on. They arrive wrapped: test with errors.Is.
// Beside them a Hub returns toolspec.ErrNoPass, toolspec.ErrWithdrawn,
// toolspec.ErrNameTaken and toolspec.ErrClosed.
var (
	// ErrUnknownTool reports a name that the hub does not serve.
	ErrUnknownTool = errors.New("mcphub: unknown tool")
	// ErrUnknownPrompt reports the name of a prompt that is not there.
	ErrUnknownPrompt = errors.New("mcphub: unknown prompt")
	// ErrUnknownResource reports the URI of a resource, or a template, that is
	// not there. A [ReadFunc] returns it for what its template describes and
	// does not exist.
	ErrUnknownResource = errors.New("mcphub: unknown resource")
	// ErrUnauthenticated reports a request without valid credentials, and a
	// listener that others than this machine can reach while
	// [Options.Authenticate] is not set.
	ErrUnauthenticated = errors.New("mcphub: not authenticated")
)

// Reasons of a [toolspec.CallError] that the hub itself gives, beside those of
// package toolspec.
const (
	// ReasonAuditUnavailable (RUNTIME_ERROR): the audit record of the call
	// could not be written, so its result is withheld.
	ReasonAuditUnavailable = "audit-unavailable"
)
