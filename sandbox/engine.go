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

// Engine is the interface for another JavaScript engine. The sandbox uses one engine in
// both tiers; the default is goja.
//
// Obligations of an implementation:
//
//   - It is safe for concurrent use, and so are its programs.
//   - Compile refuses code that is not the body of one async function, and reads only its
//     argument: no source maps, no modules.
//   - A program starts each run from a clean state, gives the code no way to compile
//     text, and none to reach the host except through the [Invocation].
//   - Run ends soon after its context does, as far as the engine can interrupt code; the
//     worker handles the rest. It does not panic.
//   - An engine that cannot count statements, or does not support TypeScript, refuses
//     such code with a problem.
//
// A program with isolated workers and its own engine must also pass the engine to [Main].
type Engine interface {
	// Runtime names the engine and its version. The tier in it is ignored.
	Runtime() toolspec.Runtime
	// Compile compiles the body of an async function. It returns either a program or
	// problems.
	Compile(src Source) (Program, toolspec.Problems)
}

// Source is code to compile.
type Source struct {
	// Code is the body of an async function.
	Code string
	// TypeScript says that it is TypeScript.
	TypeScript bool
	// Count requests a program whose runs count statements.
	Count bool
}

// Program is compiled code.
type Program interface {
	// Problems lists what the code needs but this engine lacks, if the named globals are
	// bound. Problems of severity error prevent the code from running.
	Problems(globals []string) toolspec.Problems
	// Run runs the code once. Runtime and Usage.Duration of the outcome are set
	// by the sandbox.
	Run(ctx context.Context, in *Invocation) *toolspec.Outcome
	// Size returns the approximate memory size of the program in bytes, for the caches.
	Size() int
}

// Invocation is the input of one run of a program.
type Invocation struct {
	// Globals are bound by value on the global object; the names in Unset are bound to
	// undefined.
	Globals []toolspec.Global
	Unset   []string
	// Statements bounds the function entries and loop turns of the run; 0: none.
	Statements int64
	// CallTool calls another tool. nil: the code cannot call tools.
	CallTool func(name string, arguments json.RawMessage) (*toolspec.Result, error)
	// Host carries out operations for which the code has no rights: network requests and
	// file operations. nil: the code cannot request any.
	Host func(HostRequest) (HostReply, *toolspec.CallError)
	// Grants say which of the helpers that use Host the code gets.
	Grants Grants
	// Console gets each line as it is printed. nil: the lines are discarded.
	Console func(activity.ConsoleLine)
	// Guarded requests limits on native calls that cannot be interrupted. It is set in
	// workers, where an error message is better than a killed worker.
	Guarded bool
	// Now and Random replace the clock and the random source; nil means the real ones.
	Now    func() time.Time
	Random io.Reader
}

// HostRequest is one operation that code asks the program to carry out, such as Op
// "fetch" or "fs.readText". The operation defines the shape of Args; Data has at most 3
// MiB. The program checks all of it, because it may come from a worker that hostile code
// has taken over.
type HostRequest = hostcall.Request

// HostReply is the program's reply: Value is JSON, null if there is no value, and Data is
// an additional body of at most 3 MiB; longer data is requested in parts.
type HostReply = hostcall.Reply

// Grants are the helpers that a run gets in addition to the platform, according to its
// posture.
type Grants struct {
	Network     bool // fetch
	FileRead    bool // the reading functions of safety.fs
	FileWrite   bool // the writing functions
	Destructive bool // move, delete, deleteDir
}
