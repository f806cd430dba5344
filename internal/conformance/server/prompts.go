package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
)

// says returns a prompt of one message.
func says(text string) mcphub.PromptFunc { return shows(toolspec.Text(text)) }

// shows returns a prompt of one message for each piece of content.
func shows(content ...toolspec.Content) mcphub.PromptFunc {
	return func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
		result := &mcphub.PromptResult{}
		for _, c := range content {
			result.Messages = append(result.Messages, toolspec.SampleMessage{Role: "user", Content: c})
		}
		return result, nil
	}
}

// addPrompts serves the prompts of the scenarios prompts-*.
func addPrompts(_ context.Context, hub *mcphub.Hub) error {
	return errors.Join(
		hub.AddPrompt(mcphub.Prompt{Name: "test_simple_prompt", Description: "A prompt without arguments."}, says("This is a simple prompt for testing.")),
		hub.AddPrompt(mcphub.Prompt{Name: "test_prompt_with_arguments", Description: "A prompt with arguments.", Arguments: []mcphub.PromptArgument{
			{Name: "arg1", Description: "First test argument", Required: true, Complete: mcphub.CompleteFrom("paris", "park", "party", "test value")},
			{Name: "arg2", Description: "Second test argument", Required: true},
		}}, func(ctx context.Context, req *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
			return says(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", req.Arguments["arg1"], req.Arguments["arg2"]))(ctx, req)
		}),
		hub.AddPrompt(mcphub.Prompt{Name: "test_prompt_with_embedded_resource", Description: "A prompt with a resource.", Arguments: []mcphub.PromptArgument{
			{Name: "resourceUri", Description: "URI of the resource to embed", Required: true},
		}}, func(ctx context.Context, req *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
			return shows(toolspec.TextResource(req.Arguments["resourceUri"], "text/plain", "Embedded resource content for testing."),
				toolspec.Text("Please process the embedded resource above."))(ctx, req)
		}),
		hub.AddPrompt(mcphub.Prompt{Name: "test_input_required_result_prompt", Description: "A prompt that asks its caller."},
			func(ctx context.Context, req *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
				answer, err := req.Peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "What context should the prompt use?",
					Schema: json.RawMessage(`{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)})
				if err != nil {
					return nil, err
				}
				return says("In this context: "+content(answer))(ctx, req)
			}),
		hub.AddPrompt(mcphub.Prompt{Name: "test_prompt_with_image", Description: "A prompt with an image."},
			shows(toolspec.Image(pixel, "image/png"), toolspec.Text("Please analyze the image above."))),
	)
}
