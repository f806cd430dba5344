package hubtest

import (
	"context"
	"errors"

	"github.com/localpass/localpass/toolspec"
)

// ProgressPeer is the peer of a caller, and keeps the progress that it receives.
type ProgressPeer struct {
	toolspec.Peer
	Told []toolspec.Progress
}

// Progress keeps the progress, and reports that the caller accepts none.
func (p *ProgressPeer) Progress(_ context.Context, progress toolspec.Progress) error {
	p.Told = append(p.Told, progress)
	return errors.ErrUnsupported
}
