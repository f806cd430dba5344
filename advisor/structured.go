package advisor

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/schema"
)

// StructuredOptions are the options of [Structured]. The zero value works.
type StructuredOptions struct {
	// Order is the advisor's order. nil means [OrderStructured].
	Order *int
	// Tries is the total number of attempts to get a valid answer. Default 4.
	Tries int
	// Check checks an answer that matches the schema, for rules that a schema cannot
	// express. The text of its error is sent to the model, which then answers again. nil:
	// only the schema is checked. It is called concurrently by different turns.
	Check func(ctx context.Context, answer json.RawMessage) error
}

// Structured requests answers in JSON, and requests another one if an answer does not
// match. The text is streamed as the model writes it: a chat.StructuredInvalid reports an
// answer that does not match, and a chat.ModelRetry withdraws it. After the last attempt
// the turn ends with an error with code llm.CodeStructured.
//
// A request with its own format keeps it. The check takes place at the model call, in
// chat.Structured, whatever the position of the advisor, so that rounds with tool calls
// are not affected. It needs an inner chat.Client.
func Structured(format llm.OutputFormat, opts *StructuredOptions) (Advisor, error) {
	o := StructuredOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Tries < 0 {
		return nil, fmt.Errorf("advisor: StructuredOptions.Tries is %d: it must not be negative: %w", o.Tries, llm.ErrInvalid)
	}
	if len(format.Schema) > 0 {
		if _, err := schema.Compile(format.Schema); err != nil {
			return nil, fmt.Errorf("advisor: the schema of the answers: %w: %w", llm.ErrInvalid, err)
		}
	}
	inner := &chat.StructuredOptions{Tries: o.Tries}
	if o.Check != nil {
		inner.Check = func(ctx context.Context, answer json.RawMessage) (err error) {
			defer func() { // a panic of a check is an error that names the check
				if v := recover(); v != nil {
					err = &chat.PanicError{Name: "the check of advisor structured", Value: v}
				}
			}()
			return o.Check(ctx, answer)
		}
	}
	return New("structured", orderOr(o.Order, OrderStructured), func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		if req.Format != nil {
			return next.Handle(ctx, req)
		}
		return next.Handle(ctx, chat.Structured(req, &format, inner))
	}), nil
}
