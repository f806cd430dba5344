package toolspec

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
)

// Runner is what toolspec needs from a sandbox: run one snapshot of a spec
// once. Package sandbox provides one; toolspec itself links no engine.
//
// Obligations of an implementation:
//
//   - Both methods are safe for concurrent use.
//   - Run is never more permissive than the posture it is given, and says in
//     the Outcome what was really in force.
//   - Every run starts from nothing: no state of an earlier one is visible.
//   - A failure of the code is an Outcome with Err set. An error says that the
//     run did not take place, and matches the context's error when that is why.
//   - Run keeps nothing of the request after it returns.
type Runner interface {
	Run(ctx context.Context, req *RunRequest) (*Outcome, error)
	// Runtime tells what runs code of that risk level here. A Local Pass is bound
	// to it.
	Runtime(level Level) Runtime
}

// Checker is the upgrade of a [Runner] that can tell, without running it, what
// in a spec it cannot honour: a syntax error, a feature or a capability that is
// missing, each with its line and column in the code.
type Checker interface {
	Check(ctx context.Context, spec *Spec, posture *Posture) Problems
}

// WorkspaceCopier is the upgrade of a [Runner] that honours [RunRequest].Scratch.
// A test of a tool that was granted files is given to no other Runner, unless
// the test brings its files or may use the real workspace.
type WorkspaceCopier interface {
	Runner
	// CopiesWorkspace reports whether the Runner honours Scratch.
	CopiesWorkspace() bool
}

// Tier is how far a run is kept apart from the program around it.
type Tier string

// The tiers.
const (
	// TierIsolated runs code in a worker process without authority.
	TierIsolated Tier = "isolated"
	// TierInProcess runs code inside this process: for code that the operator
	// wrote.
	TierInProcess Tier = "in-process"
)

// Runtime names what runs code. A receipt holds only for the same ID, the same
// major version and the same tier.
type Runtime struct {
	ID      string `json:"id"`      // such as "localpass/goja"
	Version string `json:"version"` // semantic version
	Tier    Tier   `json:"tier"`
}

// RunRequest is one run.
type RunRequest struct {
	// Spec is the snapshot to run. It is never changed.
	Spec *Spec
	// Posture is what the run may do, resolved for this run.
	Posture *Posture
	// Level is the risk level that goes with the posture: for spans and for
	// the choice of a tier.
	Level Level
	// Globals are bound on the global object, in order, each by value.
	Globals []Global
	// Unset names are declared and left undefined, so that the code can ask
	// whether they were given.
	Unset []string
	// Conversation is the conversation that the call belongs to, empty for none:
	// tools that use files have a workspace in each.
	Conversation string
	// Redactor knows the secrets among Globals: they do not follow a redirect to
	// another host, and are not recorded. May be nil.
	Redactor *secret.Redactor
	// Replay holds recorded exchanges over the network, a JSON array, from which
	// the run is answered: it then reaches no network. Empty: the run uses the
	// network, as far as the posture goes.
	Replay json.RawMessage
	// Record asks for the exchanges over the network in the Outcome.
	Record bool
	// Files is the content of the workspace of the run, text by path with / between its
	// parts: a new directory, in the place of the host's and of the spec's own base
	// path, which is removed when the run has ended. nil: the run uses the files that
	// its posture names.
	Files map[string]string
	// Scratch has a run without Files work in a copy of the workspace that its
	// posture names, under the same path, which is removed when the run has
	// ended: nothing in the workspace is changed. A Runner that cannot make the
	// copy does not begin the run: its Outcome is Unfinished, with the reason
	// ReasonWorkspaceTooLarge or ReasonWorkspaceCopy. One that does not know this
	// member gets no such request: see [WorkspaceCopier].
	Scratch bool
	// CallTool serves calls of other tools from the code. nil: there are none.
	CallTool func(ctx context.Context, name string, arguments json.RawMessage) (*Result, error)
	// Console receives each console line as it is printed. It is called on the
	// goroutine of Run and must not block. The Outcome contains the lines as well.
	Console func(activity.ConsoleLine)
}

// Global is one name bound in the code.
type Global struct {
	Name  string
	Value json.RawMessage
}

// Outcome is how a run went.
type Outcome struct {
	// Result is what the code returned, as JSON; null for undefined. It is
	// empty when Err is set.
	Result json.RawMessage
	// Undefined tells undefined from null.
	Undefined bool
	// Err is why the code failed, nil on success.
	Err *CallError
	// Console holds what the code printed, at most 1,000 lines and 64 KiB; a
	// last line says when more was cut, and ConsoleCut does too.
	Console    []activity.ConsoleLine
	ConsoleCut bool
	// Unfinished says that the run ended before the code did, for a reason that
	// is not the code's: it was not started, or the process that ran it was killed from
	// outside. Err says why. A test then proves nothing.
	Unfinished bool
	// Runtime is what really ran the code, the tier included.
	Runtime Runtime
	// Limits is what was in force: the posture's or the runner's own, whichever
	// was lower.
	Limits Limits
	// Usage is what the run cost.
	Usage activity.Usage
	// Denials lists what was refused, even when the code caught it.
	Denials []activity.Denial
	// Exchanges is what the run sent and received over the network, in the form
	// of RunRequest.Replay, when the request asked for it.
	Exchanges json.RawMessage
	// Accesses is what the run reached, in the order of first use; equal ones
	// are counted. AccessesCut says how many more there were.
	Accesses    []activity.Access
	AccessesCut int
	// Attempts lists requests over the network and operations on files one by
	// one, in order, what was refused among them: at most 100 that were let
	// through and 100 that were refused. AttemptsCut says how many more there
	// were; Accesses and Denials cover those too.
	Attempts    []activity.Attempt
	AttemptsCut int
	// Undeclared counts the arguments that no parameter has and that were
	// ignored. It is not the runner's to set.
	Undeclared int
	// Workspace says where the run found its files.
	Workspace activity.Workspace
	// Files is the content of the workspace at the end, when the request gave Files:
	// text by path. Files that are no text or too many are left out.
	Files map[string]string
}
