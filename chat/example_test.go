package chat_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
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
	store, err := chat.NewStore(memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	// In place of a provider's model, one that follows a script.
	model := chattest.NewModel(chattest.Call("getTime", `{"zone":"Asia/Seoul"}`), chattest.Say("It is nine in the morning."))
	client, err := chat.NewClient(model, &chat.ClientOptions{Store: store, Tools: source{clock}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev, err := range client.Stream(context.Background(), "c_1", chat.UserText("What time is it in Seoul?"), nil) {
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
	fmt.Println(chat.Render(template, map[string]string{"target": "Korean"}, nil))
	// Output:
	// Translate from any language into Korean, in a formal tone.
}
