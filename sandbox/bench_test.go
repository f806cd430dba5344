package sandbox_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// The small call that everything is measured with: it splits, maps, adds up,
// and returns an object.
const smallCode = `
const parts = text.split(' ').map(w => w.length);
let sum = 0;
for (const p of parts) sum += p;
return {words: parts.length, letters: sum, upper: text.toUpperCase()};`

func smallRequest() *toolspec.RunRequest {
	return &toolspec.RunRequest{
		Spec:    &toolspec.Spec{Name: "small", Code: smallCode, CodeType: toolspec.CodeTypeJavascript},
		Posture: &toolspec.Posture{Limits: toolspec.Limits{Timeout: 30 * time.Second}},
		Globals: []toolspec.Global{{Name: "text", Value: json.RawMessage(`"the quick brown fox"`)}},
	}
}

// BenchmarkBareGoja is the same program in a fresh runtime, with nothing around
// it: what BenchmarkInProcess is compared with.
func BenchmarkBareGoja(b *testing.B) {
	program := goja.MustCompile("", "(async function () {\n"+smallCode+"\n})", false)
	measure(b, func() time.Duration {
		vm := goja.New()
		require.NoError(b, vm.Set("text", "the quick brown fox"))
		v, err := vm.RunProgram(program)
		require.NoError(b, err)
		f, _ := goja.AssertFunction(v)
		v, err = f(goja.Undefined())
		require.NoError(b, err)
		if _, err := json.Marshal(v.Export().(*goja.Promise).Result().Export()); err != nil {
			b.Fatal(err)
		}
		return 0
	})
}

func BenchmarkInProcess(b *testing.B) {
	benchmark(b, &sandbox.Options{Tier: toolspec.TierInProcess}, smallRequest())
}

// BenchmarkInProcessCounted is the same with a statement bound.
func BenchmarkInProcessCounted(b *testing.B) {
	req := smallRequest()
	req.Posture.Limits.Statements = 500_000
	benchmark(b, &sandbox.Options{Tier: toolspec.TierInProcess}, req)
}

// BenchmarkIsolated also reports the median and the processor time that this
// program and its worker take for one call.
func BenchmarkIsolated(b *testing.B) {
	benchmark(b, &sandbox.Options{Workers: 2}, smallRequest())
}

func benchmark(b *testing.B, opts *sandbox.Options, req *toolspec.RunRequest) {
	s, err := sandbox.New(opts)
	require.NoError(b, err)
	defer s.Close()
	ctx := context.Background()
	measure(b, func() time.Duration {
		out, err := s.Run(ctx, req)
		if err != nil || out.Err != nil {
			b.Fatal(err, out)
		}
		return out.Usage.CPU
	})
}

// measure reports the median, and the processor time per call of this process
// and of the worker, which call returns.
func measure(b *testing.B, call func() time.Duration) {
	for range 100 {
		call()
	}
	var worker time.Duration
	times := make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	start := sandbox.CPUTime()
	for b.Loop() {
		t := time.Now()
		worker += call()
		if len(times) < cap(times) {
			times = append(times, time.Since(t))
		}
	}
	n := float64(b.N)
	b.ReportMetric(float64(sandbox.CPUTime()-start)/n, "host-cpu-ns/op")
	if worker > 0 {
		b.ReportMetric(float64(worker)/n, "worker-cpu-ns/op")
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
}

// BenchmarkCheck is a check of the small call's code, parse included.
func BenchmarkCheck(b *testing.B) {
	for name, tier := range map[string]toolspec.Tier{"Isolated": toolspec.TierIsolated, "InProcess": toolspec.TierInProcess} {
		b.Run(name, func(b *testing.B) {
			s, err := sandbox.New(&sandbox.Options{Tier: tier})
			require.NoError(b, err)
			defer s.Close()
			req := smallRequest()
			req.Spec.Params = []toolspec.Param{{Name: "text", Type: toolspec.TypeString}}
			b.ReportAllocs()
			for b.Loop() {
				if p := s.Check(context.Background(), req.Spec, req.Posture); len(p) > 0 {
					b.Fatal(p)
				}
			}
		})
	}
}
