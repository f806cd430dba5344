// Package llm is the contract between conversations and model providers, as
// database/sql/driver is for database/sql.
//
// # A model
//
// A provider implements [Model]. [Model.Generate] makes one exchange: it takes a
// [ModelRequest], with the messages, the offered tools and the [Options], and yields
// [Delta] values as they arrive: pieces of text, reasoning and tool calls, token counts,
// and one [DeltaFinish] at the end. An error is the last element. Leaving the loop or
// ending the context ends the exchange. A model neither repeats a call nor runs a tool.
//
// A [Provider] lists and makes models. A provider that is also a [Puller] can download
// them, and one that is a [ModelStore] can measure, unload and delete them.
//
// # Messages
//
// A [Message] has a role and parts in a given order: [Text], [Reasoning], [Refusal],
// [Image], [Document], [ToolCall], [ToolResult], [Card]. Messages can be stored as JSON
// and read back without loss, including parts of an unknown kind. [CheckHistory] says
// whether a list of messages can be sent to a model.
//
// # Failures
//
// A failed exchange returns an [Error] with a stable [Code], which says whether a retry
// may help. [Retrying] returns a model that retries by a [RetryPolicy]; [Failover]
// returns a model that tries several models in turn.
//
// # Size
//
// [EstimateText], [EstimateTokens], [EstimatePart] and [EstimateTool] estimate token
// counts without asking the provider. Allow for a margin of error.
package llm
