// Package ledger compares what an MCP server says of its tools with what was approved.
//
// [Diff] says in sentences what differs between two definitions of a tool, and which
// differences let the tool do or get something that it could not before. A changed
// description is not such a difference by itself: what it demands of the model is for
// package scan.
//
// A [Lock] pins the tools of servers by their whole definitions, as a file that a team
// keeps beside its configuration, [LockFile]. [Lock.Verify] reports what a server offers
// otherwise than it was pinned:
//
//	lock, err := ledger.ParseLock(data)
//	...
//	for _, p := range lock.Verify("files", record.Origin(), tools, nil) {
//		fmt.Println(p) // files/read_file: it differs from what is pinned
//	}
//
// What this host serves is approved in a [mcphub.Composition], which keeps the definitions
// that a lock is made of.
//
// [mcphub.Composition]: https://pkg.go.dev/github.com/localpass/localpass/mcphub#Composition
package ledger
