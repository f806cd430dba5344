package genai

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Names of the approval of calls.
const (
	// MetricApproval counts the answers to the question whether a call may run.
	MetricApproval = "mcp.hitl.decision"
	// EventApproval is the event that an answer puts on the span of the call.
	EventApproval = "hitl.decision"

	// KeyApproval is how a call came to run, on the span of the call.
	KeyApproval        = "localpass.approval.outcome"
	KeyApprovalOutcome = "outcome"
	KeyApprovalSide    = "side"
	KeyApprovalRequest = "localpass.approval.request"
)

// Approval describes one answer to the question whether a call may run.
type Approval struct {
	Tool    string
	Side    string // "chat", "server" or "studio"
	Outcome string // "approved", "declined", "denied", "elicit-failed" or "ask-failed"
	Request string // the id of the question, if there was one
}

// Approval counts one answer and notes it on the span in ctx.
func (t *Telemetry) Approval(ctx context.Context, a Approval) {
	if t == nil || t.Meter == nil && t.Tracer == nil {
		return
	}
	outcome, side := attribute.String(KeyApprovalOutcome, a.Outcome), attribute.String(KeyApprovalSide, a.Side)
	if t.Tracer != nil {
		attrs := append(make([]attribute.KeyValue, 0, 4), outcome, side, attribute.String(KeyToolName, t.redact(a.Tool)))
		trace.SpanFromContext(ctx).AddEvent(EventApproval, trace.WithAttributes(appendText(attrs, KeyApprovalRequest, a.Request)...))
	}
	if t.Meter == nil {
		return
	}
	if c := t.instruments().approval; c != nil {
		c.Add(ctx, 1, metric.WithAttributes(outcome, side))
	}
}
