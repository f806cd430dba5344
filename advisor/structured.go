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
	// Order is the advisor's place. nil is [OrderStructured].
	Order *int
	// Tries is how often the model is asked for an answer, in all. Default 4.
	Tries int
	// Check checks an answer that matches the schema, for rules that a schema cannot
	// express. The text of its error is sent to the model, which then answers again.
	// nil: the schema is all. It is called by different turns at the same time.
	Check func(ctx context.Context, answer json.RawMessage) error
}

// Structured asks for answers in JSON, and for another one where an answer does not
// match. The text comes as it is written: an answer that does not match is reported by
// a chat.StructuredInvalid and withdrawn by a chat.ModelRetry. After the last try the
// turn ends with an error of chat.CodeStructured.
//
// A request that has a format of its own keeps it. The work is done at the model
// call, by chat.Structured: it needs an inner chat.Client, and applies at any position
// of the advisor, so that the rounds that ask for tools are left alone.
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
			defer func() { // a check that panics has failed, and is named
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
