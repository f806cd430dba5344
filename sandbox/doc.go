// Package sandbox runs the code of specs. A [Sandbox] is the toolspec.Runner
// that toolspec needs to test and serve a spec, and the toolspec.Checker that
// tells beforehand what in one cannot be honoured.
//
//	func main() {
//		sandbox.Main() // first: workers are this program, started again
//
//		box, err := sandbox.New(nil)
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer box.Close()
//		out, err := box.Run(ctx, &toolspec.RunRequest{Spec: spec, Posture: posture, Globals: globals})
//		…
//	}
//
// # Tiers
//
// The isolated tier, the default, runs code in warm worker processes without
// authority. It is for code that nobody has read: whatever the code does, the
// run ends at its limit, the program goes on, and the next call is served. What
// is in force on the machine at hand, and what is weaker on other systems than
// on Linux, is what [Sandbox.Describe] tells.
//
// The in-process tier runs code on goroutines of the program. It has the same
// engine, the same checks and the same limits on what goes in and comes out,
// and its runs end at their limit for the caller; but one native call of the
// engine cannot be interrupted, and memory is not bounded. It is for code that
// the operator wrote. There local time in code is the program's; in a worker it
// is UTC.
//
// # What code gets
//
// The code of a spec is the body of an async function: await works at its top
// level, and return gives the result. Parameters and static variables are
// globals, bound by value; a name that was not given is undefined. Beside the
// language (ECMAScript as goja has it) there are console, Intl.DateTimeFormat,
// crypto.randomUUID and crypto.getRandomValues. Text never becomes code: eval
// is gone, and the constructors of functions throw.
//
// Where the caller provides other tools, code calls them with
//
//	const rate = await localpass.callTool("exchangeRate", {from: "EUR", to: "USD"})
//
// which gives the structured result of the tool, or its text, and throws an
// Error with kind and reason where the tool fails. Calls are made one after
// another.
//
// Code that needs what is not there (fetch, files, timers, …) is refused with
// the place in the code and what to do, by [Sandbox.Check] and by [Sandbox.Run]:
// it is never run half.
//
// # Results
//
// A result is converted to JSON by rules of its own: dates become ISO text, a
// Map an object, a Set and a typed array an array, a BigInt its digits; NaN and
// the infinities are null; functions and symbols are left out. A cycle, a
// promise inside, or more than the limits allow is a failure.
//
// # Failures
//
// A failure of the code is an outcome whose Err is a toolspec.CallError. An
// error from Run says that the run did not take place: [ErrBusy], a context
// that had ended, toolspec.ErrClosed.
//
// # Cost
//
// A small call, one that splits a string, maps, adds up and returns an object.
// Medians of five runs of
//
//	go test -run '^$' -bench . -count 5 ./sandbox
//
// on two x86-64 cores that did other work too, so compare within the table.
// Processor time counts the garbage collector:
//
//	                          median   CPU here   in the worker   allocations here
//	bare goja, new runtime     35 µs      53 µs                    530
//	in process                 42 µs      65 µs                    568
//	in process, counted        47 µs      75 µs                    591
//	isolated                   71 µs      28 µs           43 µs      8
package sandbox
