// Package observe keeps what a program of this library did in the last while, as
// traces: a flight recorder within the process, without a server beside it and
// without the SDK of OpenTelemetry.
//
// A [Collector] takes in the operations that the other packages report through
// [github.com/localpass/localpass/observe/genai]. Hand [Collector.Telemetry] to their
// options:
//
//	traces, err := observe.New(nil)
//	…
//	hub, err := mcphub.New(&mcphub.Options{Telemetry: traces.Telemetry()})
//
// It never blocks the work that it observes, and never breaks it: operations are copied
// into a bounded queue, and one goroutine makes traces of them. What finds no room is
// counted ([Collector.Counters]), not waited for.
//
// # Traces
//
// A trace is everything that followed from one cause: a turn of a chat, a request
// of an MCP client, a test run. [Collector.Traces] lists them, [Collector.Trace]
// gives one whole, [Collector.Subscribe] reports changes. A trace is there from the
// beginning of its first span; spans that end after the root, as streaming makes them,
// change it once more, and [Summary.Revision] counts that.
//
// # What is kept, and what is not
//
// The latest [Options.Traces] traces within [Options.Bytes], in memory: they end
// with the program. Text is masked before it is kept: by [Options.Redact], which
// knows the secrets of the program, and by the form of what looks like one. A
// secret that Redact does not know and that has no known form is not found, nor one
// whose halves are in two texts. Of one operation a bounded part is kept. What people
// and models wrote is left out unless [Options.Content] is set.
//
// # HTTP
//
// Package observe/observeapi serves the traces to pages and programs, below /api/observe.
package observe
