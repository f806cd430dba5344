package approval_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// stores runs a benchmark on files, with every write flushed, and in memory.
func stores(b *testing.B, run func(b *testing.B, store localpass.Persistence)) {
	b.Run("file", func(b *testing.B) {
		store, err := file.Open(b.TempDir(), nil)
		require.NoError(b, err)
		defer store.Close()
		run(b, store)
	})
	b.Run("memory", func(b *testing.B) { run(b, memory.New()) })
}

// BenchmarkAnswer decides requests while 1,000 others are open.
func BenchmarkAnswer(b *testing.B) {
	stores(b, func(b *testing.B, store localpass.Persistence) {
		broker := newBroker(b, store, approval.Options{Keep: 1 << 30})
		for range 1000 {
			put(b, broker, about("send"))
		}
		ids := make([]string, b.N)
		for i := range ids {
			ids[i] = put(b, broker, about("send")).Request.ID
		}
		var next atomic.Int64
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, err := broker.Decide(b.Context(), approval.Decision{Request: ids[next.Add(1)-1], Outcome: approval.Approved, By: ada})
				if err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	})
}

// BenchmarkAsked measures one call with its policies, request, decision and use.
func BenchmarkAsked(b *testing.B) {
	stores(b, func(b *testing.B, store localpass.Persistence) {
		g := newGate(b, approval.Options{Store: store, Approvers: []approval.Approver{yes()}, PerMinute: 1 << 30})
		c := call(tool("send", toolspec.L3, true), `{"n":1}`)
		for b.Loop() {
			if out := g.Check(b.Context(), []approval.Call{c})[0]; !out.Allowed() {
				b.Fatal(out.Cause)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	})
}

// BenchmarkNotAsked measures a call without a request, with policies for other calls.
func BenchmarkNotAsked(b *testing.B) {
	stores(b, func(b *testing.B, store localpass.Persistence) {
		g := newGate(b, approval.Options{Store: store})
		for i := range 100 {
			set(b, g, policy("s", fmt.Sprintf("t%d", i), "", approval.AlwaysDeny))
		}
		c := call(tool("hash", toolspec.L0, false), `{"n":1}`)
		for b.Loop() {
			if out := g.Check(b.Context(), []approval.Call{c})[0]; !out.Allowed() {
				b.Fatal(out.Cause)
			}
		}
	})
}
