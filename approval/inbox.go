package approval

import (
	"context"
	"time"
)

// Inbox returns an approver that does not ask a person itself: people find the request
// through the [Broker], for example in a web page that uses approvalapi, and decide
// there. It waits until the request's deadline, or, if pauseAfter is not 0, for at most
// pauseAfter, after which the call is [Pending]; a negative value means at once. A
// context of [PauseOn] can end the wait in the same way.
func Inbox(pauseAfter time.Duration) Approver {
	return ApproverFunc(func(ctx context.Context, _ []Request) ([]Decision, error) {
		var over <-chan time.Time // 0: never
		if pauseAfter != 0 {
			timer := time.NewTimer(pauseAfter)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-over:
		case <-pauseFrom(ctx):
		}
		return nil, ErrPause
	})
}
