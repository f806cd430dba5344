// Package chat runs conversations with language models that call tools. Every turn ends with an
// answer, a clear question or a clear error, whatever the model, the tools or the network do.
//
// # A turn
//
// A [Client] asks a [llm.Model] a question and yields what happens as a [Stream] of [Event]
// values; [Collect] combines them into one [Response]:
//
//	client, err := chat.NewClient(model, &chat.ClientOptions{Store: store, Tools: hub})
//	for ev, err := range client.Stream(ctx, "", chat.UserText("What time is it in Seoul?"), nil) {
//		if e, ok := ev.(*chat.TextDelta); ok {
//			fmt.Print(e.Text)
//		}
//	}
//
// A blocking call collects the same stream, so there is only one code path. Leaving the loop,
// ending the context and [Client.Cancel] stop a turn; the part of the answer that has arrived is
// kept, and the conversation can continue.
//
// # Around the model
//
// A [Handler] answers a [Request] with a stream; the innermost handler makes a model call.
// [Middleware] wraps a handler, either for a whole turn or for each of its model calls: package
// advisor has retrieval, masking, logging and more, and shows how to write one. The order within
// a client, from the outside in:
//
//	Memory -> Middleware -> tool loop, with the Manager -> RoundMiddleware -> model
//
// # Tools
//
// A client offers tools with a pass: those of a hub or a studio, and Go functions that passed
// studio.Certify. Any other tool is offered only if [ClientOptions].Uncertified contains its
// exact name; otherwise the turn ends with [ErrUncertified].
//
// A [ToolCallingManager] runs the tool calls of a model, and is the only place where a chat runs
// tools. The default manager checks each call against the tool's schema, the limits of the
// [TurnPolicy] and an approval.Gate before it runs, and answers every call: for a call that did
// not run, the answer says why, and what to do instead. After [TurnPolicy].SoftMaxRounds batches
// the model is called without tools, so that it answers with what it has.
//
// Results of tools of other servers are treated as data: the model is informed of their origin,
// and warned about a result that reads like instructions.
//
// # When something fails
//
// A failed model call is retried if that may help, by default up to six attempts in total: see
// [llm.RetryPolicy]. [llm.Failover] tries several models in turn. A prompt that is too long for
// the model is shortened by whole turns before it is sent, and [ContextBudget] says what was
// left out. A failed tool call is reported to the model, and the turn continues. A model, tool,
// store or advisor that panics, hangs or breaks off at worst causes a [TurnFailed]; the
// conversation can continue.
//
// # What is kept
//
// A [conversation.Store] keeps conversations and turns; [conversation.NewStore] makes one from
// any localpass.Persistence. A turn is stored as it proceeds. A tool call is stored before and
// after it runs: if the program ends in between, the call is not run again, and the model is
// informed that its effect is unknown. A turn that waits for a decision can continue in another
// program: see [Client.Resume] and [Client.Recover].
//
// # The packages around it
//
// chat/llm is the contract with model providers. A provider implements [llm.Model]: one
// exchange, as a sequence of [llm.Delta] values; this package does everything else, from
// assembling messages to time limits. chat/openai is for all servers with the OpenAI API (Chat
// Completions or Responses), and chat/ollama is for Ollama servers. chat/demo needs no server:
// it follows fixed rules, and says so.
//
// chat/conversation stores, exports and forks conversations. chat/prompt has templates and
// presets. chat/chatapi serves all of this over HTTP, with turns that continue when their
// readers disconnect; approval/approvalapi accepts the decisions about calls. chat/chattest has
// a scripted model for tests, and the suites for your own stores, memories and models.
package chat
