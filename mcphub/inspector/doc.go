// Package inspector is for manual tests of MCP servers: it runs single operations of the
// protocol and records the messages.
//
// [New] makes an [Inspector] of the servers that a program knows. It uses the sessions
// that all other callers use:
//
//	i, err := inspector.New(conns, &inspector.Options{Approval: gate})
//	...
//	defer i.Close()
//	rec, err := i.CallTool(ctx, "docs", inspector.ToolTrial{Tool: "search", Arguments: arguments})
//
// An operation returns an [Inspection]: the request, its outcome, the messages and the server's
// log lines that belong to it. The returned error only says that the operation could not be
// started. [Inspector.History] keeps the last records, and [Inspector.Replay] repeats one.
//
// Messages that a server sends by itself are kept too: [Inspector.Notifications] and
// [Inspector.Follow]. Questions that an operation causes wait for a person: [Inspector.Pending]
// and [Inspector.Answer]. With [Options.Frames] all messages of the sessions are kept, whatever
// caused them: [Inspector.Frames]. [Inspector.Check] tests whether a server follows the
// protocol, without running a tool.
//
// With [Options.Approval] a tool is called only if the server lists it and the gate allows the
// call, and with [Options.Audit] each call is recorded. All records are bounded, mask the
// secrets of the connection, and are gone when the program ends.
package inspector
