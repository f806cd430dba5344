package demo_test

import (
	"context"
	"fmt"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/demo"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

type tipIn struct {
	Amount  float64 `json:"amount" jsonschema:"the bill"`
	Percent float64 `json:"percent" jsonschema:"the percentage of the tip"`
}

func Example() {
	tip, err := toolspec.Func("tipCalculator", "Computes the tip for a bill.", func(_ context.Context, in tipIn) (string, error) {
		return fmt.Sprintf("the tip is %.2f", in.Amount*in.Percent/100), nil
	}, &toolspec.FuncOptions{Level: toolspec.L0})
	if err != nil {
		fmt.Println(err)
		return
	}
	passed, err := studio.Certify(context.Background(), tip, []toolspec.Case{{Args: []byte(`{"amount":50,"percent":10}`), Want: []byte(`"the tip is 5.00"`)}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	provider, err := demo.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := provider.Model(context.Background(), demo.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := chat.NewClient(model, &chat.ClientOptions{Tools: toolspec.Tools(passed)})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Ask(context.Background(), "", "What is a 15% tip on 80?", nil)
	fmt.Println(resp.Text(), err)
	// Output:
	// This is a demonstration, not a language model: it follows fixed rules.
	//
	// The tool tipCalculator was called with amount 80, percent 15 and answered: the tip is 12.00 <nil>
}
