package genai_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/observe/genai"
)

// The trace of a call can be found with the trace id in its context.
func TestTraceID(t *testing.T) {
	assert.Empty(t, genai.TraceID(t.Context()))
	var s sink
	ctx, op := (&genai.Telemetry{Sink: &s}).StartRequest(t.Context(), genai.Request{Method: "tools/call"})
	id := genai.TraceID(context.WithoutCancel(ctx))
	op.End(ctx, "", nil)
	require.Len(t, s.events, 1)
	assert.Equal(t, s.events[0].TraceID.String(), id)
	ctx, op = (&genai.Telemetry{}).StartRequest(t.Context(), genai.Request{Method: "tools/call"})
	assert.Empty(t, genai.TraceID(ctx), "the value is not kept")
	op.End(ctx, "", nil)
}
