package approval

import "context"

type pauseKey struct{}

// PauseOn returns a context in which a wait for people can be interrupted: when the
// channel that signal returns is closed, [Inbox] returns [ErrPause] and [Gate.Await]
// returns [Pending]. The request stays open, and its decision can be fetched later.
// signal is called once at the start of each wait, and must be safe for concurrent use; a
// nil channel is never closed.
func PauseOn(ctx context.Context, signal func() <-chan struct{}) context.Context {
	return context.WithValue(ctx, pauseKey{}, signal)
}

// pauseFrom returns the channel of [PauseOn]; nil if there is none.
func pauseFrom(ctx context.Context) <-chan struct{} {
	if signal, ok := ctx.Value(pauseKey{}).(func() <-chan struct{}); ok && signal != nil {
		return signal()
	}
	return nil
}
