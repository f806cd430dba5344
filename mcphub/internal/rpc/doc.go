// Package rpc reads and writes the JSON-RPC messages of MCP, for both sides of the
// protocol: a message taken apart ([Message]), what is appended to one (the Append
// functions write JSON by hand, since they are on the path of every call), the
// methods, codes and keys, and the clock of a call ([CallClock]), which is stopped
// while a person is asked.
package rpc
