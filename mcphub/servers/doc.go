// Package servers manages the MCP servers that a program may use: a record of each server, a
// live session with each server in use, and what they offer.
//
//	conns, err := servers.New(store, nil)
//	...
//	defer conns.Close()
//	_, err = conns.Save(ctx, servers.Stdio("files", "npx", "-y", "some-server", "/srv"))
//	...
//	err = conns.Connect(ctx, "files")
//	...
//	result, err := conns.Call(ctx, "files", "tools/call", json.RawMessage(`{"name":"read"}`), nil)
//
// # Records
//
// A [Record] says how to reach a server and how its calls are limited. [Stdio] and [HTTP] make
// records, and [Parse] reads the servers file of MCP clients. Records are kept in a store, so
// that several programs can share them; [Options].Vault encrypts their secrets. Placeholders,
// ${NAME}, are kept as written until the server is connected.
//
// # Sessions
//
// A session is opened when it is needed, once for all concurrent callers, and closed when it has
// not been used for a while. A lost session is reopened at increasing intervals. A server that
// keeps failing is not contacted for a time ([ErrCircuitOpen]); it never delays other servers.
// [Connections.Status] returns the [State] of a server, and [Connections.Events] reports each
// change.
//
// [Connections.Call] sends one request: it waits for a slot, observes the time limit of the
// server, and repeats requests that can be repeated safely. [Connections.Lease] gives callers
// that need more access to the session itself.
//
// # What servers offer
//
// A server is asked for its tools, resources, templates and prompts when it is connected, when
// it reports a change, and at intervals. [Connections.Snapshot] returns the last answer without
// waiting. All of it is only the server's claim: each description has a fingerprint, by which an
// operator approves it, and a change of the description changes the fingerprint.
//
// # Tools
//
// A [ToolProvider] is a source of the tools of all servers, for a chat, under names that every
// client and model provider accepts ([Prefixed]). It checks no approvals: a Composition of
// package mcphub serves tools to clients. The [Selection] of a record leaves tools out: they are
// not listed, and calls of them are refused ([ErrLeftOut]). Arguments and structured results are
// passed on unchanged; besides the caller's data, only the trace context is sent ([MetaFunc]).
//
// # Questions of servers
//
// While a call runs, its server may ask the caller to fill in a form, to open a page, for a
// completion of the caller's model, or for the folders in which it works. [RelayPolicy] says
// which of these requests are passed on; by default the first two. A request that cannot be
// assigned to one caller is never passed on, so that no user answers a question for another
// user.
package servers
