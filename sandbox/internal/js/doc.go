// Package js is the JavaScript engine of the sandbox: goja, made safe for untrusted code.
//
// [Compile] checks and compiles the body of an async function. [Program.Run] runs it once
// in a new runtime, with its globals bound by value and a context that interrupts it, and
// converts the result in a way that script code can neither block nor mislead. This
// package does not limit the resources of a single native call (memory, time, native
// stack); the worker does.
package js

// Limits holds the limits of compilation and of one run. The values are defined in one
// table in package sandbox.
type Limits struct {
	SourceBytes  int // length of the code, in bytes
	Nesting      int // nesting of brackets, checked before parsing
	Links        int // operators that may nest without brackets, checked before parsing
	TreeDepth    int // depth of the parsed tree
	CallDepth    int // frames of script calls
	ToolCalls    int // calls of other tools
	HostCalls    int // requests of any kind to the host program
	ValueDepth   int // nesting of an argument or a result
	ResultNodes  int // values in a result
	ResultBytes  int // JSON bytes of a result
	ConsoleLines int // lines of console output
	ConsoleBytes int // bytes of console output
	ErrorRunes   int // characters of a thrown value's description
	FillLength   int // array length for one call of fill
	StringLength int // length of the strings that repeat, padStart and padEnd may create
}
