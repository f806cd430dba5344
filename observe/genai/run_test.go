package genai_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"

	"github.com/localpass/localpass/observe/genai"
)

type runSink struct{ events []genai.Event }

func (s *runSink) Observe(_ context.Context, e genai.Event) { s.events = append(s.events, e) }

// The spans of a test run have its id, and other spans have none.
func TestWithRun(t *testing.T) {
	sink := &runSink{}
	tel := &genai.Telemetry{Sink: sink}
	for _, ctx := range []context.Context{genai.WithRun(t.Context(), "r1"), t.Context()} {
		ctx, pass := tel.StartPass(ctx, "t")
		_, box := tel.StartSandbox(ctx, genai.Sandbox{Name: "t"})
		box.End(ctx, "", nil)
		pass.End(ctx, "", nil)
	}
	var got []string
	for _, e := range sink.events {
		set := attribute.NewSet(e.Attrs...)
		v, _ := set.Value(genai.KeyRunID)
		got = append(got, v.AsString())
	}
	assert.Equal(t, []string{"r1", "r1", "", ""}, got)
}
