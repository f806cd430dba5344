// Package rpc reads and writes the JSON-RPC messages of MCP, for both sides of the
// protocol: parsed messages ([Message]), the Append functions (which write JSON by hand
// because every call uses them), the methods, codes and keys, and the clock of a call
// ([CallClock]), which is stopped while a person is asked.
package rpc
