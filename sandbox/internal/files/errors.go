package files

import (
	"context"
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"io/fs"
	"syscall"

	"github.com/localpass/localpass/toolspec"
)

// Helper is the name of the component in errors and denials of this package.
const Helper = "safety.fs"

// Reasons of refusals, of kind SECURITY.
const (
	ReasonNotGranted     = "capability-not-granted"
	ReasonNotDestructive = "destructive-not-granted"
	ReasonEscapes        = "path-escapes-base"
	ReasonOutside        = "write-outside-workspace"
	ReasonSymlink        = "write-through-symlink"
	ReasonHardLink       = "write-through-hard-link"
	ReasonSpecialFile    = "special-file"
	ReasonWithheld       = "withheld"
	ReasonReadOnly       = "read-only"
	ReasonWorkspaceRoot  = "deletedir-workspace-root"
)

// Reasons of exceeded limits, of kind RESOURCE_LIMIT. A result that is too large has the
// reason toolspec.ReasonResultTooLarge.
const (
	ReasonFileTooLarge   = "file-too-large"
	ReasonWorkspaceQuota = "workspace-quota"
	ReasonEntries        = "too-many-entries"
	ReasonTooDeep        = "too-deep"
)

// Reasons of invalid arguments, of kind INVALID_INPUT, and of failed operations, of kind
// HELPER_RUNTIME.
const (
	ReasonPathRequired = "path-required"
	ReasonInvalidPath  = "invalid-path"
	ReasonIO           = "io"
)

func refuse(reason, format string, args ...any) error {
	return &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: reason, Component: Helper, Message: fmt.Sprintf(format, args...)}
}

func invalid(reason, format string, args ...any) error {
	return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: reason, Component: Helper, Message: fmt.Sprintf(format, args...)}
}

func limit(reason, format string, args ...any) error {
	return &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: reason, Component: Helper, Message: fmt.Sprintf(format, args...)}
}

func failed(cause error, format string, args ...any) error {
	return &toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: ReasonIO, Component: Helper, Message: fmt.Sprintf(format, args...), Err: cause}
}

// ended returns the error of a run whose context is done, otherwise nil.
func ended(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &toolspec.CallError{Kind: toolspec.KindCancelled, Component: Helper, Message: "the call was cancelled", Err: err}
	default:
		return &toolspec.CallError{Kind: toolspec.KindTimeout, Reason: toolspec.ReasonDeadline, Component: Helper, Message: "the run took too long", Err: err}
	}
}

// Errors of walking a path, in addition to those of the operating system.
var (
	errEscapes  = errors.New("the path leads out of what may be used")
	errNotDir   = errors.New("a part of the path is not a directory")
	errNotFile  = errors.New("it is a directory")
	errSpecial  = errors.New("it is a device, a pipe or a socket")
	errChanged  = errors.New("it changes while it is being opened")
	errNoUTF8   = errors.New("it is not UTF-8 text; use readBytes")
	errLinks    = errors.New("there are too many symbolic links on the way")
	errTooDeep  = errors.New("it lies too many directories deep")
	errTooLarge = errors.New("it is too large")
)

// explain converts an error about a path, shown as name, to an error for code. An error
// that already is one for code stays unchanged.
func (s *Service) explain(name string, err error) error {
	var call *toolspec.CallError
	switch {
	case err == nil || errors.As(err, &call):
		return err
	case errors.Is(err, errEscapes):
		return refuse(ReasonEscapes, "%s is outside of what may be read", clip.Quote(name, 200))
	case errors.Is(err, errWithheld):
		return refuse(ReasonWithheld, "%s is withheld from tools, or contains something that is", clip.Quote(name, 200))
	case errors.Is(err, errSpecial):
		return refuse(ReasonSpecialFile, "%s is a device, a pipe or a socket", clip.Quote(name, 200))
	case errors.Is(err, errTooLarge):
		return limit(ReasonFileTooLarge, "%s is larger than %d bytes", clip.Quote(name, 200), s.limits.ReadBytes)
	case errors.Is(err, errTooDeep):
		return limit(ReasonTooDeep, "%s lies more than %d directories deep", clip.Quote(name, 200), s.limits.Depth)
	}
	return failed(err, "%s: %s", clip.Quote(name, 200), cause(err))
}

// explainWrite is explain for a path that was to be written.
func (s *Service) explainWrite(name string, err error) error {
	if errors.Is(err, errEscapes) {
		return refuse(ReasonOutside, "%s is outside of the workspace", clip.Quote(name, 200))
	}
	if errors.Is(err, errTooLarge) {
		return limit(ReasonFileTooLarge, "%s: more than %d bytes to write", clip.Quote(name, 200), s.limits.WriteBytes)
	}
	return s.explain(name, err)
}

// cause returns the part of an error that code may see: what happened, without the
// location on this machine.
func cause(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrExist):
		return "it exists already"
	case errors.As(err, &errno):
		return errno.Error()
	}
	for _, own := range []error{errNotDir, errNotFile, errChanged, errNoUTF8, errLinks} {
		if errors.Is(err, own) {
			return own.Error()
		}
	}
	return "the operation failed"
}
