// Package mcphubtest helps to test clients of MCP servers.
//
// [TestTransport] tests a mcphub.Transport against the contract of its
// interface. [NewHub] makes the server that it expects at the other end.
//
// A [Peer] is a server in memory that does what a test tells it to, good or
// bad: it answers garbage, hangs, forgets its session, breaks its streams. It
// needs no socket, so tests with it run in a testing/synctest bubble too:
//
//	peer := mcphubtest.NewPeer(nil)
//	peer.On("tools/call", mcphubtest.Unauthorized(`Bearer scope="files"`))
//	session, err := peer.Transport(mcphub.TransportHTTP).Dial(ctx, nil)
package mcphubtest
