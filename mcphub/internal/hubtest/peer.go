package hubtest

import (
	"context"
	"errors"

	"github.com/localpass/localpass/toolspec"
)

// ProgressPeer is the peer of a caller that keeps the progress it is told.
type ProgressPeer struct {
	toolspec.Peer
	Told []toolspec.Progress
}

// Progress keeps it, and says that the caller takes none.
func (p *ProgressPeer) Progress(_ context.Context, progress toolspec.Progress) error {
	p.Told = append(p.Told, progress)
	return errors.ErrUnsupported
}
