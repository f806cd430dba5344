package main

import (
	"context"
	"errors"
	"sync"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
)

// addStateTools serves the tools that change what is served.
func addStateTools(ctx context.Context, hub *mcphub.Hub) error {
	var mu sync.Mutex
	var tool, prompt bool
	toggle := func(there *bool, put func() error, remove func() error) func(context.Context, none, toolspec.Peer) (*toolspec.Result, error) {
		return func(context.Context, none, toolspec.Peer) (*toolspec.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			change := put
			if *there {
				change = remove
			}
			if err := change(); err != nil {
				return nil, err
			}
			*there = !*there
			return toolspec.TextResult("changed"), nil
		}
	}
	const toolName, promptName = "test_dynamic_tool", "test_dynamic_prompt"
	return errors.Join(
		add(ctx, hub, "test_trigger_tool_change", "Adds a tool, or removes it again.", `{}`, "", toggle(&tool, func() error {
			return add(ctx, hub, toolName, "Comes and goes.", `{}`, `"here"`, func(context.Context, none, toolspec.Peer) (*toolspec.Result, error) {
				return toolspec.TextResult("here"), nil
			})
		}, func() error { return hub.Remove(toolName) })),
		add(ctx, hub, "test_trigger_prompt_change", "Adds a prompt, or removes it again.", `{}`, "", toggle(&prompt, func() error {
			return hub.AddPrompt(mcphub.Prompt{Name: promptName, Description: "Comes and goes."}, says("here"))
		}, func() error { return hub.RemovePrompt(promptName) })),
	)
}
