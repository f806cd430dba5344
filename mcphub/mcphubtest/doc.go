// Package mcphubtest helps to test clients of MCP servers.
//
// [TestTransport] tests a mcphub.Transport against the contract of its interface.
// [NewHub] makes the hub that it expects at the other end.
//
// A [Peer] is an in-memory server that behaves as a test specifies, correctly or not: it
// can answer garbage, hang, forget its session or break its streams. It needs no socket,
// so tests with it can also run in a testing/synctest bubble:
//
//	peer := mcphubtest.NewPeer(nil)
//	peer.On("tools/call", mcphubtest.Unauthorized(`Bearer scope="files"`))
//	session, err := peer.Transport(mcphub.TransportHTTP).Dial(ctx, nil)
package mcphubtest
