package genai

import (
	"context"
	"time"

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
	KeyApproval = "localpass.approval.outcome"
	// KeyApprovalBecause is which grant, policy or decision let a call run, on the
	// span of the call.
	KeyApprovalBecause = "localpass.approval.because"
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

// StartApproval begins "approval {tool}", the time in which people are asked about
// a call. It is not a part of the call's own operation, whose duration has no waiting.
// [Op.Answered] adds the outcome before the end.
func (t *Telemetry) StartApproval(ctx context.Context, a Approval) (context.Context, *Op) {
	if !t.Enabled() {
		return ctx, nil
	}
	attrs := append(make([]attribute.KeyValue, 0, 5), attribute.String(KeyToolName, t.redact(a.Tool)), attribute.String(KeyApprovalSide, a.Side))
	attrs = appendText(attrs, KeyApprovalRequest, a.Request)
	return t.start(ctx, Event{Name: "approval " + t.redact(a.Tool), Operation: "approval", Attrs: attrs}, trace.SpanKindInternal, nil, 0)
}

// Answered notes how people decided, in the words of [Approval.Outcome] or those
// of a gate.
func (o *Op) Answered(outcome string) { o.Set(KeyApproval, outcome) }

// Approval counts one answer and notes it on the span in ctx.
func (t *Telemetry) Approval(ctx context.Context, a Approval) {
	if t == nil || t.MeterProvider == nil && t.TracerProvider == nil && t.Sink == nil {
		return
	}
	outcome, side := attribute.String(KeyApprovalOutcome, a.Outcome), attribute.String(KeyApprovalSide, a.Side)
	if t.TracerProvider != nil || t.Sink != nil {
		attrs := append(make([]attribute.KeyValue, 0, 4), outcome, side, attribute.String(KeyToolName, t.redact(a.Tool)))
		attrs = appendText(attrs, KeyApprovalRequest, a.Request)
		if t.TracerProvider != nil {
			trace.SpanFromContext(ctx).AddEvent(EventApproval, trace.WithAttributes(attrs...))
		}
		current(ctx).keep(Note{Time: time.Now(), Name: EventApproval, Attrs: attrs})
	}
	if t.MeterProvider == nil {
		return
	}
	if c := t.instruments().approval; c != nil {
		c.Add(ctx, 1, metric.WithAttributes(outcome, side))
	}
}
