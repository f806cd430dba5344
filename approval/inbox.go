package approval

import (
	"context"
	"time"
)

// Inbox returns an approver that asks nobody itself: people find the question at
// the [Broker], such as in a web page over [API], and answer there. It waits for
// them until the question's time is up, or for at most pauseAfter when that is
// not 0, after which the call is [Pending]; negative is at once.
func Inbox(pauseAfter time.Duration) Approver {
	return ApproverFunc(func(ctx context.Context, _ []Request) ([]Decision, error) {
		if pauseAfter == 0 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		timer := time.NewTimer(pauseAfter)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, ErrPause
		}
	})
}
