// Package js is the JavaScript engine of the sandbox: goja, made safe for code
// that no person has read.
//
// [Compile] checks and compiles the body of an async function; [Program.Run]
// runs it once in a runtime of its own, with its globals bound by value, under
// a context that interrupts it, and converts the result with a walker that
// script code cannot hang or mislead. What one native call can burn (memory,
// time, native stack) is not bounded here: that is the worker's part.
package js

// Limits bound compilation and one run. The values live in one table, in
// package sandbox.
type Limits struct {
	SourceBytes  int // length of the code
	Nesting      int // open brackets, before parsing
	Links        int // operators that may nest without brackets, before parsing
	TreeDepth    int // depth of the parsed tree
	CallDepth    int // frames of script calls
	ValueDepth   int // nesting of an argument or a result
	ResultNodes  int // values in a result
	ResultBytes  int // JSON bytes of a result
	ConsoleLines int // lines of console output
	ConsoleBytes int // bytes of console output
	ErrorRunes   int // characters of a thrown value's description
	ToolCalls    int // calls of other tools
	HostCalls    int // requests to the program, of any kind
	FillLength   int // array length for one call of fill
	StringLength int // characters that repeat or a pad may make
}
