package openai_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// serverOf starts a server with fixed answers by path.
func serverOf(answers map[string]string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, answer)
	}))
}

// With the Responses API, the reasoning comes before the answer.
func ExampleNew_responses() {
	server := serverOf(map[string]string{"/v1/responses": `
data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1"}}
data: {"type":"response.reasoning_summary_text.delta","output_index":0,"item_id":"rs_1","delta":"Twelve by twelve."}
data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA"}}
data: {"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","delta":"It is "}
data: {"type":"response.output_text.delta","output_index":1,"item_id":"msg_1","delta":"144."}
data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":14,"output_tokens":9}}}
`})
	defer server.Close()

	provider, err := openai.New(&openai.Options{BaseURL: server.URL + "/v1", APIKey: "sk-example", API: openai.APIResponses})
	if err != nil {
		log.Fatal(err)
	}
	model, err := provider.Model(context.Background(), "gpt-5")
	if err != nil {
		log.Fatal(err)
	}
	client, err := chat.NewClient(model, nil)
	if err != nil {
		log.Fatal(err)
	}
	for ev, err := range client.Stream(context.Background(), "", llm.UserText("What is a gross?"), nil) {
		if err != nil {
			log.Fatal(err)
		}
		switch e := ev.(type) {
		case *chat.ReasoningDelta:
			fmt.Printf("(%s)\n", e.Text)
		case *chat.TextDelta:
			fmt.Print(e.Text)
		case *chat.UsageReported:
			fmt.Printf("\n%d tokens\n", e.TurnUsage.Total)
		}
	}
	// Output:
	// (Twelve by twelve.)
	// It is 144.
	// 23 tokens
}

// A server lists its models, with the size of their context if it reports it.
func ExampleProvider_Models() {
	server := serverOf(map[string]string{"/v1/models": `{"data":[{"id":"qwen3.5-4b","max_model_len":32768},{"id":"gemma-3-4b"}]}`})
	defer server.Close()

	provider, err := openai.New(&openai.Options{BaseURL: server.URL + "/v1"})
	if err != nil {
		log.Fatal(err)
	}
	models, err := provider.Models(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range models {
		fmt.Println(m.Name, m.ContextTokens, m.Capabilities.Vision)
	}
	// Output:
	// gemma-3-4b 0 true
	// qwen3.5-4b 32768 true
}
