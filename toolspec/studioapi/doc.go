// Package studioapi is the HTTP API of a [studio.Studio]: what a page or a script needs to write tools, test
// them, publish those with a Local Pass, and exchange them.
//
//	GET    /api/tools                  list: q, cat, tag, state, level, source, sort, cursor, limit
//	POST   /api/tools                  a new draft; the body is the spec
//	GET    /api/tools/{id}             one tool with its document
//	PUT    /api/tools/{id}             save it; If-Match names the version that was read, 412 if it is outdated
//	DELETE /api/tools/{id}             delete it
//	POST   /api/tools/validate         what is wrong with a document; stores nothing
//	POST   /api/tools/preview          posture, level and MCP definition of a document; stores nothing
//	POST   /api/tools/{id}/runs        run its test, or {args} or {cases}; 202 {runId}, or the outcome with ?wait=1
//	POST   /api/tools/{id}/trace       run it in a recording mode; answers like runs
//	GET    /api/runs/{runId}           a run: cases, console, network, files, limits
//	DELETE /api/runs/{runId}           stop it
//	GET    /api/runs/{runId}/events    run.started, run.console, run.finished over server-sent events
//	POST   /api/tools/{id}/publish     {receipt, confirm}
//	POST   /api/tools/{id}/unpublish
//	GET    /api/tools/{id}/diff        ?against=live|origin|receipt:{contentHash}
//	GET    /api/tools/{id}/history     its passes, and with Options.Versions their content
//	GET    /api/tools/{id}/go          a program that serves it
//	POST   /api/tools/{id}/fork        a copy with its own identity
//	POST   /api/tools/import           ?dryRun=1, ?onClash=rename|skip|replace
//	GET    /api/tools/export           ?ids=a,b
//	GET    /api/tools/exposure         only with Options.Exposure, like the next two
//	PUT    /api/tools/exposure
//	GET    /api/tools/presets
//	GET    /api/openapi.json           the OpenAPI 3.1 description of these routes
//
// # No pass, no run
//
// A request to publish names the receipt that the user inspected. If the content, the posture or the runtime
// has changed since, that receipt is no longer valid, and the answer is 409 no_valid_pass. A tool of level L4
// requires confirm: true, and a tool of L5 requires its name; otherwise the answer is 403 confirm_required. An
// edit unpublishes a published tool.
//
// A run of the tool's own test earns its pass. A run with other arguments, a run of selected cases, and a
// trace record nothing.
//
// # Who may call
//
// Without [Options.Authenticate] only connections on a loopback address are served, if they use a loopback
// name, are not forwarded by a proxy, and do not come from the page of another site. The API runs code in the
// studio's sandbox and publishes tools: every caller that it accepts is an author.
//
// # What is not disclosed
//
// A document is returned with its ${NAME} placeholders unresolved: no route resolves one for an answer, and
// the output and results of runs are masked. An export contains no receipt, and replaces a static value that
// looks like a credential with a placeholder.
//
// # Limits
//
// A body may have at most 4 MiB, the body of an import 16 MiB. Runs wait for one of [Options.Concurrency]
// slots, at most [Options.MaxQueue] of them; finished runs are kept for an hour, at most 200 runs and 64 MiB.
// Of one run, at most 1,000 console lines and 256 KiB of them are kept, 64 KiB of each result and 1 MiB of all
// results; a trace above 2 MiB is kept without its proposal.
package studioapi
