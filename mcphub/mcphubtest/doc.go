// Package mcphubtest helps to test what speaks to MCP servers.
//
// [TestTransport] holds a mcphub.Transport against what its interface promises.
// [NewHub] makes the server that it wants to find at the other end.
//
// A [Peer] is a server in memory that does what a test tells it to, good or
// bad: it answers garbage, hangs, forgets its session, breaks its streams. It
// needs no socket, so tests with it run in a testing/synctest bubble too:
//
//	peer := mcphubtest.NewPeer(nil)
//	peer.On("tools/call", mcphubtest.Unauthorized(`Bearer scope="files"`))
//	session, err := peer.Transport(mcphub.TransportHTTP).Dial(ctx, nil)
package mcphubtest
