// Package inspector looks into MCP servers by hand: each operation of the protocol, with
// the messages that passed.
//
// [New] makes an [Inspector] of the servers that a program knows. It uses the sessions
// that all other callers use:
//
//	i, err := inspector.New(conns, &inspector.Options{Approval: gate})
//	...
//	defer i.Close()
//	rec, err := i.CallTool(ctx, "docs", inspector.ToolTrial{Tool: "search", Arguments: arguments})
//
// An operation gives an [Inspection]: the request, its outcome, the messages and the
// server's log lines that belong to it. The error beside it says only that the operation
// could not be started. [Inspector.History] keeps the last records, and
// [Inspector.Replay] does one once more.
//
// What a server sends by itself is kept too: [Inspector.Notifications] and
// [Inspector.Follow]. What it asks because of an operation waits for a person:
// [Inspector.Pending] and [Inspector.Answer]. With [Options.Frames] all messages of the
// sessions are kept, whatever caused them: [Inspector.Frames]. [Inspector.Check] tries how
// a server follows the protocol, without running a tool.
//
// With [Options.Approval] a tool is called only as the server lists it and after the gate
// allowed it, and with [Options.Audit] each call is recorded. Secrets of the connection
// are masked in everything that is kept, which is bounded and ends with the program.
package inspector
