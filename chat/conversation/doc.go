// Package conversation keeps conversations: their records, a store for them, and their
// export, import and fork.
//
// # Records
//
// A [Conversation] is what is known of a chat beside its messages. Its turns are
// [TurnRecord] values: the question and all that followed, and a [StoredToolCall] for
// each call. [TurnRecord.History] is what a model may see of a turn: it passes
// llm.CheckHistory also where the program ended in the middle of the turn, because a call
// whose result was not stored has one that says so. [ToolHistory] says how tool rounds
// of earlier turns are shown.
//
// The states of conversations, turns, messages and calls, and which may follow which, are
// [ConversationStatus], [TurnStatus], [MessageStatus] and [ToolCallStatus].
//
// # Store
//
// [NewStore] makes a [Store] of any localpass.Persistence. An implementation of one's own
// is checked against its contract by chattest.TestStore.
//
// # In and out
//
// [Export] writes a conversation as Markdown, text, HTML or JSON; [Import] reads the JSON.
// [Fork] copies a conversation, also for another provider. [Copy] writes turns that were
// made elsewhere.
package conversation
