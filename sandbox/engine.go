package sandbox

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// Engine is the seam at which another JavaScript engine can be put in. The
// sandbox runs one engine in both tiers; the default is goja.
//
// Obligations of an implementation:
//
//   - It is safe for concurrent use, and so are its programs.
//   - Compile refuses code that is more than the body of one async function,
//     and reads nothing but its argument: no source maps, no modules.
//   - A program starts each run from nothing, hands the code no way to compile
//     text and none to reach the host but what the [Invocation] holds.
//   - Run ends soon after its context does, as far as the engine can: what it
//     cannot interrupt is the worker's part. It does not panic.
//   - An engine that cannot count statements, or knows no TypeScript, refuses
//     that with a problem.
//
// A program that uses isolated workers and an engine of its own names it in its
// call of [Main] too.
type Engine interface {
	// Runtime names the engine and its version. The tier in it is ignored.
	Runtime() toolspec.Runtime
	// Compile compiles the body of an async function. The problems are empty when
	// there is a program.
	Compile(src Source) (Program, toolspec.Problems)
}

// Source is code to compile.
type Source struct {
	// Code is the body of an async function.
	Code string
	// TypeScript says that it is TypeScript.
	TypeScript bool
	// Count asks for a program whose runs count statements.
	Count bool
}

// Program is compiled code.
type Program interface {
	// Problems lists what the code needs and this engine has not, when the
	// named globals are bound. Problems of severity error keep it from running.
	Problems(globals []string) toolspec.Problems
	// Run runs the code once. Runtime and Usage.Duration of the outcome are set
	// by the sandbox.
	Run(ctx context.Context, in *Invocation) *toolspec.Outcome
	// Size is about how many bytes the program takes, for the caches.
	Size() int
}

// Invocation is what one run of a program gets.
type Invocation struct {
	// Globals are bound by value on the global object, Unset names to undefined.
	Globals []toolspec.Global
	Unset   []string
	// Statements bounds the function entries and loop turns of the run; 0: none.
	Statements int64
	// CallTool calls another tool. nil: the code gets no way to.
	CallTool func(name string, arguments json.RawMessage) (*toolspec.Result, error)
	// Host does what the code has no authority for itself: requests over the
	// network, files. nil: the code gets no way to.
	Host func(HostRequest) (HostReply, *toolspec.CallError)
	// Grants say which of the helpers that need Host the code gets.
	Grants Grants
	// Console gets each line as it is printed. nil: the lines are discarded.
	Console func(activity.ConsoleLine)
	// Guarded asks for caps on native calls that cannot be interrupted. It is
	// set in workers, where a message is worth more than a dead worker.
	Guarded bool
	// Now and Random replace the clock and the source of randomness; nil: the
	// real ones.
	Now    func() time.Time
	Random io.Reader
}

// HostRequest is one thing that code asks the program around it to do, such as
// Op "fetch" or "fs.readText". The shape of Args belongs to the operation; Data
// is at most 3 MiB. The program checks everything in it: it may come from a
// worker that hostile code took over.
type HostRequest = hostcall.Request

// HostReply is what the program answers: Value is JSON, null when there is nothing
// to say, and Data a body of bytes beside it, at most 3 MiB; longer answers are asked
// for in parts.
type HostReply = hostcall.Reply

// Grants are the helpers that a run gets beside the platform, from its posture.
type Grants struct {
	Network     bool // fetch
	FileRead    bool // the reading half of safety.fs
	FileWrite   bool // the writing half
	Destructive bool // move, delete, deleteDir
}
