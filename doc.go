// Package localpass is a safe local execution layer for AI-agent tools.
//
// A tool that a model can call is code that runs on a user's machine. With localpass this
// code is a spec: a document that declares what the tool accesses and the values it is
// tested with. It runs in a sandbox, is published only after its own tests have passed on
// this very host (its Local Pass), and is then served over MCP. No pass, no run.
//
// # From a document to a served tool
//
//	toolspec.ParseSpec → Studio.Test → Studio.Publish → mcphub.Hub → an MCP client
//	  (a document)        (its pass)                     (/mcp, stdio)
//
// Studio.TestAndPublish combines the two Studio steps. A Go function becomes a tool with
// toolspec.Func and earns its pass with studio.Certify.
//
// # The packages
//
//   - toolspec: the basic types of tools and the Safe Tool Specification; toolspec/studio
//     tests and publishes specs; toolspec/catalog contains the bundled specs;
//     toolspec/secret resolves ${NAME} placeholders and masks secrets.
//   - sandbox: runs specs, by default in worker processes without privileges;
//     sandbox/typescript adds TypeScript; sandbox/egress controls outgoing requests.
//   - approval: decides whether a call may run, by policies and by asking people;
//     approval/terminal asks at the terminal, approval/webhook through a web service.
//   - mcphub: serves passed tools, and approved tools of other servers, over MCP;
//     mcphub/client is a session with one server; mcphub/oauth obtains tokens.
//   - chat: conversations with models that call tools; chat/llm is the interface to model
//     providers, with the implementations chat/openai, chat/ollama and chat/demo;
//     chat/conversation stores conversations; chat/prompt has templates; chat/chattest
//     tests your own implementation of a model, a store or a memory.
//   - advisor: wrappers around a model call: memory, retrieval, redaction,
//     structured answers.
//   - rag: the basic types of retrieval.
//   - persistence/file and persistence/memory: implementations of [Persistence].
//   - observe: traces of the program's activity; observe/genai: the names of spans,
//     metrics and events, and the value that holds their receivers.
//
// Packages with names that end in api are HTTP APIs.
//
// This package itself contains only what all others share: [Persistence].
//
// # What it promises
//
// A passed tool has the type *studio.Passed, which only a test run can create; a hub
// serves nothing else. Everything is denied by default: network, files, environment, and
// calls that need approval if nobody can be asked. If a check itself fails, the call is
// refused. Constructors take their dependencies and, as the last parameter, an *Options,
// which may be nil and whose zero value is the safe choice. There is no global state, and
// nothing reads the environment unless it is told to.
package localpass
