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
// Tools come in as *toolspec.Passed, a type that only a Studio or Certify can
// make: by [Hub.Attach] all that a studio publishes, by [Hub.Add] one by one.
// Of those, the [Exposure] says which clients see. Each call asks again whether
// the tool is exposed and its pass still good. What is published, withdrawn,
// exposed or hidden takes effect when the method returns, and clients are told.
//
// A hub is a toolspec.Source too: calls in process go through the same gate.
//
// # Clients
//
// One hub serves every protocol version from 2024-11-05 to 2026-07-28 on one
// endpoint, in sessions up to 2025-11-25 and request by request since. github.com/mark3labs/mcp-go
// answers what is protocol only (initialize, discovery, lists); the transports
// and the way of a call are the hub's own, because there an error costs most:
//
//   - messages that a tool sends go out before its result, in order, on the
//     stream of their own request, when the sending returns;
//   - a session id counts only if this hub gave it out, to the same principal,
//     and the session has not ended; connections on stdio share nothing;
//   - ids and arguments pass as they were written, big integers included;
//   - a message has a size limit, and a web page cannot speak to a local server
//     (Origin and Host are checked).
//
// Off a loopback address a hub serves only with [Options.Authenticate].
//
// A tool reaches back through its call's Peer: progress when the client sent a
// token, log messages down to the level that it set (info until it sets one;
// since 2026-07-28 none unless asked for), questions, sampling and roots when it
// declared them. Since 2026-07-28 a server cannot ask within a call: these three
// then give errors.ErrUnsupported.
//
// # Other servers
//
// A [Transport] leads to one server: [NewHTTP], [NewSSE] and [NewStdio] make
// one, [Hub.InProcess] leads into a hub of this process, and [Kinds] makes them
// of connection definitions, of kinds of one's own too. Dialled, it gives a
// [Session]:
//
//	transport, err := mcphub.NewStdio(mcphub.StdioConfig{Command: "npx", Args: []string{"-y", "some-server"}}, nil)
//	...
//	session, err := transport.Dial(ctx, nil)
//	...
//	defer session.Close()
//	tools, err := session.Call(ctx, "tools/list", nil, nil)
//
// The version is agreed upon for each session, the newest that both sides
// speak; an old server is found out once. Arguments and results pass as raw
// JSON. What the server sends of its own accord goes to [DialOptions].Handler,
// and a question that was not declared is refused. A failure is one of
// three: an [RPCError] is the server's refusal, an [InputRequired] its question
// (2026-07-28), and a [ConnError] says by its class what can be done about
// everything else.
//
// [Connections] keep what is known of many servers, and one live session with
// each that is in use: made once however many ask, made again when it is lost,
// closed when nobody needs it. A server that keeps failing is left alone for a
// while, and never holds up another. What servers offer is kept, and asked for
// again when they say so and at intervals; a [ToolProvider] makes tools of it,
// under names that every client takes ([Prefixed]). By default nothing leaves
// with a call but its arguments, the trace context and a progress token.
//
// A [Composition] serves tools of other servers through a hub: those that the
// operator chose one by one, each only as it was when the operator said yes to
// it. That is the only way in for a tool without a pass.
//
// # How a call ends
//
// A failed call is a result with isError, whose text begins with the kind, such
// as "TIMEOUT: …", and whose _meta holds
//
//	{"localpass/error": {"kind": "TIMEOUT", "reason": "deadline", "component": "execution"}}
//
// A tool that is not there, not exposed or withdrawn is a protocol error, in the
// same words for all three. Each call leaves one [AuditRecord], written before
// the result leaves; if it cannot be written, the result is withheld.
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
