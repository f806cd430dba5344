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

var hold = flag.Bool("hold", false, "fail BenchmarkProxyHop where a limit does not hold")

// Limits of the hop through a hub: processor time beside that of a naive hop with
// mcp-go and beside that of the bytes alone, and the slowest of 100 calls beside
// that of mcp-go's.
const (
	limitMCPGo = 0.6
	limitHTTP  = 1.6
	limitP99   = 1.3
)

// hops are the ways to the same upstream server, each in a process of its own:
// a hub whose Composition serves the upstream's tool, with its audit log in a
// file; an mcp-go server whose handler calls an mcp-go client; and a handler that
// posts the bytes on. What one hop costs is what its own process uses.
var hops = []string{"localpass-hop", "mcp-go-hop", "http-hop", "mcp-go-pooled-hop", "reverse-proxy-hop"}

// BenchmarkProxyHop is one tools/call through a hop. The hops take turns in one
// run, so that whatever else the machine does hits all of them, and the ratios
// are the medians of the rounds' own.
func BenchmarkProxyHop(b *testing.B) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		for _, clients := range []int{1, 16, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", era, clients), func(b *testing.B) { benchmarkHops(b, era, clients) })
		}
	}
}

func benchmarkHops(b *testing.B, era string, clients int) {
	upstream := start(b, "mcp-go")
	runs := make([]*hopRun, len(hops))
	for i, name := range hops {
		runs[i] = newHopRun(b, start(b, name, upstreamEnv+"="+upstream+"/mcp", eraEnv+"="+era), era, clients)
	}
	chunk := max(200, 20*clients)
	b.ResetTimer()
	for done := 0; done < b.N; done += chunk {
		for i := range runs { // each of them first in turn
			runs[(i+done/chunk)%len(runs)].round(min(chunk, b.N-done))
		}
	}
	b.StopTimer()
	ours, naive, raw := runs[0], runs[1], runs[2]
	for i, r := range runs {
		b.ReportMetric(median(r.cpu), hops[i]+"-µs/op")
		b.ReportMetric(median(r.allocs), hops[i]+"-allocs/op")
		b.ReportMetric(float64(r.percentile(99))/1e3, hops[i]+"-p99-µs")
	}
	b.ReportMetric(0, "ns/op") // all hops together: it says nothing
	for _, l := range []struct {
		name         string
		value, limit float64
	}{
		{"of-mcp-go", median(ratios(ours.cpu, naive.cpu)), limitMCPGo},
		{"of-mcp-go-pooled", median(ratios(ours.cpu, runs[3].cpu)), limitMCPGo},
		{"of-reverse-proxy", median(ratios(ours.cpu, runs[4].cpu)), limitHTTP},
		{"of-http", median(ratios(ours.cpu, raw.cpu)), limitHTTP},
		{"p99-of-mcp-go", float64(ours.percentile(99)) / float64(naive.percentile(99)), limitP99},
	} {
		b.ReportMetric(l.value, l.name)
		if *hold && b.N >= chunk && l.value > l.limit {
			b.Errorf("%s is %.2f, and the limit is %.2f", l.name, l.value, l.limit)
		}
	}
}

// hopRun is one hop and what its rounds have cost.
type hopRun struct {
	b       *testing.B
	url     string
	callers []*caller
	cpu     []float64 // µs a call, by round
	allocs  []float64 // a call, by round
	took    []time.Duration
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
	before := usageOf(h.b, h.url)
	h.each(n, func(c *caller) {
		began := time.Now()
		c.call()
		took := time.Since(began)
		mu.Lock()
		h.took = append(h.took, took)
		mu.Unlock()
	})
	after := usageOf(h.b, h.url)
	h.cpu = append(h.cpu, float64(after.CPU-before.CPU)/1e3/float64(n))
	h.allocs = append(h.allocs, float64(after.Allocs-before.Allocs)/float64(n))
}

func (h *hopRun) percentile(p int) time.Duration {
	slices.Sort(h.took)
	return h.took[min(len(h.took)*p/100, len(h.took)-1)]
}

func ratios(a, b []float64) []float64 {
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
