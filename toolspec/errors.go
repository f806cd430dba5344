package toolspec

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Errors that callers branch on. They arrive wrapped: test with errors.Is.
var (
	// ErrNoPass reports that a tool has no valid Local Pass here.
	ErrNoPass = errors.New("toolspec: no valid Local Pass")
	// ErrWithdrawn reports a call on a tool that is no longer published.
	ErrWithdrawn = errors.New("toolspec: tool was withdrawn")
	// ErrNameTaken reports that another published tool has the name.
	ErrNameTaken = errors.New("toolspec: tool name is taken")
	// ErrClosed reports a call on something that was closed.
	ErrClosed = errors.New("toolspec: closed")
)

// Kind classes the failure of a call.
type Kind string

// The kinds of failure (Safe Tool Specification 1.0, section 8.4).
const (
	KindSecurity      Kind = "SECURITY"       // refused: not granted, denied, withheld
	KindInvalidInput  Kind = "INVALID_INPUT"  // the arguments do not fit
	KindHelperRuntime Kind = "HELPER_RUNTIME" // a host function failed
	KindResourceLimit Kind = "RESOURCE_LIMIT" // memory, stack, size or statement bound
	KindTimeout       Kind = "TIMEOUT"        // the call's time was up
	KindCancelled     Kind = "CANCELLED"      // the caller went away
	KindJSError       Kind = "JS_ERROR"       // the tool's code threw
	KindRuntimeError  Kind = "RUNTIME_ERROR"  // anything else
)

// Reasons of a [CallError] that callers may branch on. Reasons are stable
// slugs; a kind may have more than are named here.
const (
	ReasonMissingArgument     = "missing-argument"
	ReasonArgumentType        = "argument-type"
	ReasonArguments           = "arguments"
	ReasonMissingRequirements = "missing-requirements"
	ReasonApprovalUnavailable = "approval-unavailable"
	ReasonApprovalDenied      = "approval-denied"
	ReasonWithdrawn           = "withdrawn"
	ReasonStoreUnavailable    = "store-unavailable"
	ReasonMemory              = "memory"
	ReasonStack               = "stack"
	ReasonStatements          = "limit-exceeded"
	ReasonResultTooLarge      = "result-too-large"
	ReasonResultCycle         = "result-cycle"
	ReasonPendingPromise      = "pending-promise"
	ReasonDeadline            = "deadline"
	ReasonBusy                = "busy"           // no room to run it came free in time
	ReasonInvalidResult       = "invalid-result" // the tool returned what is no result
	ReasonPanic               = "panic"
	ReasonWorkerLost          = "worker-lost"
	ReasonWorkspaceCopy       = "workspace-copy"
	ReasonWorkspaceTooLarge   = "workspace-too-large"
	// ReasonHostInterop is the reason of the [Problem] of a spec whose code needs a
	// host language that this program does not offer.
	ReasonHostInterop = "host-interop-unavailable"
)

// CallError is why a call failed. errors.Is matches context.DeadlineExceeded
// for TIMEOUT and context.Canceled for CANCELLED.
type CallError struct {
	// Definition of the tool that failed, where it is known.
	Definition *Definition
	Kind       Kind
	// Reason is a stable slug within the kind, such as "memory".
	Reason string
	// Component names what failed: "user-code", "execution", "arguments",
	// a host function such as "fetch".
	Component string
	// Message is for people and models: short, redacted, without the kind.
	Message string
	// Line and Column point into the tool's code, from 1; 0 when unknown.
	Line, Column int
	// Err is the cause. Its text is for the operator, not for the model.
	Err error
}

// Error gives the whole story for an operator.
func (e *CallError) Error() string {
	var b strings.Builder
	b.WriteString("toolspec: ")
	if e.Definition != nil {
		fmt.Fprintf(&b, "%s: ", e.Definition.Name)
	}
	b.WriteString(e.ModelText())
	if e.Err != nil && e.Err.Error() != e.Message {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// ModelText gives the text for a model: "KIND: message (reason)".
func (e *CallError) ModelText() string {
	var b strings.Builder
	b.WriteString(string(e.Kind))
	b.WriteString(": ")
	switch {
	case e.Message != "":
		b.WriteString(e.Message)
	case e.Reason != "":
		b.WriteString(e.Reason)
	default:
		b.WriteString("the call failed")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, " (line %d, column %d)", e.Line, e.Column)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

// Is matches the context errors that a kind stands for.
func (e *CallError) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return e.Kind == KindTimeout
	case context.Canceled:
		return e.Kind == KindCancelled
	}
	return false
}

// Clone returns a copy that may be changed.
func (e *CallError) Clone() *CallError { own := *e; return &own }

// AsCallError classes any error of a call. What is not a CallError already is told to a
// model by its class only: an error's text is not made for it.
func AsCallError(ctx context.Context, err error) *CallError {
	var ce *CallError
	switch {
	case errors.As(err, &ce):
		own := *ce // the caller's value stays as it is
		return &own
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() == context.DeadlineExceeded:
		return &CallError{Kind: KindTimeout, Reason: ReasonDeadline, Component: "execution", Message: "the call took too long", Err: err}
	case errors.Is(err, context.Canceled) || ctx.Err() != nil:
		return &CallError{Kind: KindCancelled, Reason: "cancelled", Component: "execution", Message: "the call was cancelled", Err: err}
	}
	return &CallError{Kind: KindRuntimeError, Reason: "failed", Component: "execution", Message: "the tool could not be run", Err: err}
}
