// Package chatapi serves a chat client over HTTP: conversations, turns and their events,
// models and presets.
//
// [New] makes an [API] of a chat.Client that has a store. It is an http.Handler, and
// [API.Mount] puts its routes on a mux beside others. [API.OpenAPI] describes them.
//
// A turn does not end with the request that began it: it continues when its reader is
// gone, several may read it, and a reader that comes back continues from the number of
// the last event that it has. [OnDisconnect] says what happens to a turn that is not
// read any more. The same events are served in the form of the OpenAI Responses API,
// for clients that speak that.
//
// A conversation belongs to the principal that began it; for any other principal it does
// not exist. Without Options.Authorize only connections on loopback addresses are served.
//
// Decisions about calls are not made here: approval/approvalapi takes them. A turn that
// waits continues by itself when the decision is there, also after a restart where
// Options.Approvals is set.
package chatapi
