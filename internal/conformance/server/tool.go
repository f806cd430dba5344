package main

import (
	"context"
	"encoding/json"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// rehearsal is the result of a tool of this program while it earns its pass, because no
// client can then answer a request or receive a notification.
const rehearsal = "nobody called"

// add serves a tool without an input schema of its own: its arguments are the fields of
// In. It earns its pass with args, which must give want; if want is empty, the result
// must be rehearsal.
func add[In any](ctx context.Context, hub *mcphub.Hub, name, description string, args, want string, do func(ctx context.Context, in In, peer toolspec.Peer) (*toolspec.Result, error)) error {
	return addWith(ctx, hub, name, description, args, want, nil, do)
}

func addWith[In any](ctx context.Context, hub *mcphub.Hub, name, description string, args, want string, opts *toolspec.FuncOptions,
	do func(ctx context.Context, in In, peer toolspec.Peer) (*toolspec.Result, error)) error {
	tool, err := toolspec.Func(name, description, func(ctx context.Context, in In) (*toolspec.Result, error) {
		call := toolspec.CallFrom(ctx)
		if want == "" && call.Peer == nil {
			return toolspec.TextResult(rehearsal), nil
		}
		return do(ctx, in, call.Caller())
	}, opts)
	if err != nil {
		return err
	}
	expected := json.RawMessage(want)
	if want == "" {
		expected, _ = json.Marshal(rehearsal) // marshalling a string cannot fail
	}
	pass, err := studio.Certify(ctx, tool, []toolspec.Case{{Args: json.RawMessage(args), Want: expected}}, nil)
	if err != nil {
		return err
	}
	return hub.Add(pass)
}

type none struct{}

// addTaskTools serves the tools of the scenarios tasks-*.
func addTaskTools(_ context.Context, hub *mcphub.Hub) error {
	tools, err := taskTools()
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if err := hub.Add(tool); err != nil {
			return err
		}
	}
	return nil
}
