package advisor

import (
	"context"
	"errors"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/observe/genai"
)

// traced wraps the call of an advisor, including the inner handlers, in a span. It costs
// nothing without telemetry.
func traced(a Advisor, h chat.Handler) chat.Handler {
	return chat.HandlerFunc(func(ctx context.Context, req *chat.Request) chat.Stream {
		if !req.Telemetry.Enabled() {
			return h.Handle(ctx, req)
		}
		return func(yield func(chat.Event, error) bool) {
			ctx, op := req.Telemetry.StartAdvisor(ctx, genai.Advisor{Name: a.Name(), Order: a.Order(), Conversation: req.Conversation.ID})
			var failed error
			whole := false
			defer func() { endSpan(ctx, op, failed, whole) }()
			for ev, err := range h.Handle(ctx, req) {
				failed = err
				if !yield(ev, err) {
					return
				}
			}
			whole = true
		}
	})
}

// endSpan ends the span of an advisor. A stream that was not read to its end counts as
// stopped; waiting for the user is not a failure.
func endSpan(ctx context.Context, op *genai.Op, failed error, whole bool) {
	kind := ""
	var pause *chat.PauseError
	var known *llm.Error
	switch {
	case errors.As(failed, &pause):
		failed = nil
	case errors.As(failed, &known):
		kind = string(known.Code)
	case failed == nil && !whole, errors.Is(failed, context.Canceled):
		kind = "cancelled"
	case errors.Is(failed, context.DeadlineExceeded):
		kind = "timeout"
	case failed != nil:
		kind = string(llm.CodeOf(failed))
	}
	op.End(ctx, kind, failed)
}
