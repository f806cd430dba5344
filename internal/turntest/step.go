package turntest

import (
	"context"
	"time"

	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

// Wait is a step in which a model says nothing for a time.
func Wait(d time.Duration) chattest.Step {
	return func(ctx context.Context, _ *llm.ModelRequest, _ func(llm.Delta) bool) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// WaitFor is a step in which a model says nothing until a channel is closed.
func WaitFor(closed <-chan struct{}) chattest.Step {
	return func(ctx context.Context, _ *llm.ModelRequest, _ func(llm.Delta) bool) error {
		select {
		case <-closed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
