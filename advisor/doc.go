// Package advisor provides middleware for a chat's model calls: retrieval, logging, a safeguard,
// masking, structured answers, or your own.
//
// An [Advisor] sees a request before the model does, and the events of the answer as they arrive.
// It may change the request, pass it on once, several times or never, and change or add events.
// [Chain] sorts advisors by their order and combines them into the middleware of a chat.Client:
//
//	chain, err := advisor.Chain(
//		advisor.Logger(nil),
//		advisor.Safeguard([]string{"password"}, nil),
//	)
//	client, err := chat.NewClient(model, &chat.ClientOptions{Middleware: chain})
//
// The package provides, in their order from the outside in, [Safeguard], [Redact], [RAG],
// [Attachments], [Logger] and [Structured]. Each has a span if ClientOptions.Telemetry is set, and its errors contain its
// name.
//
// # Once a turn, or once a round
//
// A client has two chains. ClientOptions.Middleware is outside the tool loop: its advisors see each
// turn once, with the question and the final answer, which suits retrieval.
// ClientOptions.RoundMiddleware is inside the loop: its advisors see each model call, with the tool
// results so far, which suits logging of model calls. The client itself handles the memory, outside
// both, and the tools, between them:
//
//	memory -> Middleware -> tool loop -> RoundMiddleware -> model
//
// # Writing one
//
// [Before] and [After] make an advisor from a function that inspects the request or the whole
// answer. To work on events, implement [Advisor]:
//
//	func (a *counter) Advise(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
//		return func(yield func(chat.Event, error) bool) {
//			for ev, err := range next.Handle(ctx, req) {
//				a.n.Add(1)
//				if !yield(ev, err) {
//					return
//				}
//			}
//		}
//	}
//
// An advisor must not change a request: it works on a Clone. It must be safe for concurrent use,
// because turns of different conversations run at the same time. An error or a panic ends the turn
// with an [Error] that names the advisor. Package advisortest checks all of this.
package advisor
