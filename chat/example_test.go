package chat_test

import (
	"context"
	"fmt"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

func Example() {
	type zone struct {
		Zone string `json:"zone" jsonschema:"such as Asia/Seoul"`
	}
	clock, err := toolspec.Func("getTime", "Tells the time.", func(_ context.Context, in zone) (string, error) {
		return "09:00 in " + in.Zone, nil
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	passed, err := studio.Certify(context.Background(), clock, []toolspec.Case{{Args: []byte(`{"zone":"UTC"}`), Want: []byte(`"09:00 in UTC"`)}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := conversation.NewStore(memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	// In place of a provider's model, one that follows a script.
	model := chattest.NewModel(chattest.Call("getTime", `{"zone":"Asia/Seoul"}`), chattest.Say("It is nine in the morning."))
	client, err := chat.NewClient(model, &chat.ClientOptions{Store: store, Tools: toolspec.Tools(passed)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range client.Stream(context.Background(), "c_1", llm.UserText("What time is it in Seoul?"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := ev.(type) {
		case *chat.ToolCallReady:
			fmt.Printf("calls %s with %s\n", e.Name, e.Arguments)
		case *chat.ToolCallResult:
			fmt.Println("gets", e.Content)
		case *chat.TextDelta:
			fmt.Print(e.Text)
		case *chat.TurnFinished:
			fmt.Printf("\n%s after %d rounds\n", e.Status, e.Rounds)
		}
	}
	// Output:
	// calls getTime with {"zone":"Asia/Seoul"}
	// gets 09:00 in Asia/Seoul
	// It is nine in the morning.
	// completed after 2 rounds
}

func ExampleRender() {
	const template = "Translate from {{source=any language}} into {{target}}, in a {{tone:select(formal,casual)=formal}} tone."
	fmt.Println(prompt.Render(template, map[string]string{"target": "Korean"}, nil))
	// Output:
	// Translate from any language into Korean, in a formal tone.
}

func ExampleFailover() {
	down := chattest.NewModel(chattest.Fail(&llm.Error{Code: llm.CodeProviderAuth, Message: "the key is unknown"}))
	spare := chattest.NewModel(chattest.Say("Hello."))
	down.Described.Name, spare.Described.Name = "large", "small"
	model, err := llm.Failover(down, spare)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := chat.NewClient(model, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range client.Stream(context.Background(), "", llm.UserText("Hi!"), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := ev.(type) {
		case *chat.OptionAdjusted:
			fmt.Printf("%s answers instead of %s: %s\n", e.Used, e.Asked, e.Reason)
		case *chat.MessageCompleted:
			fmt.Println(e.Content)
		}
	}
	// Output:
	// small answers instead of large: the key is unknown
	// Hello.
}

func ExampleRetrying() {
	busy := &llm.Error{Code: llm.CodeRateLimited, HTTPStatus: 429, Retryable: true, RetryAfter: 10 * time.Millisecond}
	model, err := llm.Retrying(chattest.NewModel(chattest.Fail(busy), chattest.Say("Hello.")), llm.RetryPolicy{MaxAttempts: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for d, err := range model.Generate(context.Background(), &llm.ModelRequest{Messages: []llm.Message{llm.UserText("Hi!")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch d.Kind {
		case llm.DeltaRetry:
			fmt.Printf("try %d after %d ms: %s\n", d.Retry.Attempt, d.Retry.DelayMillis, d.Retry.Cause)
		case llm.DeltaText:
			fmt.Print(d.Text)
		}
	}
	fmt.Println()
	// Output:
	// try 2 after 10 ms: llm: rate_limited (HTTP 429)
	// Hello.
}
