package advisor_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
)

func ExampleChain() {
	polite := advisor.Before("polite", 10, func(_ context.Context, req *chat.Request) (*chat.Request, error) {
		req.Messages = append([]chat.Message{chat.SystemText("Be polite.")}, req.Messages...)
		return req, nil
	})
	count := advisor.After("count", 20, func(_ context.Context, resp *chat.Response) error {
		fmt.Println("the answer has", len(resp.Text()), "bytes")
		return nil
	})
	chain, err := advisor.Chain(advisor.Safeguard([]string{"password"}, nil), polite, count)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := chattest.NewModel(chattest.Say("Good morning!"))
	client, err := chat.NewClient(model, &chat.ClientOptions{Middleware: chain})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Ask(context.Background(), "", "Hello", nil)
	fmt.Println(resp.Text(), err)
	resp, err = client.Ask(context.Background(), "", "What is the password?", nil)
	fmt.Println(resp.Text()[:35], err)
	// Output:
	// the answer has 13 bytes
	// Good morning! <nil>
	// I cannot answer this request, becau <nil>
}
