package mcphub

import "errors"

// Errors that callers handle specifically. They are returned wrapped: test with
// errors.Is. A Hub also returns studio.ErrNoPass, studio.ErrWithdrawn,
// toolspec.ErrNameTaken and toolspec.ErrClosed.
var (
	// ErrUnknownTool reports a name that the hub does not serve.
	ErrUnknownTool = errors.New("mcphub: unknown tool")
	// ErrUnknownPrompt reports the name of a prompt that does not exist.
	ErrUnknownPrompt = errors.New("mcphub: unknown prompt")
	// ErrUnknownResource reports the URI of a resource, or a template, that does not
	// exist. A [ReadFunc] returns it for a URI that matches its template but has no
	// resource.
	ErrUnknownResource = errors.New("mcphub: unknown resource")
	// ErrUnauthenticated reports a request without valid credentials, or a listener that
	// other machines can reach while [Options.Authenticate] is not set.
	ErrUnauthenticated = errors.New("mcphub: not authenticated")
)

// Reasons that the hub sets in a [toolspec.CallError], in addition to those of package
// toolspec.
const (
	// ReasonAuditUnavailable (RUNTIME_ERROR): the audit record of the call
	// could not be written, so its result is withheld.
	ReasonAuditUnavailable = "audit-unavailable"
)
