// Package localpass is a safe local execution layer for AI-agent tools.
//
// A tool that a model can call is code that runs on someone's machine. With
// localpass that code is a spec: a document that declares what the tool touches
// and the values it is tested with. It runs in a sandbox, is let out only after
// a passing run of its own tests on this very host, its Local Pass, and is then
// served over MCP. No pass, no run.
//
// # The way of a tool
//
//	toolspec.Parse → Studio.Test → Studio.Publish → mcphub.Hub → an MCP client
//	 (a document)    (its pass)     (on the air)     (/mcp, stdio)
//
// Studio.TestAndPublish does the middle two. A Go function takes the same way through
// toolspec.Func and studio.Certify.
//
// # The packages
//
//   - [github.com/localpass/localpass/toolspec]: the Safe Tool Specification,
//     the vocabulary of tools, and the studio where specs earn their pass.
//   - [github.com/localpass/localpass/toolspec/catalog]: specs that come along.
//   - [github.com/localpass/localpass/toolspec/secret]: ${NAME} placeholders
//     and masking.
//   - [github.com/localpass/localpass/sandbox]: runs specs, by default in worker
//     processes without authority.
//   - [github.com/localpass/localpass/mcphub]: serves passed tools over MCP.
//   - [github.com/localpass/localpass/approval]: asks a person before a call runs,
//     by rules, and keeps what was decided.
//   - [github.com/localpass/localpass/chat]: conversations with models that call
//     tools, and their HTTP API. [github.com/localpass/localpass/chat/openai],
//     [github.com/localpass/localpass/chat/ollama] and
//     [github.com/localpass/localpass/chat/demo] are its models,
//     [github.com/localpass/localpass/chat/chattest] is for tests.
//   - [github.com/localpass/localpass/advisor]: what stands around a model: memory,
//     retrieval, safeguards, structured answers.
//     [github.com/localpass/localpass/advisor/advisortest] holds one's own against
//     the rules.
//   - [github.com/localpass/localpass/rag]: the vocabulary of retrieval: documents,
//     matches, filters, retrievers.
//   - [github.com/localpass/localpass/persistence/file] and
//     [github.com/localpass/localpass/persistence/memory]: keep documents and
//     logs, behind the [Persistence] of this package.
//   - [github.com/localpass/localpass/observe]: keeps what the program did as
//     traces; [github.com/localpass/localpass/observe/genai]: where spans, metrics
//     and events go.
//
// This package itself holds only what every other shares: [Persistence].
//
// # What it promises
//
// A passed tool is a type, *studio.Passed, that only a test run can make; a
// hub serves nothing else. Everything is denied by default: network, files,
// environment, approval without someone to ask. Whatever fails in a check means
// no. Constructors take what they need and a last *Options, nil allowed, whose
// zero value is the safe one; nothing is global and nothing reads the
// environment unless it was told to.
package localpass
