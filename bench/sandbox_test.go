package bench

import (
	"context"
	"encoding/json"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// The small call: it splits, maps, adds up, and returns an object.
const smallCode = `
const parts = text.split(' ').map(w => w.length);
let sum = 0;
for (const p of parts) sum += p;
return {words: parts.length, letters: sum, upper: text.toUpperCase()};`

// BenchmarkSmallCall is one run of a small tool: on bare goja (a fresh runtime,
// the same compiled program), in process with everything a sandbox adds, the
// same with statements counted, and in a warm worker process.
func BenchmarkSmallCall(b *testing.B) {
	b.Run("goja", bareGoja)
	b.Run("in-process", func(b *testing.B) { boxed(b, &sandbox.Options{Tier: toolspec.TierInProcess}, 0) })
	b.Run("in-process-counted", func(b *testing.B) { boxed(b, &sandbox.Options{Tier: toolspec.TierInProcess}, 500_000) })
	b.Run("isolated", func(b *testing.B) { boxed(b, &sandbox.Options{Workers: 2}, 0) })
}

func bareGoja(b *testing.B) {
	program := goja.MustCompile("", "(async function () {\n"+smallCode+"\n})", false)
	m := measure(b)
	for b.Loop() {
		m.begin()
		vm := goja.New()
		if err := vm.Set("text", "the quick brown fox"); err != nil {
			b.Fatal(err)
		}
		v, err := vm.RunProgram(program)
		if err != nil {
			b.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		if v, err = f(goja.Undefined()); err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(v.Export().(*goja.Promise).Result().Export()); err != nil {
			b.Fatal(err)
		}
		m.end(0)
	}
	m.report()
}

func boxed(b *testing.B, opts *sandbox.Options, statements int64) {
	box, err := sandbox.New(opts)
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	req := &toolspec.RunRequest{
		Spec:    &toolspec.Spec{Name: "small", Code: smallCode, CodeType: toolspec.CodeTypeJavascript},
		Posture: &toolspec.Posture{Limits: toolspec.Limits{Timeout: 30 * time.Second, Statements: statements}},
		Globals: []toolspec.Global{{Name: "text", Value: json.RawMessage(`"the quick brown fox"`)}},
	}
	run := func() time.Duration {
		out, err := box.Run(context.Background(), req)
		if err != nil || out.Err != nil {
			b.Fatal(err, out)
		}
		return out.Usage.CPU
	}
	for range 200 {
		run()
	}
	m := measure(b)
	for b.Loop() {
		m.begin()
		m.end(run())
	}
	m.report()
}

// meter takes the median of the time of a call, and the processor time per call
// of this process and of the worker.
type meter struct {
	b      *testing.B
	cpu    time.Duration
	worker time.Duration
	start  time.Time
	times  []time.Duration
}

func measure(b *testing.B) *meter {
	b.ReportAllocs()
	return &meter{b: b, cpu: ownCPU(), times: make([]time.Duration, 0, 1<<16)}
}

func (m *meter) begin() { m.start = time.Now() }

func (m *meter) end(worker time.Duration) {
	if len(m.times) < cap(m.times) {
		m.times = append(m.times, time.Since(m.start))
	}
	m.worker += worker
}

func (m *meter) report() {
	n := float64(m.b.N)
	m.b.ReportMetric(float64(ownCPU()-m.cpu)/n, "host-cpu-ns/op")
	if m.worker > 0 {
		m.b.ReportMetric(float64(m.worker)/n, "worker-cpu-ns/op")
	}
	slices.Sort(m.times)
	m.b.ReportMetric(float64(m.times[len(m.times)/2]), "p50-ns")
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
