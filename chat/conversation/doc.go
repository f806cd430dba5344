// Package conversation defines the records of conversations, a store for them, and their
// export, import and fork.
//
// # Records
//
// A [Conversation] is the record of a chat without its messages. Its turns are
// [TurnRecord] values: the question and all that followed, and a [StoredToolCall] for each
// call. [TurnRecord.History] returns what a model may see of a turn: it passes
// llm.CheckHistory even if the program ended in the middle of the turn, because a call
// whose result was not stored gets a result that says so. [ToolHistory] says how the tool
// rounds of earlier turns are shown.
//
// [ConversationStatus], [TurnStatus], [MessageStatus] and [ToolCallStatus] define the
// states of conversations, turns, messages and calls, and the allowed changes.
//
// # Store
//
// [NewStore] makes a [Store] from any localpass.Persistence. chattest.TestStore checks
// your own implementation against the contract.
//
// # In and out
//
// [Export] writes a conversation as Markdown, text, HTML or JSON; [Import] reads the JSON.
// [Fork] copies a conversation, even to another provider. [Copy] writes turns that were
// made elsewhere.
package conversation
