package genai_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec/secret"
)

type both struct {
	sink
	begun []genai.Event
}

func (b *both) Begin(_ context.Context, e genai.Event) { b.begun = append(b.begun, e) }

func TestSinkSeesTheTree(t *testing.T) {
	for name, tracer := range map[string]trace.TracerProvider{"no tracer": nil, "one that is off": noop.NewTracerProvider()} {
		t.Run(name, func(t *testing.T) {
			events := &both{}
			tel := &genai.Telemetry{TracerProvider: tracer, Sink: events, Redactor: secret.NewRedactor("too long", "approved")}
			began := time.Now().Add(-time.Minute)
			ctx, turn := tel.StartTurn(t.Context(), genai.Turn{ID: "t_1", Began: began})
			_, asked := tel.StartApproval(ctx, genai.Approval{Tool: "wipe", Side: "chat", Request: "ap_1"})
			asked.Answered("approved")
			asked.End(ctx, "", nil)
			within, tool := tel.StartTool(ctx, genai.Tool{Name: "wipe", Server: "files"})
			tel.Approval(within, genai.Approval{Tool: "wipe", Side: "chat", Outcome: "approved"})
			tool.End(within, "TIMEOUT", errors.New("too long"))
			turn.Lasted(time.Minute)
			turn.End(ctx, "", nil)
			turn.Note("too late", "", "")

			require.Len(t, events.begun, 3)
			require.Len(t, events.events, 3)
			approval, call, root := events.events[0], events.events[1], events.events[2]
			assert.True(t, root.TraceID.IsValid() && root.SpanID.IsValid())
			assert.False(t, root.Parent.IsValid())
			assert.Equal(t, began, root.Start)
			assert.Equal(t, time.Minute, root.Duration)
			for i, e := range []genai.Event{approval, call} {
				assert.Equal(t, root.TraceID, e.TraceID)
				assert.Equal(t, root.SpanID, e.Parent)
				assert.Equal(t, e.SpanID, events.begun[i+1].SpanID)
			}
			assert.NotEqual(t, approval.SpanID, call.SpanID)
			assert.Equal(t, "***", call.Message)
			require.Len(t, call.Notes, 1)
			assert.Equal(t, genai.EventApproval, call.Notes[0].Name)
			got := attributes(approval.Attrs)
			assert.Equal(t, "***", got[genai.KeyApproval])
			assert.Equal(t, "ap_1", got[genai.KeyApprovalRequest])
			assert.Equal(t, "files", attributes(call.Attrs)[genai.KeyMCPServer])

			_, other := tel.StartTool(t.Context(), genai.Tool{Name: "x"})
			other.End(t.Context(), "", nil)
			assert.NotEqual(t, root.TraceID, events.events[3].TraceID)
		})
	}
}

// The tree of a sink skips spans of other tracers.
func TestSinkUnderATracer(t *testing.T) {
	tel, spans, _, events := everything(t)
	ctx, turn := tel.StartTurn(t.Context(), genai.Turn{})
	foreign, span := tel.TracerProvider.Tracer("theirs").Start(ctx, "their own")
	_, tool := tel.StartTool(foreign, genai.Tool{Name: "x"})
	tool.Note("said", "text", "hunter22")
	tool.End(foreign, "", nil)
	span.End()
	turn.Lasted(-time.Second)
	turn.End(ctx, "", nil)
	assert.Equal(t, events.events[1].SpanID, events.events[0].Parent)
	assert.Equal(t, spans.Ended()[2].SpanContext().SpanID(), events.events[1].SpanID)
	assert.Equal(t, span.SpanContext().SpanID(), spans.Ended()[0].Parent().SpanID())
	assert.Equal(t, "***", events.events[0].Notes[0].Attrs[0].Value.AsString())
	assert.Equal(t, "said", spans.Ended()[0].Events()[0].Name)
	assert.Zero(t, events.events[1].Duration)

	remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, Remote: true})
	ctx, request := tel.StartRequest(trace.ContextWithSpanContext(t.Context(), remote), genai.Request{Method: "tools/call", Target: "x"})
	request.End(ctx, "", nil)
	assert.Equal(t, remote.SpanID(), events.events[2].Parent, "the program that asked")
	assert.NotContains(t, attributes(events.events[2].Attrs), genai.KeyTurnRoot, "the root is in that program")
	assert.Contains(t, attributes(events.events[1].Attrs), genai.KeyTurnRoot)
	assert.NotContains(t, attributes(events.events[0].Attrs), genai.KeyTurnRoot)
}

func TestNotesFromManyGoroutines(t *testing.T) {
	events := &both{}
	tel := &genai.Telemetry{Sink: events}
	ctx, op := tel.StartTool(t.Context(), genai.Tool{Name: "x"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { op.Note("n", "", "") })
	}
	all.Wait()
	op.End(ctx, "", nil)
	assert.Len(t, events.events[0].Notes, 8)
}

func TestOpOffIsFree(t *testing.T) {
	var tel *genai.Telemetry
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		c, op := tel.StartApproval(ctx, genai.Approval{Tool: "x"})
		op.Answered("approved")
		op.Note("n", "k", "v")
		op.Lasted(time.Second)
		op.End(c, "", nil)
	}))
}

// A string that cannot be masked is not exported, and the call continues.
func TestRedactorThatPanics(t *testing.T) {
	events := &sink{}
	tel := &genai.Telemetry{Sink: events, Redactor: secret.RedactorFunc(func() *secret.Redactor { panic("hunter22") })}
	ctx, op := tel.StartTool(t.Context(), genai.Tool{Name: "echo"})
	op.End(ctx, "TIMEOUT", errors.New("hunter22"))
	require.Len(t, events.events, 1)
	assert.NotContains(t, fmt.Sprintf("%+v", events.events), "hunter22")
	assert.Equal(t, "(withheld: it could not be masked)", events.events[0].Message)
}
