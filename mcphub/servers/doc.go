// Package servers keeps the MCP servers that a program may use: a record of each, one
// live session with each that is in use, and what they offer.
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
// A [Record] says how to reach a server and how its calls are bounded. [Stdio] and
// [HTTP] make one, and [Parse] reads the file of servers that MCP clients use. Records
// live in a store, so that several programs can share them; [Options].Vault seals the
// secrets in them. Placeholders, ${NAME}, stay as written until the server is connected
// to.
//
// # Sessions
//
// A session is opened when it is needed, once for all callers that ask at the same
// time, and closed when it was not needed for a while. One that is lost is opened
// again, at growing intervals. A server that keeps failing is not contacted for a time
// ([ErrCircuitOpen]); it never delays another one. [Connections.Status] says in which
// [State] a server is, and [Connections.Events] each change of it.
//
// [Connections.Call] sends one request: it waits for its turn, keeps within the time
// limit of the server, and repeats what can be repeated without harm.
// [Connections.Lease] gives the session itself to a caller that needs more than that.
//
// # What servers offer
//
// Tools, resources, templates and prompts are asked for when a server is connected, when
// it says that they changed, and at intervals. [Connections.Snapshot] returns what a
// server said last, without waiting. All of it is the server's claim: each description
// has a fingerprint, by which a person approves it, and a change of the description
// changes the fingerprint.
//
// # Tools
//
// A [ToolProvider] makes a source of tools of all that servers offer, for a chat, under
// names that every client and model provider takes ([Prefixed]). It checks no approval:
// serving a server's tools to clients is the task of a Composition of package mcphub.
// [Selection] leaves tools out of a record: they are on no list, and calls of them are
// refused ([ErrLeftOut]). Arguments and structured results pass as they are written; the
// trace context is sent along and nothing else that the caller did not say ([MetaFunc]).
//
// # Questions of servers
//
// While a call runs, its server may ask the caller: for a form to be filled in, for a
// page to be opened, for a completion of the caller's model, for the folders that it
// works in. [RelayPolicy] says which of these are passed on. The first two are by
// default. A question that cannot be assigned to one caller is never passed on, so that
// no user answers another one's.
package servers
