package ollama_test

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkStream reads an answer of 1,000 frames.
func BenchmarkStream(b *testing.B) {
	const n = 1000
	piece := `{"model":"qwen3.5:4b","created_at":"2026-01-01T00:00:00.123456789Z","message":{"role":"assistant","content":" word"},"done":false}` + "\n"
	body := strings.Repeat(piece, n) + bye + "\n"
	m := offline(b, func() io.ReadCloser { return io.NopCloser(strings.NewReader(body)) })
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Generate(b.Context(), question()) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/piece")
}
