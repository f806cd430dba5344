// Package sandbox runs the code of specs. A [Sandbox] is the toolspec.Runner
// that toolspec needs to test and serve a spec, and the toolspec.Checker that
// reports beforehand what in one cannot be honoured.
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
// authority. It is for unreviewed code: whatever the code does, the run ends at
// its limit, the program continues, and the next call is served.
// [Sandbox.Describe] reports what is in force on this machine, and what is
// weaker on other systems than on Linux.
//
// The in-process tier runs code on goroutines of the program. It has the same
// engine, the same checks and the same limits on what goes in and comes out,
// and its runs end at their limit for the caller; but one native call of the
// engine cannot be interrupted, and memory is not bounded. It is for code that
// the operator wrote. There local time in code is the program's; in a worker it
// is UTC.
//
// TestHostile and TestInProcessHostile run the same hostile scripts in both
// tiers, and hold each to its kind of failure, its time, 256 MB of growth, the
// plain call after it and globals that are as before. In workers all of it
// holds. In process it does, but for these classes, whose scripts are listed in
// inProcessExceptions of the test:
//
//   - Work that continues after the caller has its answer: backtracking
//     patterns, recursion from one native function to the next (replace, sort,
//     getters), loops inside one native call (indexOf and others over absurd
//     lengths, JSON.stringify of a shared graph), and the translation of code
//     with many errors or names. It ends when the call does. After eight such
//     runs at a time new ones are refused.
//   - Memory: one call that asks for something huge (padding, typed arrays, an
//     array-like of absurd length, powers and shifts of a BigInt, deep JSON text
//     or patterns), and growth as fast as the machine is (doubled strings, kept
//     pages and copies, long chains). It may go beyond 256 MB, make the answer
//     late, or end the program when the machine has no more.
//
// # What code gets
//
// The code of a spec is the body of an async function: await works at its top
// level, and return gives the result. Parameters and static variables are
// globals, bound by value; a name that was not given is undefined. Text never
// becomes code: eval is gone, and the constructors of functions throw.
//
// The language is ECMAScript as goja has it, and what newer editions added:
// \p{…} and the flag v in regular expressions, Object.groupBy,
// Promise.withResolvers, iterator helpers and more. The engine of package
// sandbox/typescript adds TypeScript (toolspec.LanguageTypeScript), whose types are
// taken out, not checked, and async generators, for await and decorators.
//
// Code also gets console, URL, URLSearchParams, TextEncoder and TextDecoder, atob,
// btoa, structuredClone, crypto (random numbers, digests, HMAC), Intl with dates and
// English numbers, and timers, whose waiting
// counts towards the limit of the run.
//
// # Network, files, parsers
//
// A posture that grants the network adds fetch. Its promise gives a response
// whose text(), json() and arrayBuffer() are values, not promises. Package
// sandbox/egress decides what it reaches: the rules of the posture, public
// addresses only, unless the operator names an internal host
// ([NetworkOptions].OperatorHosts). Exchanges can be recorded and answered from
// the record (toolspec.RunRequest.Record, Replay).
//
// A posture that grants reading or writing adds safety.fs over one workspace,
// or one per conversation ([FileOptions]): readText, list, exists, stat, grep,
// lineCount, slice, cut, sort, find, searchInFiles, readBytes; writeText,
// appendText, editText, copy, writeBytes; and, with the grant to destroy, move,
// delete and deleteDir. No link, "..", device or race leads out of it.
//
// safety.parser is always there: csv, xml, yaml and html, which gives a document
// with the methods of jsoup.
//
// What code asks for over the network or of files is done by the program, which
// checks it against the posture: a worker has no authority of its own. Refusals
// are Errors named SafetyError that code can catch; each is in Outcome.Denials
// all the same.
//
// # Other tools
//
// Where the caller provides other tools, code calls them with
//
//	const rate = await localpass.callTool("exchangeRate", {from: "EUR", to: "USD"})
//
// which gives the structured result of the tool, or its text, and throws an
// Error with kind and reason where the tool fails. Calls are made one after
// another.
//
// # What is not there
//
// Code that needs what is not there or was not granted is refused with the place
// in the code and what to do, by [Sandbox.Check] and by [Sandbox.Run]: it is
// never run half. Not there are import, the flag d of regular expressions,
// Temporal, WeakRef, SharedArrayBuffer, Intl.Segmenter and Intl.Collator, the
// classes Headers, Request and Response, and everything of Node and of a host
// language.
//
// Different from Node, which the tests compare with on more than 300 scripts:
// without a time zone it is UTC; crypto.subtle gives Uint8Arrays; a timer is a
// number; URLs are those of today's standard; too many nested calls end the run,
// and code cannot catch that; a Date shows its time zone by its abbreviation; a
// regular expression shows a slash in its source as \u002f, takes a group name
// twice, folds the case of all of Unicode with the flag i, shows translated
// patterns for \p{…}, and with the flags g and y can miss an alternative that
// begins with a character beside one that begins with a negated class, as in
// /("b"|[^,]+)/g. Intl.NumberFormat has the digits of the currency in standard
// notation only, and names the sign of compact percentages percentSign.
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
