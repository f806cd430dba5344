// Package bench holds localpass beside its peers, each in the same run: what a
// sandboxed call costs beside the bare engine, and what a served call costs
// beside the MCP library underneath and a bare HTTP echo. It is a module of its
// own so that no peer reaches a user.
//
//	cd bench && go test -run '^$' -bench . -benchtime 3s -count 5
//
// A server under test is a process of its own, so that its CPU time and its
// allocations are its own: "server-µs/op" is user and system time of that
// process for one call, "server-allocs/op" its heap allocations.
package bench
