// Package advisor puts middleware around a chat's model calls: retrieval, logging, a
// safeguard, masking, structured answers, or one's own.
//
// An [Advisor] sees a request on its way down and the events of the answer on
// their way back, as they come. It may change the request, hand it on once, many
// times or never, and change or add events. [Chain] puts advisors into the order
// of their numbers and makes the middleware of them that a chat.Client takes:
//
//	chain, err := advisor.Chain(
//		advisor.Logger(nil),
//		advisor.Safeguard([]string{"password"}, nil),
//	)
//	client, err := chat.NewClient(model, &chat.ClientOptions{Middleware: chain})
//
// Ready-made are [Safeguard], [Redact], [RAG], [Logger] and [Structured], which is
// their order from the outside in. Each has a span where ClientOptions.Telemetry is
// set, and says what goes wrong in it by name.
//
// # Once a turn, or once a round
//
// A client takes two chains. ClientOptions.Middleware is around the tool loop: its
// advisors see each turn once, with the question and the final answer, as retrieval
// wants it. ClientOptions.RoundMiddleware is within the loop: its advisors see each
// model call, with the results of the tools so far, as a log of model calls wants it.
// The client itself remembers, outside of both, and runs the tools, between them:
//
//	memory -> Middleware -> tool loop -> RoundMiddleware -> model
//
// # Writing one
//
// [Before] and [After] make an advisor of a function that inspects the request, or at
// the whole answer. One that works on events implements [Advisor]:
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
// A request is not to be changed: work on its Clone. Advisors are safe for
// concurrent use, because turns of different conversations run at the same time.
// An error, or a panic, ends the turn with an [Error] that names the advisor.
// Package advisortest holds an advisor against all of this.
package advisor
