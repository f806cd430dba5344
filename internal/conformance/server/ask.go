package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
)

const (
	contactForm = `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`
	defaultsForm = `{"type":"object","properties":{
		"name":{"type":"string","description":"User name","default":"John Doe"},
		"age":{"type":"integer","description":"User age","default":30},
		"score":{"type":"number","description":"User score","default":95.5},
		"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]}`
	enumsForm = `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},
		"required":[]}`
)

// addAskingTools serves the tools that send requests to their caller.
func addAskingTools(ctx context.Context, hub *mcphub.Hub) error {
	type samplingIn struct {
		Prompt string `json:"prompt" jsonschema:"the prompt for the caller's model"`
	}
	type messageIn struct {
		Message string `json:"message" jsonschema:"what the person is asked"`
	}
	complete := func(ctx context.Context, peer toolspec.Peer, prompt string) (*toolspec.Result, error) {
		answer, err := peer.Sample(ctx, &toolspec.SampleRequest{MaxTokens: 100, Messages: []toolspec.SampleMessage{{Role: "user", Content: toolspec.Text(prompt)}}})
		if err != nil {
			return nil, err
		}
		return toolspec.TextResult("LLM response: " + answer.Content.Text), nil
	}
	asks := func(name, description, message, form string) error {
		return add(ctx, hub, name, description, `{}`, "", func(ctx context.Context, _ none, peer toolspec.Peer) (*toolspec.Result, error) {
			answer, err := peer.Elicit(ctx, &toolspec.ElicitRequest{Message: message, Schema: json.RawMessage(form)})
			if err != nil {
				return nil, err
			}
			return toolspec.TextResult(fmt.Sprintf("Elicitation completed: action=%s, content=%s", answer.Action, content(answer))), nil
		})
	}
	return errors.Join(
		add(ctx, hub, "test_sampling", "Asks the caller's model.", `{"prompt":"Hello"}`, "", func(ctx context.Context, in samplingIn, peer toolspec.Peer) (*toolspec.Result, error) {
			return complete(ctx, peer, in.Prompt)
		}),
		add(ctx, hub, "test_missing_capability", "Needs a caller with a model.", `{}`, "", func(ctx context.Context, _ none, peer toolspec.Peer) (*toolspec.Result, error) {
			return complete(ctx, peer, "Hello")
		}),
		add(ctx, hub, "test_elicitation", "Asks the person.", `{"message":"Hello"}`, "", func(ctx context.Context, in messageIn, peer toolspec.Peer) (*toolspec.Result, error) {
			answer, err := peer.Elicit(ctx, &toolspec.ElicitRequest{Message: in.Message, Schema: json.RawMessage(contactForm)})
			if err != nil {
				return nil, err
			}
			return toolspec.TextResult(fmt.Sprintf("User response: action=%s, content=%s", answer.Action, content(answer))), nil
		}),
		asks("test_elicitation_sep1034_defaults", "Asks by a form with defaults.", "Please review and update the form fields with defaults", defaultsForm),
		asks("test_elicitation_sep1330_enums", "Asks by a form with choices.", "Please select options from the enum fields", enumsForm),
		asks("test_streaming_elicitation", "Asks the person, in the answer.", "Please provide your information", contactForm),
	)
}

// content returns what the user entered.
func content(answer *toolspec.ElicitResult) string {
	if len(answer.Content) == 0 {
		return "{}"
	}
	return string(answer.Content)
}
