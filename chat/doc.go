// Package chat holds conversations with language models that call tools, and ends
// every turn well: with an answer, a clear question or a clear error, whatever the
// model, the tools or the network do.
//
// # A turn
//
// A [Client] puts a question to a [llm.Model] and yields what happens as a [Stream] of
// [Event] values; [Collect] makes one [Response] of them:
//
//	client, err := chat.NewClient(model, &chat.ClientOptions{Store: store, Tools: hub})
//	for ev, err := range client.Stream(ctx, "", chat.UserText("What time is it in Seoul?"), nil) {
//		if e, ok := ev.(*chat.TextDelta); ok {
//			fmt.Print(e.Text)
//		}
//	}
//
// A blocking call is the stream, collected: there is one way through the code.
// Breaking off the loop, ending the context and [Client.Cancel] stop a turn; what was
// said until then is kept, and the conversation can continue.
//
// # Around the model
//
// A [Handler] answers a [Request] with a stream; the innermost makes a model call.
// [Middleware] wraps it, around a turn or around each of its model calls: package
// advisor has retrieval, masking, logging and more, and shows how to write one. A
// client has one of each, from the outside in:
//
//	Memory -> Middleware -> tool loop, with the Manager -> RoundMiddleware -> model
//
// # Tools
//
// A client offers tools that hold a pass: those of a hub, of a studio, and Go functions
// that studio.Certify passed. Another tool is offered only when
// [ClientOptions].Uncertified has its exact name; a turn with one that is not listed
// ends with [ErrUncertified].
//
// A [ToolCallingManager] runs what a model asks for, and is the only place where a
// chat runs tools. The default one holds each call against the tool's schema, the
// limits of the [TurnPolicy] and an approval.Gate before it runs, and answers every
// call: a call that did not run is answered by why, and what to do instead. After
// [TurnPolicy].SoftMaxRounds batches the model is asked without tools, so that it
// gives a real answer.
//
// What a tool of another server gives is data: the model is told whose it is, and is
// warned of a result that reads like instructions to it.
//
// # When something fails
//
// A call of a model that failed is made again where that may help, up to four times
// in all: see [llm.RetryPolicy]. [llm.Failover] asks the next of several models. A prompt
// that is longer than what the model takes is shortened before it is sent, in whole
// turns, and [ContextBudget] says what was left out. A call of a tool that fails is
// reported to the model, and the turn continues. A model, tool, store or advisor that
// panics, hangs or breaks off causes a [TurnFailed] at worst; the conversation can
// continue.
//
// # What is kept
//
// A [conversation.Store] keeps conversations and turns; [conversation.NewStore] makes one
// of any localpass.Persistence. A turn is written as it goes. A call is written down
// before it runs and after it ran: when the program ends in between, it is not run
// again, and the model is told that its effect is not known. A turn that waits for a
// decision can continue in another program: see [Client.Resume] and [Client.Recover].
//
// # The packages around it
//
// chat/llm is the contract with model providers. A provider implements [llm.Model]: one
// exchange, as a sequence of [llm.Delta] values; everything else, from the assembling of
// messages to time limits, is done here. chat/openai speaks to every server of that
// protocol, by Chat Completions or Responses, and chat/ollama to an Ollama server.
// chat/demo needs no server: it follows rules, and says so.
//
// chat/conversation keeps, exports and forks conversations. chat/prompt has templates and
// presets. chat/chatapi serves all of it over HTTP, with turns that do not end with their
// readers; approval/approvalapi takes the
// decisions about calls. chat/chattest has a model that
// follows a script, for tests, and the suites that stores, memories and models of one's
// own must pass.
package chat
