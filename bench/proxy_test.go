package bench

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

var hold = flag.Bool("hold", false, "fail BenchmarkHop and BenchmarkServed where a limit does not hold")

// Limits of what goes through a hub: processor time beside that of a naive hop
// with mcp-go and beside that of a proxy that knows nothing of MCP, and the
// slowest of 100 calls of 64 clients beside that of mcp-go's. The first holds
// under load: with one client most of the time of every hop goes into waking up,
// and is the same for all.
const (
	limitMCPGo = 0.7
	limitHTTP  = 1.8
	limitP99   = 1.3
)

// ratio is what localpass costs beside a peer, and what it may; 0: anything.
type ratio struct {
	name, peer string
	limit      float64
	p99        bool // of the time that a call takes, not of processor time
}

// BenchmarkHop is one tools/call through a hop to the same upstream server, each
// hop in a process of its own, whose processor time is what the hop costs:
//
//   - localpass: a hub whose Composition serves the upstream's tool, its audit log
//     in a file;
//   - mcp-go: a server whose handler calls a client, as one writes it, and
//     mcp-go-pooled: with as many kept connections as there are clients;
//   - reverse-proxy: that of net/http/httputil;
//   - http: a handler that posts the bytes on, the least that a hop can do.
//
// They take turns in one run, so that whatever else the machine does hits all of
// them; the ratios are the medians of the rounds' own.
func BenchmarkHop(b *testing.B) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		for _, clients := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", era, clients), func(b *testing.B) {
				upstream := start(b, "mcp-go")
				ofMCPGo, tail := limitMCPGo, 0.0
				switch clients {
				case 1:
					ofMCPGo = 0
				case 64:
					tail = limitP99
				}
				beside(b, era, clients, []string{"localpass", "mcp-go", "mcp-go-pooled", "reverse-proxy", "http"}, []ratio{
					{name: "of-mcp-go", peer: "mcp-go", limit: ofMCPGo}, {name: "of-mcp-go-pooled", peer: "mcp-go-pooled"},
					{name: "of-reverse-proxy", peer: "reverse-proxy", limit: limitHTTP}, {name: "of-http", peer: "http"},
					{name: "p99-of-mcp-go", peer: "mcp-go", limit: tail, p99: true},
				}, func(name string) string {
					return start(b, name+"-hop", upstreamEnv+"="+upstream+"/mcp", eraEnv+"="+era)
				})
			})
		}
	}
}

// BenchmarkServed is one tools/call of many clients to a tool of the server's own.
func BenchmarkServed(b *testing.B) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		b.Run(era+"/clients=64", func(b *testing.B) {
			beside(b, era, 64, []string{"localpass", "mcp-go"}, []ratio{
				{name: "of-mcp-go", peer: "mcp-go"}, {name: "p99-of-mcp-go", peer: "mcp-go", limit: limitP99, p99: true},
			}, func(name string) string { return start(b, name) })
		})
	}
}

// beside lets servers take turns. The first of them is localpass.
func beside(b *testing.B, era string, clients int, names []string, ratios []ratio, start func(name string) string) {
	runs := make(map[string]*hopRun, len(names))
	for _, name := range names {
		runs[name] = newHopRun(b, start(name), era, clients)
	}
	chunk := max(200, 20*clients)
	b.ResetTimer()
	for done := 0; done < b.N; done += chunk {
		for i := range names { // each of them is the first in turn
			runs[names[(i+done/chunk)%len(names)]].round(min(chunk, b.N-done))
		}
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op") // of all of them together: it says nothing
	for _, name := range names {
		r := runs[name]
		b.ReportMetric(median(r.cpu), name+"-µs/op")
		b.ReportMetric(median(r.allocs), name+"-allocs/op")
		b.ReportMetric(median(r.p99), name+"-p99-µs")
	}
	ours := runs[names[0]]
	for _, l := range ratios {
		value := median(quotients(ours.cpu, runs[l.peer].cpu))
		if l.p99 {
			value = median(quotients(ours.p99, runs[l.peer].p99))
		}
		b.ReportMetric(value, l.name)
		if *hold && b.N >= chunk && l.limit > 0 && value > l.limit {
			b.Errorf("%s is %.2f, and the limit is %.2f", l.name, value, l.limit)
		}
	}
}

// hopRun is one server and what its rounds have cost.
type hopRun struct {
	b       *testing.B
	url     string
	callers []*caller
	cpu     []float64 // µs a call, by round
	allocs  []float64 // a call, by round
	p99     []float64 // µs, by round
}

func newHopRun(b *testing.B, url, era string, clients int) *hopRun {
	h := &hopRun{b: b, url: url}
	for range clients {
		c := &caller{b: b, url: url + "/mcp", era: era, http: &http.Client{Transport: &http.Transport{}}}
		c.initialize()
		h.callers = append(h.callers, c)
	}
	h.each(50*clients, func(c *caller) { c.call() }) // warm
	return h
}

// each shares n calls among the clients, side by side.
func (h *hopRun) each(n int, do func(c *caller)) {
	var all sync.WaitGroup
	for i, c := range h.callers {
		share := n / len(h.callers)
		if i < n%len(h.callers) {
			share++
		}
		all.Go(func() {
			for range share {
				do(c)
			}
		})
	}
	all.Wait()
}

func (h *hopRun) round(n int) {
	var mu sync.Mutex
	took := make([]time.Duration, 0, n)
	before := usageOf(h.b, h.url)
	h.each(n, func(c *caller) {
		began := time.Now()
		c.call()
		once := time.Since(began)
		mu.Lock()
		took = append(took, once)
		mu.Unlock()
	})
	after := usageOf(h.b, h.url)
	h.cpu = append(h.cpu, float64(after.CPU-before.CPU)/1e3/float64(n))
	h.allocs = append(h.allocs, float64(after.Allocs-before.Allocs)/float64(n))
	slices.Sort(took)
	h.p99 = append(h.p99, float64(took[(len(took)-1)*99/100])/1e3)
}

func quotients(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
