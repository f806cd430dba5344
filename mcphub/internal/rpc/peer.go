package rpc

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
)

// RawPeer is the peer of a call that an MCP client made: it passes messages of another
// server on unchanged. Only the hub implements it, so the result of Client can be
// trusted.
type RawPeer interface {
	toolspec.Peer
	// AskRaw passes a question on to the client. The error is a [ClientError] if the
	// client refuses, and matches errors.ErrUnsupported if it does not accept such
	// questions.
	AskRaw(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// SendRaw sends a message that belongs to the call. It fails once the call has
	// ended.
	SendRaw(message []byte) error
	// Client describes the client that waits for the call.
	Client() PeerClient
}

// PeerClient is the client that waits for a call.
type PeerClient struct {
	// Identity is comparable. Calls have the same identity only if they came over the
	// same session or the same pipe: a message for one of their callers may then reach
	// the other. A request without a session or pipe has an identity of its own.
	Identity any
	// Session says that the client has a session: it knows the pages of a server by an
	// id, and opens pages before it calls again.
	Session bool
	// OpensURLs says that the client declared that its user can open pages.
	OpensURLs bool
	// WantsProgress says that the call has a progress token, and Level is the level of
	// the log messages that the client wants.
	WantsProgress bool
	Level         LogLevel
	// SendLater sends a message after the call has ended. nil: nothing reaches the client
	// after the call.
	SendLater func(message []byte) error
}
