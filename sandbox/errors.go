package sandbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/toolspec"
)

// Errors that callers branch on. They arrive wrapped: test with errors.Is.
var (
	// ErrBusy reports that a run got no worker in time: all workers are busy and the
	// queue is full, or waiting took too long. Try again later, or give the sandbox more
	// workers.
	ErrBusy = errors.New("sandbox: busy")
	// ErrNoWorkers reports that isolated workers cannot be started. The usual
	// cause is a program that does not call [Main] first.
	ErrNoWorkers = errors.New("sandbox: no isolated workers")
)

// Reasons of problems and failures of this package, in addition to those of package
// toolspec. They are stable.
const (
	// ReasonUnsupportedGlobal: the code uses a global that does not exist.
	ReasonUnsupportedGlobal = js.ReasonUnsupportedGlobal
	// ReasonUnsupportedSyntax: the code uses syntax that the engine lacks.
	ReasonUnsupportedSyntax = js.ReasonUnsupportedSyntax
	// ReasonUnsupportedCapability: the posture grants what this host does not have: files
	// without a workspace.
	ReasonUnsupportedCapability = "unsupported-capability"
	// ReasonNotGranted: the code uses a helper that its posture does not grant.
	ReasonNotGranted = files.ReasonNotGranted
	// ReasonHostRule: a host rule of the posture is invalid.
	ReasonHostRule = egress.ReasonInvalidRule
	// ReasonUnavailable: a granted helper could not be set up for the run.
	ReasonUnavailable = "unavailable"
	// ReasonNoDirectory: [FileOptions].Directory gave the run no directory.
	ReasonNoDirectory = "no-directory"
	// ReasonSyntaxError: the code does not parse.
	ReasonSyntaxError = js.ReasonSyntaxError
	// ReasonCodeType: the sandbox does not run the language of the spec's code.
	ReasonCodeType = "unsupported-code-type"
	// ReasonCrashLoop: the tool ended too many workers in a short time.
	ReasonCrashLoop = "crash-loop"
	// ReasonAbandoned: too many runs of the in-process tier could not be
	// stopped and are still running.
	ReasonAbandoned = "abandoned-runs"
	// ReasonWorker: the worker sent an invalid answer.
	ReasonWorker = "worker-protocol"
	// ReasonCheckFailed: the code could not be checked.
	ReasonCheckFailed = "check-failed"
)

// The values of Component in a CallError.
const (
	componentSandbox   = "sandbox"
	componentExecution = "execution"
	componentPosture   = "posture"
	componentUser      = "user-code"
)

func errClosed() error { return fmt.Errorf("sandbox: %w", toolspec.ErrClosed) }

// notRun says that a run did not take place because its context had ended.
func notRun(err error) error {
	e := contextError(err)
	e.Message = "the run did not start: " + e.Message
	return e
}

// contextError returns the failure that corresponds to the end of a context.
func contextError(err error) *toolspec.CallError {
	if errors.Is(err, context.DeadlineExceeded) {
		return &toolspec.CallError{Kind: toolspec.KindTimeout, Reason: toolspec.ReasonDeadline, Component: componentExecution, Message: "the time was up", Err: err}
	}
	return &toolspec.CallError{Kind: toolspec.KindCancelled, Component: componentExecution, Message: "the call was cancelled", Err: err}
}

// death returns the failure that corresponds to the end of a worker. Its cause contains
// the worker's standard error, for the operator.
func death(exit worker.Exit) *toolspec.CallError {
	e := &toolspec.CallError{Kind: toolspec.KindResourceLimit, Component: componentExecution, Err: fmt.Errorf("the worker ended: %s\n%s", exit.Status, exit.Tail)}
	switch {
	case exit.Outside:
		e.Kind, e.Reason = toolspec.KindRuntimeError, toolspec.ReasonWorkerLost
		e.Message = "the process that ran the code was ended from outside, by a person or by a system without free memory; try again"
	case exit.Stack():
		e.Reason, e.Message = toolspec.ReasonStack, "the code took more stack than it may"
	case exit.Memory():
		e.Reason, e.Message = toolspec.ReasonMemory, "the code took more memory than it may"
	default:
		e.Kind, e.Reason, e.Message = toolspec.KindRuntimeError, ReasonWorker, "the worker ended unexpectedly"
	}
	return e
}
