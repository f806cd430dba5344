// Package client implements a session with one MCP server: it connects to the server, negotiates a protocol
// version, makes calls, and answers the server's requests.
//
// A [Transport] connects to a server, and its Dial makes a [Session]:
//
//	tr, err := client.NewHTTP(client.HTTPConfig{URL: "https://mcp.example/mcp"}, nil)
//	...
//	session, err := tr.Dial(ctx, nil)
//	...
//	defer session.Close()
//	result, err := session.Call(ctx, "tools/call", json.RawMessage(`{"name":"add","arguments":{"a":1,"b":2}}`), nil)
//
// [NewHTTP] supports streamable HTTP and falls back to HTTP with SSE, [NewStdio] starts a program, [NewSSE] is the
// transport of 2024-11-05, and [NewLocal] connects to a server in this process. A [Registry] makes transports from
// the definitions in servers files. A custom transport carries whole messages over a [Conn], and [Connect] does
// the rest.
//
// If a server turns a call into a task, it is still one call: the session polls the status of the task, answers
// its questions, and returns its result. The time limit of a single request does not end it (see
// [CallOptions].Task).
//
// Sessions of all versions from 2024-11-05 to 2026-07-28 have the same interface; the newest version that both
// sides support is used. A failure is a [*ConnError] with a class to branch on ([ConnAuth], [ConnTimeout] and
// others), or an [*RPCError] if the server refused. Definitions contain secrets as placeholders, ${NAME}, which
// are looked up when a session is dialled. Their values are masked in errors and messages.
package client
