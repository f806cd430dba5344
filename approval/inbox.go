package approval

import (
	"context"
	"time"
)

// Inbox returns an approver that does not ask a person itself: people find the question
// at the [Broker], such as in a web page over approvalapi, and decide there. It waits
// for them until the question's time is up, or for at most pauseAfter when that is not
// 0, after which the call is [Pending]; negative is at once. A context of [PauseOn] can
// end the wait in the same way.
func Inbox(pauseAfter time.Duration) Approver {
	return ApproverFunc(func(ctx context.Context, _ []Request) ([]Decision, error) {
		var over <-chan time.Time // never, for 0
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
