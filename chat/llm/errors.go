package llm

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Errors that callers branch on. They arrive wrapped: test with errors.Is.
var (
	// ErrInvalid says that a setting or an argument cannot be used; the text names
	// it and what it must be.
	ErrInvalid = errors.New("invalid argument")
	// ErrNotFound says that there is no such conversation, turn or message.
	ErrNotFound = errors.New("llm: not found")
	// ErrBusy says that a turn of the conversation is already running or waits for a
	// decision: stop it, or wait.
	ErrBusy = errors.New("llm: the conversation is busy")
	// ErrProviderLocked says that the conversation belongs to another provider:
	// fork it for this one.
	ErrProviderLocked = errors.New("llm: the conversation belongs to another provider")
	// ErrHistory says that a list of messages cannot be sent to a model.
	ErrHistory = errors.New("llm: the history is not valid")
)

func historyError(at int, format string, args ...any) error {
	return fmt.Errorf("%w: message %d: %s", ErrHistory, at, fmt.Sprintf(format, args...))
}

// Code is the stable name of a failure, for API responses and for programs to branch on.
type Code string

// The codes.
const (
	CodeInternal         Code = "internal"
	CodeInvalidArgument  Code = "invalid_argument"
	CodeNotFound         Code = "not_found"
	CodeBusy             Code = "conversation_busy"
	CodeProviderLocked   Code = "provider_locked"
	CodeModelNotFound    Code = "model_not_found"
	CodeModelLacksTools  Code = "model_lacks_tools"
	CodeContextOverflow  Code = "context_overflow"
	CodeRateLimited      Code = "rate_limited"
	CodeUnavailable      Code = "provider_unavailable"
	CodeProviderAuth     Code = "provider_auth"
	CodeProviderTimeout  Code = "provider_timeout"
	CodeProviderRejected Code = "provider_rejected"
	CodeStreamBroken     Code = "stream_broken"
	CodeBudget           Code = "budget_exceeded"
	CodeStore            Code = "archive"
	CodeStructured       Code = "structured_invalid"
)

// Error is a failure of a turn: what failed, at which provider, and whether a retry makes
// sense. Find it with errors.As. Its text holds no secrets.
type Error struct {
	Code Code
	// Provider is the id of the provider that failed; empty if this program failed.
	Provider string
	// Message is for the user. Optional.
	Message string
	// HTTPStatus is the status of the provider's response; 0 if there was none.
	HTTPStatus int
	// Retryable says that the same turn may succeed later. RetryAfter is how long to
	// wait; 0 if the provider did not say.
	Retryable  bool
	RetryAfter time.Duration
	// Err is the cause. Its text is for the operator. Optional.
	Err error
}

// Error names the provider, the code and the cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("llm: ")
	if e.Provider != "" {
		b.WriteString(e.Provider + ": ")
	}
	b.WriteString(string(e.Code))
	if e.HTTPStatus != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.HTTPStatus)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of an error, or CodeInternal if it has none.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, ErrBusy):
		return CodeBusy
	case errors.Is(err, ErrProviderLocked):
		return CodeProviderLocked
	case errors.Is(err, ErrNotFound):
		return CodeNotFound
	case errors.Is(err, ErrInvalid):
		return CodeInvalidArgument
	}
	return CodeInternal
}
