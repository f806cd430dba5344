package advisor

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// SafeguardOptions are the options of [Safeguard]. The zero value works.
type SafeguardOptions struct {
	// Refusal is the answer. The default says that the request cannot be answered.
	Refusal string
	// Order is the advisor's order. nil means [OrderSafeguard].
	Order *int
}

const defaultRefusal = "I cannot answer this request, because it contains words that are not allowed here. Please put it in other words."

// Safeguard answers with a refusal, without asking the model, if one of the words occurs
// anywhere in the texts of the request, ignoring case.
func Safeguard(words []string, opts *SafeguardOptions) Advisor {
	o := SafeguardOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Refusal == "" {
		o.Refusal = defaultRefusal
	}
	var lower []string
	for _, w := range words {
		if w = strings.ToLower(strings.TrimSpace(w)); w != "" {
			lower = append(lower, w)
		}
	}
	return New("safeguard", orderOr(o.Order, OrderSafeguard), func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		for i := range req.Messages {
			text := strings.ToLower(req.Messages[i].Text())
			for _, w := range lower {
				if strings.Contains(text, w) {
					return ShortCircuit(o.Refusal)
				}
			}
		}
		return next.Handle(ctx, req)
	})
}

// Logger logs one line for each request and one when its answer is complete, both at
// level Debug: counts, times and the finish reason, never any content. nil means
// slog.Default().
func Logger(log *slog.Logger) Advisor {
	if log == nil {
		log = slog.Default()
	}
	return New("logger", OrderLogger, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			began := time.Now()
			log.DebugContext(ctx, "chat.request", "conversation", req.Conversation.ID, "round", req.Round,
				"messages", len(req.Messages), "tools", len(req.Tools))
			events, finish := 0, llm.FinishReason("")
			var failed error
			defer func() {
				log.DebugContext(ctx, "chat.answer", "conversation", req.Conversation.ID, "round", req.Round,
					"events", events, "finish", string(finish), "duration", time.Since(began), "error", failed)
			}()
			for ev, err := range next.Handle(ctx, req) {
				failed = err
				events++
				if e, ok := ev.(*chat.RoundFinished); ok {
					finish = e.Finish
				}
				if !yield(ev, err) {
					return
				}
			}
		}
	})
}
