package advisor_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/rag"
)

func ExampleChain() {
	polite := advisor.Before("polite", 10, func(_ context.Context, req *chat.Request) (*chat.Request, error) {
		req.Messages = append([]llm.Message{llm.SystemText("Be polite.")}, req.Messages...)
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

// Documents that match a question are sent with it, and the response lists them.
func ExampleRAG() {
	notes := rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) {
		hours := rag.Document{ID: "n1", Text: "The library opens at nine.", Metadata: map[string]any{rag.KeyTitle: "Hours"}}
		return []rag.Match{{Document: hours, Score: 0.8}}, nil
	})
	retrieval, err := advisor.RAG(notes, &advisor.RAGOptions{TopK: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	chain, err := advisor.Chain(retrieval)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := chat.NewClient(chattest.NewModel(chattest.Say("At nine [1].")), &chat.ClientOptions{Middleware: chain})
	if err != nil {
		fmt.Println(err)
		return
	}
	// This turn searches one tenant's documents only.
	attrs := advisor.WithRetrieval(chat.Values{}, advisor.Retrieval{Filter: rag.Equal("tenant", "ada")})
	resp, err := client.Ask(context.Background(), "", "When does the library open?", &chat.TurnOptions{Values: attrs})
	fmt.Println(resp.Text(), resp.Documents[0].Title, err)
	// Output: At nine [1]. Hours <nil>
}

// One chain runs around the tool loop, and another one inside it, for every round.
func ExampleChain_rounds() {
	say := func(name string) advisor.Advisor {
		return advisor.Before(name, 0, func(_ context.Context, req *chat.Request) (*chat.Request, error) {
			fmt.Println(name, max(req.Round, 1))
			return req, nil
		})
	}
	turn, err := advisor.Chain(say("turn"))
	if err != nil {
		fmt.Println(err)
		return
	}
	rounds, err := advisor.Chain(say("round"))
	if err != nil {
		fmt.Println(err)
		return
	}
	model := chattest.NewModel(chattest.Call("noSuchTool", "{}"), chattest.Say("There is no such tool."))
	client, err := chat.NewClient(model, &chat.ClientOptions{Middleware: turn, RoundMiddleware: rounds})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Ask(context.Background(), "", "Use a tool.", nil)
	fmt.Println(resp.Text(), err)
	// Output:
	// turn 1
	// round 1
	// round 2
	// There is no such tool. <nil>
}

// If an answer does not have the required form, the model is asked again.
func ExampleStructured() {
	city := llm.OutputFormat{Name: "city", Schema: json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}`)}
	structured, err := advisor.Structured(city, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	chain, err := advisor.Chain(structured)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := chattest.NewModel(chattest.Say("It is Paris."), chattest.Say(`{"city":"Paris"}`))
	client, err := chat.NewClient(model, &chat.ClientOptions{Middleware: chain})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Ask(context.Background(), "", "What is the capital of France?", nil)
	fmt.Println(resp.Text(), err)
	// Output: {"city":"Paris"} <nil>
}
