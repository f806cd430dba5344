// Package chattest helps to test what is built on package chat: a model that
// follows a script, checkers of the order of events and deltas, and the suites that
// every chat.Model, chat.Memory and chat.Store is held against.
//
// A script is a list of steps, one for each call of the model:
//
//	model := chattest.NewModel(
//		chattest.Call("getTime", `{"zone":"Asia/Seoul"}`),
//		chattest.Say("It is nine."),
//	)
//
// The model hands its text out in small pieces, as real ones do, and remembers
// what it was asked.
package chattest
