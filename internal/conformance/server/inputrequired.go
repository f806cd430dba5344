package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// noAnswer is the result of a tool of this file when its caller cannot answer questions.
const noAnswer = "nobody can be asked here"

// form returns a question that asks the user for one value.
func form(key, message, member, kind string) toolspec.Question {
	return toolspec.Question{Key: key, Elicit: &toolspec.ElicitRequest{Message: message,
		Schema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, member, kind, member))}}
}

// sample returns a question that asks for a model's completion.
func sample(key, prompt string, tokens int) toolspec.Question {
	return toolspec.Question{Key: key, Sample: &toolspec.SampleRequest{MaxTokens: tokens,
		Messages: []toolspec.SampleMessage{{Role: "user", Content: toolspec.Text(prompt)}}}}
}

// enteredText returns what the user entered.
func enteredText(a toolspec.Answer, member string) (string, error) {
	switch {
	case a.Err != nil:
		return "", a.Err
	case a.Elicit.Action != toolspec.ElicitAccept:
		return "", fmt.Errorf("the person said %s", a.Elicit.Action)
	}
	var all map[string]any
	if err := json.Unmarshal(a.Elicit.Content, &all); err != nil {
		return "", err
	}
	return fmt.Sprint(all[member]), nil
}

// userName returns the question whose answer may already be part of the first request.
func userName() toolspec.Question {
	q := form("user_name", "What is your name?", "name", "string")
	q.Anticipated = true
	return q
}

// inputRequiredTools are the tools of the scenarios input-required-result-*: each asks
// its caller during the call.
var inputRequiredTools = []struct {
	name string
	do   func(ctx context.Context, peer toolspec.Peer) (string, error)
}{
	{"test_input_required_result_elicitation", func(ctx context.Context, peer toolspec.Peer) (string, error) {
		name, err := enteredText(toolspec.Ask(ctx, peer, userName())[0], "name")
		return "Hello, " + name + "!", err
	}},
	{"test_input_required_result_sampling", func(ctx context.Context, peer toolspec.Peer) (string, error) {
		a := toolspec.Ask(ctx, peer, sample("capital_question", "What is the capital of France?", 100))[0]
		if a.Err != nil {
			return "", a.Err
		}
		return a.Sample.Content.Text, nil
	}},
	{"test_input_required_result_list_roots", func(ctx context.Context, peer toolspec.Peer) (string, error) {
		a := toolspec.Ask(ctx, peer, toolspec.Question{Key: "client_roots", Roots: true})[0]
		if a.Err != nil {
			return "", a.Err
		}
		return fmt.Sprintf("There are %d roots: %v", len(a.Roots), a.Roots), nil
	}},
	{"test_input_required_result_request_state", confirmed("state-ok")},
	{"test_input_required_result_tampered_state", confirmed("the state is as it was")},
	{"test_input_required_result_multiple_inputs", func(ctx context.Context, peer toolspec.Peer) (string, error) {
		answers := toolspec.Ask(ctx, peer, form("user_name", "What is your name?", "name", "string"),
			sample("greeting", "Generate a greeting", 50), toolspec.Question{Key: "client_roots", Roots: true})
		name, err := enteredText(answers[0], "name")
		if err = errors.Join(err, answers[1].Err, answers[2].Err); err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s, of %d roots", answers[1].Sample.Content.Text, name, len(answers[2].Roots)), nil
	}},
	{"test_input_required_result_multi_round", func(ctx context.Context, peer toolspec.Peer) (string, error) {
		name, err := enteredText(toolspec.Ask(ctx, peer, form("step1", "Step 1: What is your name?", "name", "string"))[0], "name")
		if err != nil {
			return "", err
		}
		color, err := enteredText(toolspec.Ask(ctx, peer, form("step2", "Step 2: What is your favorite color?", "color", "string"))[0], "color")
		return name + " likes " + color, err
	}},
	{"test_input_required_result_capabilities", func(ctx context.Context, peer toolspec.Peer) (string, error) {
		answers := toolspec.Ask(ctx, peer, form("user_name", "What is your name?", "name", "string"), sample("greeting", "Generate a greeting", 50))
		for _, a := range answers {
			if a.Err == nil {
				return "The caller can be asked.", nil
			}
		}
		return "", answers[0].Err
	}},
}

// confirmed returns a tool that asks for a confirmation and returns the answer.
func confirmed(say string) func(ctx context.Context, peer toolspec.Peer) (string, error) {
	return func(ctx context.Context, peer toolspec.Peer) (string, error) {
		ok, err := enteredText(toolspec.Ask(ctx, peer, form("confirm", "Please confirm", "ok", "boolean"))[0], "ok")
		return say + ": " + ok, err
	}
}

// addInputRequired serves the tools of this file. A tool earns its pass without a client;
// its result is then noAnswer.
func addInputRequired(ctx context.Context, hub *mcphub.Hub) error {
	type none struct{}
	for _, t := range inputRequiredTools {
		tool, err := toolspec.Func(t.name, "Asks its caller before it answers.", func(ctx context.Context, _ none) (string, error) {
			call := toolspec.CallFrom(ctx)
			said, err := t.do(ctx, call.Caller())
			if errors.Is(err, errors.ErrUnsupported) && call.Peer == nil {
				return noAnswer, nil
			}
			return said, err
		}, nil)
		if err != nil {
			return err
		}
		pass, err := studio.Certify(ctx, tool, []toolspec.Case{{Args: json.RawMessage(`{}`), Want: json.RawMessage(`"` + noAnswer + `"`)}}, nil)
		if err != nil {
			return err
		}
		if err := hub.Add(pass); err != nil {
			return err
		}
	}
	return nil
}
