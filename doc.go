// Package localpass is a safe local execution layer for AI-agent tools.
//
// A tool that a model can call is code that runs on a person's machine. With localpass
// that code is a spec: a document that declares what the tool touches and the values it
// is tested with. It runs in a sandbox, is let out only after a passing run of its own
// tests on this very host, its Local Pass, and is then served over MCP. No pass, no
// run.
//
// # From a document to a served tool
//
//	toolspec.ParseSpec → Studio.Test → Studio.Publish → mcphub.Hub → an MCP client
//	  (a document)        (its pass)                     (/mcp, stdio)
//
// Studio.TestAndPublish does the middle two. A Go function becomes a tool with
// toolspec.Func and earns its pass with studio.Certify.
//
// # The packages
//
//   - toolspec: the vocabulary of tools and the Safe Tool Specification;
//     toolspec/studio tests, passes and publishes; toolspec/catalog holds bundled
//     specs; toolspec/secret resolves ${NAME} placeholders and masks.
//   - sandbox: runs specs, by default in worker processes without authority;
//     sandbox/typescript adds TypeScript; sandbox/egress guards outgoing requests.
//   - approval: decides whether a call may run, by policies and by people;
//     approval/terminal and approval/webhook ask.
//   - mcphub: serves passed tools, and approved tools of other servers, over MCP;
//     mcphub/client is one session with a server; mcphub/oauth gets tokens.
//   - chat: conversations with models that call tools; chat/llm is the contract with
//     model providers, and chat/openai, chat/ollama and chat/demo are three;
//     chat/conversation keeps the records; chat/prompt has templates;
//     chat/chattest tests a model, a store or a memory of your own.
//   - advisor: wrappers around a model call: memory, retrieval, redaction,
//     structured answers.
//   - rag: the vocabulary of retrieval.
//   - persistence/file and persistence/memory: implementations of [Persistence].
//   - observe: traces of what the program did; observe/genai: where spans, metrics
//     and events go.
//
// Packages whose names end in api are the HTTP faces.
//
// This package itself holds only what every other shares: [Persistence].
//
// # What it promises
//
// A passed tool is a type, *studio.Passed, that only a test run can make; a
// hub serves nothing else. Everything is denied by default: network, files,
// environment, approval without a person to ask. Whatever fails in a check means no.
// Constructors take what they need and a last *Options, nil allowed, whose zero value
// is the safe one; nothing is global and nothing reads the environment unless it was
// told to.
package localpass
