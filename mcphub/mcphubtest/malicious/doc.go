// Package malicious holds MCP servers that attack their clients, so that a client can be tested
// against them. Each [Attack] is one server. It speaks both forms of the protocol, sessions up
// to 2025-11-25 and independent requests since 2026-07-28, and it records which calls reached
// a tool ([Server.Log]).
//
// In the same process, without a socket:
//
//	server, err := malicious.New(malicious.RugPull, nil)
//	...
//	session, err := server.Transport(client.TransportHTTP).Dial(ctx, nil)
//
// Over HTTP, a [Server] is an http.Handler. Over stdio, or for a client in another language,
// there is a program:
//
//	go run github.com/localpass/localpass/mcphub/mcphubtest/malicious/maliciousserver -list
//	go run github.com/localpass/localpass/mcphub/mcphubtest/malicious/maliciousserver -attack rug-pull -log calls.txt
//
// A client holds against an attack if what a person has not approved never reaches a tool, if
// what it shows to a model is what was approved, and if every wait and every list has an end.
// The tests of this package apply that to the hub of package mcphub.
//
// The attacks harm nothing by themselves: no server reads files, starts programs or opens
// connections. The texts of the poisoned tools are orders to a model, so do not connect a real
// assistant to them.
package malicious
