// Package client is one session with one MCP server: it reaches the server, agrees on
// a version of the protocol, calls, and answers what the server asks.
//
// A [Transport] is one way to reach a server, and its Dial makes a [Session]:
//
//	tr, err := client.NewHTTP(client.HTTPConfig{URL: "https://mcp.example/mcp"}, nil)
//	...
//	session, err := tr.Dial(ctx, nil)
//	...
//	defer session.Close()
//	result, err := session.Call(ctx, "tools/call", json.RawMessage(`{"name":"add","arguments":{"a":1,"b":2}}`), nil)
//
// [NewHTTP] speaks streamable HTTP and falls back to HTTP with SSE, [NewStdio] starts a
// program, [NewSSE] is the transport of 2024-11-05, and [NewLocal] a server in this
// process. A [Registry] makes transports of definitions, as files of servers hold them.
// A custom transport carries whole messages over a [Conn], and [Connect] does the rest.
//
// A call that its server makes a task is still one call: the session asks for the status
// of the task, answers what it asks, and returns its result. No limit of one request ends
// it (see [CallOptions].Task).
//
// Sessions of every version from 2024-11-05 to 2026-07-28 look the same: the newest that
// both sides speak counts. What fails is a [*ConnError] with a class to branch on
// ([ConnAuth], [ConnTimeout] and others), or an [*RPCError] where the server refused.
// Secrets of a definition are written there as placeholders, ${NAME}, are looked up
// when a session is dialled, and are masked in errors and messages.
package client
