package llm_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/localpass/localpass/chat/llm"
)

// echo is a model that repeats the question.
type echo struct{}

func (echo) Info() llm.ModelInfo { return llm.ModelInfo{Provider: "echo", Name: "echo-1"} }

func (echo) Generate(_ context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		question := req.Messages[len(req.Messages)-1].Text()
		_ = yield(llm.Delta{Kind: llm.DeltaText, Text: question}, nil) &&
			yield(llm.Delta{Kind: llm.DeltaFinish, Finish: llm.FinishStop}, nil)
	}
}

// A custom model has two methods. Retrying returns a model that repeats failed calls.
func Example() {
	model, err := llm.Retrying(echo{}, llm.RetryPolicy{MaxAttempts: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for d, err := range model.Generate(context.Background(), &llm.ModelRequest{Messages: []llm.Message{llm.UserText("Hello.")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(d.Text)
	}
	fmt.Println()
	// Output: Hello.
}
