package approval

import (
	"context"

	"github.com/localpass/localpass/toolspec"
)

// WithPeer is how a gate hands the peer of a call to an approver.
func WithPeer(ctx context.Context, peer toolspec.Peer) context.Context { return withPeer(ctx, peer) }
