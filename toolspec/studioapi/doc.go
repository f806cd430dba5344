// Package studioapi is the HTTP API of a [studio.Studio]: what a page or a
// script needs to write tools, test them, publish those that hold a Local Pass,
// and exchange them.
//
//	GET    /api/tools                  list: q, cat, tag, state, level, source, sort, cursor, limit
//	POST   /api/tools                  a new draft; the body is the spec
//	GET    /api/tools/{id}             one tool with its document
//	PUT    /api/tools/{id}             save it; If-Match names the version that was read, 412 when it is behind
//	DELETE /api/tools/{id}             delete it
//	POST   /api/tools/validate         what is wrong with a document; stores nothing
//	POST   /api/tools/preview          posture, level and MCP definition of a document; stores nothing
//	POST   /api/tools/{id}/runs        run its test, or {args} or {cases}; 202 {runId}, with ?wait=1 the outcome
//	POST   /api/tools/{id}/trace       run it in a recording mode; answers as runs do
//	GET    /api/runs/{runId}           a run: cases, console, network, files, limits
//	DELETE /api/runs/{runId}           stop it
//	GET    /api/runs/{runId}/events    run.started, run.console, run.finished over server-sent events
//	POST   /api/tools/{id}/publish     {receipt, confirm}
//	POST   /api/tools/{id}/unpublish
//	GET    /api/tools/{id}/diff        ?against=live|origin|receipt:{contentHash}
//	GET    /api/tools/{id}/history     its passes, with Options.Versions what passed
//	GET    /api/tools/{id}/go          a program that serves it
//	POST   /api/tools/{id}/fork        a copy with an identity of its own
//	POST   /api/tools/import           ?dryRun=1, ?onClash=rename|skip|replace
//	GET    /api/tools/export           ?ids=a,b
//	GET    /api/tools/exposure         with Options.Exposure only, as the two below
//	PUT    /api/tools/exposure
//	GET    /api/tools/presets
//	GET    /api/openapi.json           all of this, OpenAPI 3.1
//
// # No pass, no run
//
// A request to publish names the receipt that was inspected. When the content, the
// posture or the runtime has changed since, that receipt is no longer valid, and the
// answer is 409 no_valid_pass. A tool of L4 wants confirm: true, one of L5 its name,
// else 403 confirm_required. An edit unpublishes a published tool.
//
// A run of the tool's own test earns its pass. A run with arguments of one's own,
// a run of some cases, and a trace record nothing.
//
// # Who may call
//
// Without [Options.Authorize] only connections on a loopback address are served,
// by a loopback name, never forwarded by a proxy, and never to the page of another
// site. The API runs code
// in the studio's sandbox and publishes tools: every caller it admits is an author.
//
// # What is not told
//
// A document is answered with its ${NAME} placeholders as they are written: no
// route resolves one for an answer, and what runs print and return is masked. An
// export brings no receipt, and puts a placeholder in the place of a static value
// that looks like a credential.
//
// # Bounds
//
// A body has at most 4 MiB, that of an import 16 MiB. Runs wait for one of
// [Options.Concurrency] slots, at most [Options.MaxQueue] of them; those that
// ended are kept for an hour, at most 200 and 64 MiB of them. Of one run 1,000
// console lines and 256 KiB of them, 64 KiB of each result and 1 MiB of all are
// kept, and a trace without its proposal when it is above 2 MiB.
package studioapi
