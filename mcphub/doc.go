// Package mcphub is the governed hub for the Model Context Protocol. A [Hub] is
// the built-in server: it serves the tools that hold a Local Pass, and nothing
// else that runs here. No pass, no run.
//
// The smallest server, for a client that starts this program:
//
//	hub, err := mcphub.New(nil)
//	...
//	defer hub.Close()
//	err = hub.Attach(studio) // or hub.Add(pass)
//	...
//	err = hub.ServeStdio(ctx, os.Stdin, os.Stdout)
//
// or, over streamable HTTP at [Path], hub.ListenAndServe(ctx, "127.0.0.1:8282"),
// or in a server of your own, mux.Handle(mcphub.Path, hub.Handler()).
//
// # What is served
//
// Tools come in as *studio.Passed, a type that only a Studio or Certify can
// make: by [Hub.Attach] all that a studio publishes, by [Hub.Add] one by one.
// Of those, the [Exposure] says which clients see. Each call checks again
// whether the tool is exposed and its pass still valid. What is published,
// withdrawn, exposed or hidden takes effect when the method returns, and
// clients are notified.
//
// A hub is a toolspec.Source too: calls in process go through the same gate.
//
// # Resources and prompts
//
// Beside tools a hub serves what its program gives it: resources
// ([Hub.AddResource]), families of them by URI template
// ([Hub.AddResourceTemplate]) and prompts ([Hub.AddPrompt]), with suggestions for
// what can be filled in.
//
//	err = hub.AddResource(mcphub.Resource{URI: "notes://today", MIMEType: "text/plain"}, read)
//	err = hub.AddPrompt(mcphub.Prompt{Name: "greet", Arguments: []mcphub.PromptArgument{{Name: "who", Required: true}}}, greet)
//
// They are code and data of this program, so they need no pass; they run
// without approval, and they leave no audit record. A handler has the time
// limit and the slots of a call, learns the caller, and reaches back by its
// Peer. What goes wrong in it stays here, but for an [*client.RPCError].
//
// A hub declares tools always, and prompts, resources and completions from the
// first one on, or once a [Share] may bring some. It takes no capability back as
// long as it runs.
// Clients are notified when a list changes, and after [Hub.ResourceUpdated] those
// that have subscribed to the resource: in a session by resources/subscribe, since
// 2026-07-28 by subscriptions/listen. Lists are in order and go out in pages
// ([Options].PageSize).
//
// In a session of 2025-11-25 over HTTP a client whose event stream broke comes
// back for the rest, and a handler may send it away until then (toolspec.Detach).
// 1,000 messages or 1 MiB of a stream are kept for that, until a minute after its
// end.
//
// # Clients
//
// One hub serves every protocol version from 2024-11-05 to 2026-07-28 on one
// endpoint, in sessions up to 2025-11-25 and request by request since. What the
// versions differ in is github.com/mark3labs/mcp-go's to know; transports, answers
// and the way of a call are the hub's own, because there an error costs most:
//
//   - messages that a tool sends go out before its result, in order, on the
//     stream of their own request, when the sending returns;
//   - a session id counts only if this hub gave it out, to the same principal,
//     and the session has not ended; connections on stdio share nothing;
//   - ids and arguments pass as they were written, big integers included;
//   - a message has a size limit, and a web page cannot reach a local server
//     (Origin and Host are checked).
//
// Off a loopback address, and to requests that a proxy forwarded, a hub serves only
// with [Options.Authenticate]: [BearerToken] knows one token, [AccessTokens] are
// many by name, to be taken back one by one.
//
// A tool reaches back through its call's Peer: progress when the client sent a
// token, log messages down to the level that it set (info until it sets one;
// since 2026-07-28 none unless asked for), questions, sampling and roots when it
// declared them; what it did not declare gives errors.ErrUnsupported, and a call
// that fails because of that is answered with -32021 since 2026-07-28.
//
// Since that version a server asks by ending the request with its questions, and
// the client calls again with the answers. The call is parked meanwhile: it keeps
// running, and the request that brings its requestState becomes its way to the
// client. That state is 256 random bits, valid once, for the same principal, tool
// and arguments, within [Options.QuestionTimeout]; nothing else resumes the call,
// and when no client comes back it is cancelled. Questions that are asked
// together (toolspec.Ask) go out together. The wait for an answer does not count
// as time of the call, in any version, and such a call takes no place among those
// that run. A parked call lives in this process: another one does not know its
// state.
//
// # Tasks
//
// A call of a tool whose Definition.Task allows it becomes a task when it takes
// longer than [TaskOptions].After, for clients of 2026-07-28 that declare the
// extension io.modelcontextprotocol/tasks. They get a handle, fetch the result by
// tasks/get or are notified of it by subscriptions/listen, answer what the tool
// asks by tasks/update, and end it by tasks/cancel. What the tool asks before
// that moment is asked in the call itself, which the client repeats with the
// answers. The wait for a person who approves becomes a task too, whatever the
// tool.
//
// A task is one call, with one audit record. It belongs to the principal that
// called. The progress that the tool reports is the task's statusMessage. A tool
// that fails gives a task that completed, with isError; failed is what this hub
// could not do. Tasks end with the hub.
//
// Clients of 2025-11-25 ask for a task themselves, and fetch its result by
// tasks/result, during which they receive questions and progress. Those tasks
// belong to their session and end with it.
//
// # Other servers
//
// A program reaches other servers by [servers.Connections], and serves tools of them
// once a person has approved each as its server describes it:
//
//	conns, err := servers.New(store, nil)
//	...
//	defer conns.Close()
//	composition, err := mcphub.NewComposition(hub, conns, nil)
//	...
//	defer composition.Close()
//	_, err = conns.Save(ctx, servers.Stdio("files", "npx", "-y", "some-server", "/srv"))
//	...
//	err = conns.Connect(ctx, "files")
//	...
//	err = composition.Put(ctx, mcphub.Member{Server: "files", Tool: "read"})
//	...
//	offered := conns.Snapshot("files").Tool("read") // what the person looks at
//	err = composition.Approve(ctx, "files", "read", offered.Fingerprint)
//	...
//	result, err := hub.Call(ctx, "files_read", map[string]any{"path": "/srv/notes.txt"})
//
// Package [github.com/localpass/localpass/mcphub/servers] keeps the records and the
// sessions, and relays what servers ask; package
// [github.com/localpass/localpass/mcphub/client] is one session with one server.
// [Hub.InProcess] leads into a hub of this process.
//
// A [Composition] serves tools of other servers through a hub: those that the
// operator chose one by one, each only as it was when the operator approved it.
// That is the only way in for a tool without a pass. Resources and prompts of other
// servers it serves by [Share], withheld likewise until they are approved. Requests
// and results pass as they are written, and a client that subscribes to a resource
// here receives the updates of the server that has it.
//
// A file of servers, in the form that MCP clients use, can say what is chosen
// ([servers.Parse], [Composition.ApplyServers]). Its "approve" counts once, for what
// the server offers when it is first seen.
//
// # Looking into servers
//
// Package mcphub/inspector is for people: each operation of the protocol by hand, over
// the sessions of Connections, with the messages that passed; what servers report and
// ask; a quick check. Package mcphub/hubapi serves Connections, an inspector and a
// composition over HTTP, with an OpenAPI description and the status as a stream of events.
// Secrets of connections are never shown there.
//
// # Approval
//
// With [Options.Approval] every call goes past a gate before it takes a slot. The
// gate's rules let it run, refuse it, or have a person asked: at a terminal, over
// HTTP, or, where the gate has approval.Elicitation among its approvers, at the
// client that called. A client with a session is asked while its call waits; one
// of 2026-07-28 gets a result of type "input_required", and calls again, under a
// new id, with inputResponses.approval and the requestState that came with the
// question. That state is sealed: an answer counts for the question that was put,
// to the same principal, about this tool as it is and these arguments, in time
// and once. A question whose answer is not valid is asked again, twice at most.
//
// The client software brings the answer, so it is worth what that software is.
// Where it is not trusted, ask elsewhere.
//
// The wait for a person does not count as time of the call. When the call, its
// session or the hub ends, the wait ends as declined. A call that is refused is
// a result of kind SECURITY, such as reason approval-denied; one that ended with
// a question has approval-pending in the audit log. [audit.Log] puts questions
// and answers into the same log.
//
// # How a call ends
//
// A failed call is a result with isError, whose text begins with the kind, such
// as "TIMEOUT: …", and whose _meta holds
//
//	{"localpass/error": {"kind": "TIMEOUT", "reason": "deadline", "component": "execution"}}
//
// A tool that is not there, not exposed or withdrawn is a protocol error, in the
// same words for all three. Each call leaves one [audit.Record], written before
// the result is sent; if it cannot be written, the result is withheld.
//
// # The audit log
//
// [Options.Store] keeps the records, in chains of digests that package
// [github.com/localpass/localpass/mcphub/audit] describes, verifies and reads.
//
// # Cost
//
// Server CPU of a small call over HTTP in a session on two cores, with gate,
// validation and an audit record in a file store: 94 µs with one client, 41 µs
// with 16, where mcp-go with input validation alone takes 98 and 47 µs and a
// bare net/http echo 59 and 24 µs. A store that flushes each record to the disk
// before the result leaves (file.Options.LogFlush) adds what that costs, 85 µs
// on that machine, shared by calls that end at the same time. Package bench has
// the other cases. To measure:
//
//	cd bench && go test -run '^$' -bench HTTPCall -benchtime 5000x -count 5
package mcphub
