package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
)

// step is the pause of the tools of this file between two messages.
const step = 50 * time.Millisecond

// able returns err, or nil if err says that the caller does not accept such a message.
func able(err error) error {
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// addPeerTools serves the tools that send messages to their caller while they run.
func addPeerTools(ctx context.Context, hub *mcphub.Hub) error {
	logs := func(ctx context.Context, _ none, peer toolspec.Peer) (*toolspec.Result, error) {
		for i, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if i > 0 {
				if err := clock.Sleep(ctx, step); err != nil {
					return nil, err
				}
			}
			data, _ := json.Marshal(text) // marshalling a string cannot fail
			if err := able(peer.Log(ctx, toolspec.LogMessage{Level: "info", Logger: "conformance", Data: data})); err != nil {
				return nil, err
			}
		}
		return toolspec.TextResult("Tool with logging executed successfully"), nil
	}
	return errors.Join(
		add(ctx, hub, "test_tool_with_logging", "Sends log messages while it runs.", `{}`, "", logs),
		add(ctx, hub, "test_logging_tool", "Sends log messages to who asks for them.", `{}`, "", logs),
		add(ctx, hub, "test_tool_with_progress", "Tells how far it is.", `{}`, "", func(ctx context.Context, _ none, peer toolspec.Peer) (*toolspec.Result, error) {
			for i, done := range []float64{0, 50, 100} {
				if i > 0 {
					if err := clock.Sleep(ctx, step); err != nil {
						return nil, err
					}
				}
				if err := able(peer.Progress(ctx, toolspec.Progress{Done: done, Total: 100})); err != nil {
					return nil, err
				}
			}
			return toolspec.TextResult("Tool with progress executed successfully"), nil
		}),
		add(ctx, hub, "test_reconnection", "Has its caller come back for the result.", `{}`, "", func(ctx context.Context, _ none, peer toolspec.Peer) (*toolspec.Result, error) {
			if err := able(toolspec.Detach(ctx, peer)); err != nil {
				return nil, err
			}
			if err := clock.Sleep(ctx, 2*step); err != nil {
				return nil, err
			}
			return toolspec.TextResult("Reconnection test completed successfully"), nil
		}),
	)
}
