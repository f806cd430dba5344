package observe_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec/secret"
)

// BenchmarkSpan measures what one tool call costs its caller: without telemetry, with
// telemetry that drops everything, and with a collector.
func BenchmarkSpan(b *testing.B) {
	c, err := observe.New(nil)
	require.NoError(b, err)
	defer func() { _ = c.Close() }()
	for _, bench := range []struct {
		name string
		tel  *genai.Telemetry
	}{{"off", nil}, {"sink", &genai.Telemetry{Sink: &ends{}}}, {"collector", c.Telemetry()}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				ctx, op := bench.tel.StartTool(b.Context(), genai.Tool{Name: "hash", CallID: "c1", Conversation: "v1", Origin: genai.OriginSpec, Level: "L0"})
				op.End(ctx, "", nil)
			}
		})
	}
}

// BenchmarkTurn measures a turn of seven spans until it can be read.
func BenchmarkTurn(b *testing.B) {
	c, err := observe.New(nil)
	require.NoError(b, err)
	defer func() { _ = c.Close() }()
	b.ReportAllocs()
	for range b.N {
		turn(b.Context(), c.Telemetry(), "1", "openai", "gpt")
		if err := c.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTraces lists a full ring.
func BenchmarkTraces(b *testing.B) {
	c, err := observe.New(nil)
	require.NoError(b, err)
	defer func() { _ = c.Close() }()
	for i := range observe.DefaultTraces {
		turn(b.Context(), c.Telemetry(), fmt.Sprint(i), "openai", "gpt")
		require.NoError(b, c.Flush(b.Context()))
	}
	b.ResetTimer()
	for range b.N {
		if page := c.Traces(observe.Query{Window: time.Hour}); page.Totals.Traces != observe.DefaultTraces {
			b.Fatal(page.Totals.Traces)
		}
	}
}

// The number of allocations that the collector adds to an operation is limited.
func TestSpanAllocations(t *testing.T) {
	count := func(tel *genai.Telemetry) float64 {
		return testing.AllocsPerRun(200, func() {
			ctx, op := tel.StartTool(t.Context(), genai.Tool{Name: "hash", CallID: "c1", Level: "L0"})
			op.End(ctx, "", nil)
		})
	}
	held := make(chan struct{})
	c := collector(t, &observe.Options{Redactor: secret.RedactorFunc(func() *secret.Redactor { <-held; return nil })}) // its worker does nothing meanwhile
	defer close(held)
	tel := &genai.Telemetry{Sink: c}
	if added := count(tel) - count(&genai.Telemetry{Sink: &ends{}}); added > 6 {
		t.Errorf("the collector adds %v allocations to an operation, at most 6 are budgeted", added)
	}
}
