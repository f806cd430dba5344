// Package bench holds localpass beside its peers, each in the same run: what a
// sandboxed call costs beside the bare engine, what a served call costs beside
// the MCP library underneath and a bare HTTP echo, and what a search costs beside
// another vector store. It is a module of its own so that no peer reaches a user.
//
//	cd bench && go test -run '^$' -bench . -benchtime 3s -count 5
//
// A server under test is a process of its own, so that its CPU time and its
// allocations are its own: "server-µs/op" is user and system time of that
// process for one call, "server-allocs/op" its heap allocations.
//
// # Numbers
//
// Medians of five runs on two shared x86-64 cores; compare within a table.
//
// A call over HTTP, µs of the server's processor time (allocations):
//
//	                              1 client     16 clients
//	2025-11-25, in a session
//	  bare net/http echo           59  (69)     24  (69)
//	  mcp-go, input validation     98 (186)     47 (186)
//	  localpass                    94 (109)     41 (108)
//	  localpass, flushing         236 (109)     94 (102)
//	2026-07-28, without sessions
//	  bare net/http echo           71  (75)     25  (75)
//	  mcp-go, input validation    191 (375)    101 (375)
//	  localpass                   103 (126)     51 (125)
//	  localpass, flushing         240 (126)     86 (119)
//
// A flush of the disk takes 85 µs of processor time on that machine, more than
// all the rest of a call.
//
// A call through a hop to the same upstream server, in µs of the hop's processor
// time with 1, 16 and 64 clients, on a machine that was busy with other things
// (BenchmarkHop, one run of 6,000 calls a cell; the hops take turns, so that the
// ratios hold where the numbers do not):
//
//	                                2025-11-25           2026-07-28
//	a handler that posts on       141    60    86      128    78    86
//	httputil.ReverseProxy         193   109   133      200   135   110
//	localpass                     240   138   153      277   170   177
//	mcp-go, connections pooled    242   145   184      388   279   284
//	mcp-go                        239   235   304      402   394   410
//
//	localpass beside
//	  mcp-go                     1.02  0.60  0.53     0.70  0.45  0.44
//	  mcp-go, pooled             1.00  0.95  0.88     0.72  0.61  0.61
//	  httputil.ReverseProxy      1.35  1.24  1.33     1.42  1.33  1.67
//	  a handler that posts on    1.94  2.13  2.03     2.33  2.26  1.95
//
// All of them use net/http. With an HTTP client of its own for plain loopback,
// which is gone, localpass was at 0.46 and 0.51 of mcp-go's hop with 16 and 64
// clients, and at 0.88 and 0.94 of the ReverseProxy.
//
// mcp-go's client keeps two connections, and makes a new one for most calls of
// many clients; pooled it keeps as many as there are. The 99th percentile of what
// a call takes is, with 64 clients, 0.7 and 0.6 times that of mcp-go's hop, and
// 0.8 and 0.3 times where the tool is the server's own (BenchmarkServed).
//
// A small call of sandboxed code:
//
//	                      median   host CPU   worker CPU   host allocations
//	bare goja              18 µs      41 µs                 530
//	in process             30 µs      61 µs                 568
//	in process, counted    31 µs      61 µs                 591
//	isolated               73 µs      28 µs        46 µs      8
//
// The same call with network and files granted, which it does not use: 1.07 times
// in process, no difference isolated. Heavy scripts in process beside bare goja
// (fib(20), a sort of 10,000, JSON of 1,000 objects, 500 matches of a regular
// expression): 1.02 to 1.05 times. A request through the egress guard takes 3 µs
// of processor time more than through a plain transport. The text of a page of
// 250 KB, everything around the call included: 3.1 ms, where goquery takes 6.1.
//
// From saving a spec to the notification at a client over stdio (-watch): 0.15 s;
// 0.30 s for a spec that takes 100 ms and is run twice, since it reads the clock;
// 0.43 s for 500 new files until all are served.
//
// Chat, processor time and allocations, one run on a machine with other work
// (BenchmarkChunks: an answer of 1,000 chunks; BenchmarkTurn: a question, one call
// of a tool, the answer, with a model that takes no time):
//
//	1,000 chunks, go-openai's own loop      5.0 ms   18,089
//	  the model of chat/openai              1.4 ms    4,117
//	  a whole turn of a client              2.2 ms    5,224
//	a turn, three advisors                   42 µs      268
//	  eino's ReAct agent, no callbacks       29 µs      263
//	  with three callbacks                   35 µs      459
//
// The aim for the turn, 0.35 times eino and 80 allocations, is not met. A turn
// without tools costs the same after 100, 1,000 and 10,000 messages, 0.2 to 0.3 ms
// and 730 allocations, all writes included (BenchmarkHistory, in memory).
//
// Search for 10 documents by vector (BenchmarkVectors, one run on a busy machine), µs of
// processor time, without and with a filter that a tenth passes:
//
//	documents x dimensions       rag/flat          chromem-go
//	  1,000 x 384               46     19         652      271
//	  1,000 x 768               60     19         925      299
//	 10,000 x 384              517     83       9,077    6,819
//	 10,000 x 768            1,180    146      14,427    8,062
//	100,000 x 768           16,026  5,017     158,243  126,799
//
// Memory beside the bytes of the vectors and texts: 1.05 to 1.10 and 1.15 to 1.26. To open
// 10,000 x 768 (BenchmarkOpenVectors): 49 ms and 618 ms, 12 times less, where 30 are the
// aim.
//
// CPU time includes that of the garbage collector, which works beside a call.
// Busier rounds gave 1.2 to 1.6 times bare goja in process.
package bench
