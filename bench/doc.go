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
//
// # Numbers
//
// Medians of five runs on two x86-64 cores that did other work too, so compare
// within a table; a flush of the disk took 85 µs of processor time there.
//
// A call over HTTP, µs of the server's processor time (allocations):
//
//	                              1 client     16 clients
//	2025-11-25, in a session
//	  bare net/http echo           67  (69)     25  (69)
//	  mcp-go, input validation    113 (186)     59 (186)
//	  localpass                   254 (109)     63 (101)
//	  localpass, no flush         109 (109)     46 (107)
//	2026-07-28, without sessions
//	  bare net/http echo           71  (75)     27  (75)
//	  mcp-go, input validation    181 (375)    126 (375)
//	  localpass                   252 (126)     77 (118)
//	  localpass, no flush         111 (126)     63 (125)
//
// A lone client pays for a flush with each call; clients that call at the same
// time share it.
//
// A small call of sandboxed code:
//
//	                      median   host CPU   worker CPU   host allocations
//	bare goja              29 µs      67 µs                 530
//	in process             41 µs      62 µs                 568
//	in process, counted    46 µs      67 µs                 591
//	isolated               68 µs      29 µs        47 µs      8
//
// CPU time includes that of the garbage collector, which works beside a call.
package bench
