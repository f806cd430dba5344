// Package sandbox runs the code of specs. A [Sandbox] is the toolspec.Runner that toolspec needs
// to test and serve a spec, and the toolspec.Checker that reports beforehand what it does not
// support in a spec.
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
// The isolated tier, the default, runs code in warm worker processes without rights. It is for
// unreviewed code: whatever the code does, the run ends at its limit, the program continues, and
// the next call is served. [Sandbox.Describe] reports what is in force on this machine; systems
// other than Linux offer less.
//
// The in-process tier runs code on goroutines of the program. It has the same engine, the same
// checks and the same limits on input and output, and a run returns to its caller at its limit;
// but a single native call of the engine cannot be interrupted, and memory is not bounded. It is
// for code that the operator wrote. In this tier the local time in code is that of the program;
// in a worker it is UTC.
//
// TestHostile and TestInProcessHostile run the same hostile scripts in both tiers. For each
// script they check the kind of failure, the time, a memory growth of at most 256 MB, that an
// ordinary call works afterwards, and that the globals are unchanged. In workers all checks pass.
// In process they pass except for these classes, whose scripts are listed in inProcessExceptions
// of the test:
//
//   - Work that continues after the caller has its answer: backtracking patterns, recursion from
//     one native function to the next (replace, sort, getters), loops inside one native call
//     (indexOf and others over absurd lengths, JSON.stringify of a shared graph), and the
//     translation of code with many errors or names. It ends when the native call ends. While
//     eight such runs continue, new runs are refused.
//   - Memory: one call that allocates something huge (padding, typed arrays, an array-like of
//     absurd length, powers and shifts of a BigInt, deep JSON text or patterns), and growth at
//     the full speed of the machine (doubled strings, kept pages and copies, long chains). It may
//     exceed 256 MB, delay the answer, or end the program when the machine runs out of memory.
//
// # What code gets
//
// The code of a spec is the body of an async function: await works at its top level, and return
// gives the result. Parameters and static variables are globals, bound by value; a parameter
// without a value is undefined. Code cannot compile text: there is no eval, and the constructors
// of functions throw.
//
// The language is ECMAScript as goja implements it, with additions from newer editions: \p{…} and
// the flag v in regular expressions, Object.groupBy, Promise.withResolvers, iterator helpers and
// more. The engine of package sandbox/typescript adds TypeScript (toolspec.LanguageTypeScript),
// whose types are removed but not checked, and async generators, for await and decorators.
//
// Code also gets console, URL, URLSearchParams, TextEncoder and TextDecoder, atob,
// btoa, structuredClone, crypto (random numbers, digests, HMAC), Intl with dates and
// English numbers, and timers, whose waiting
// counts towards the limit of the run.
//
// # Network, files, parsers
//
// A posture that grants the network adds fetch. It returns a promise of a response whose text(),
// json() and arrayBuffer() return values, not promises. Package sandbox/egress decides what fetch
// reaches: what the rules of the posture allow, and only public addresses, unless the operator
// names an internal host ([NetworkOptions].OperatorHosts). Exchanges can be recorded, and
// answered from the record (toolspec.RunRequest.Record, Replay).
//
// A posture that grants reading or writing adds safety.fs over one workspace, or one per
// conversation ([FileOptions]): readText, list, exists, stat, grep, lineCount, slice, cut, sort,
// find, searchInFiles, readBytes; writeText, appendText, editText, copy, writeBytes; and, with
// the grant to destroy, move, delete and deleteDir. No link, "..", device file or race condition
// gives access outside the workspace.
//
// safety.parser is always available: csv, xml, yaml and html, which returns a document with the
// methods of jsoup.
//
// The program itself carries out network requests and file operations, after checking them
// against the posture: a worker has no rights of its own. A refusal is an Error named SafetyError
// that code can catch; it is in Outcome.Denials in any case.
//
// # Other tools
//
// If the caller provides other tools, code calls them with
//
//	const rate = await localpass.callTool("exchangeRate", {from: "EUR", to: "USD"})
//
// which returns the structured result of the tool, or its text, and throws an Error with kind and
// reason if the tool fails. Calls run one after another.
//
// # What is not there
//
// [Sandbox.Check] and [Sandbox.Run] refuse code that needs a missing feature or one that was not
// granted, with the place in the code and a remedy, so that such code never runs in part. Missing
// are import, the flag d of regular expressions, Temporal, WeakRef, SharedArrayBuffer,
// Intl.Segmenter and Intl.Collator, the classes Headers, Request and Response, and everything
// specific to Node or a host language.
//
// The tests compare the results of more than 300 scripts with Node. The differences: the default
// time zone is UTC; crypto.subtle returns Uint8Arrays; a timer is a number; URLs follow the
// current standard; too many nested calls end the run, and code cannot catch this; a Date shows
// its time zone by its abbreviation; a regular expression shows a slash in its source as \u002f,
// accepts a repeated group name, folds the case of all of Unicode with the flag i, shows
// translated patterns for \p{…}, and with the flags g and y can miss an alternative that begins
// with a character next to one that begins with a negated class, as in /("b"|[^,]+)/g.
// Intl.NumberFormat uses the digits of the currency in standard notation only, and names the sign
// of compact percentages percentSign.
//
// # Results
//
// A result is converted to JSON by these rules: dates become ISO text, a Map becomes an object, a
// Set or a typed array becomes an array, a BigInt becomes its digits, NaN and the infinities
// become null, and functions and symbols are left out. A cycle, a nested promise, or a result
// above the limits is a failure.
//
// # Failures
//
// A failure of the code is an outcome whose Err is a toolspec.CallError. An error from Run says
// that the run did not take place: [ErrBusy], the context had ended, or toolspec.ErrClosed.
//
// # Cost
//
// A small call splits a string, maps and sums it, and returns an object. Medians of five runs of
//
//	go test -run '^$' -bench . -count 5 ./sandbox
//
// on two x86-64 cores that also did other work, so compare only values within the table.
// Processor time includes the garbage collector:
//
//	                          median   CPU here   in the worker   allocations here
//	bare goja, new runtime     35 µs      53 µs                    530
//	in process                 42 µs      65 µs                    568
//	in process, counted        47 µs      75 µs                    591
//	isolated                   71 µs      28 µs           43 µs      8
package sandbox
