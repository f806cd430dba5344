package rpc

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
)

// RawPeer is the peer of a call that a client of MCP made: it passes messages of
// another server on as they are written. The hub is the only one to implement it, so
// that Client can be trusted.
type RawPeer interface {
	toolspec.Peer
	// AskRaw passes a question on to the client. The error is a [ClientError] when the
	// client refuses, and an errors.ErrUnsupported when it takes no such question.
	AskRaw(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// SendRaw sends a message that belongs to the call. It fails once the call has
	// ended.
	SendRaw(message []byte) error
	// Client describes the client that waits for the call.
	Client() PeerClient
}

// PeerClient is the client that waits for a call.
type PeerClient struct {
	// Identity is comparable. Calls have the same one only if they came over the same
	// session or the same pipe: what is meant for one of their callers may then reach
	// the other. A request without either shares its identity with no other.
	Identity any
	// Session says that the client has a session: it knows a page that a server has it
	// open by an id, and opens pages before it calls again.
	Session bool
	// OpensURLs says that the client declared that a person can open pages there.
	OpensURLs bool
	// WantsProgress says that the call has a progress token, and Level which messages
	// of a log the client wants.
	WantsProgress bool
	Level         LogLevel
	// SendLater sends a message after the call has ended. nil: nothing reaches the
	// client then.
	SendLater func(message []byte) error
}
