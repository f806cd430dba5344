// Package turntest contains what the tests of chat, chat/chatapi and advisor share: short
// ways to make clients, stores, gates and tools, doubles of stores and memories that
// fail, and functions that find things in the events of a turn. chat/chattest has the
// scripted model.
package turntest
