// Package llm is the contract between conversations and model providers: what
// database/sql/driver is to database/sql.
//
// # A model
//
// A provider implements [Model]. [Model.Generate] makes one exchange: it gets a
// [ModelRequest], which is the messages, the tools that are offered and the
// [Options], and yields [Delta] values as they arrive: pieces of text, of reasoning and
// of tool calls, token counts, and one [DeltaFinish] at the end. An error is the last
// element. Breaking off the loop, or ending the context, ends the exchange. A model
// neither repeats a call nor runs a tool.
//
// A [Provider] lists and makes models; one that is also a [Puller] fetches them.
//
// # Messages
//
// A [Message] has a role and parts in a given order: [Text], [Reasoning], [Refusal],
// [Image], [Document], [ToolCall], [ToolResult], [Card]. Messages are JSON and survive
// the way to a store and back, parts of an unknown kind included. [CheckHistory] says
// whether a list of messages can be sent to a model.
//
// # Failures
//
// A failed exchange is an [Error] with a stable [Code], which says whether another try
// may help. [Retrying] makes another try by a [RetryPolicy]; [Failover] asks the next of
// several models. Both are models again.
//
// # Size
//
// [EstimateText], [EstimateTokens], [EstimatePart] and [EstimateTool] estimate tokens
// without asking the provider. Keep a margin.
package llm
