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

// Any server with the API works; this one always gives the same answer.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			io.WriteString(w, `{"data":[{"id":"tiny","max_model_len":4096}]}`)
		default:
			io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Half past nine."}}]}`+"\n\n"+
				`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		}
	}))
	defer server.Close()

	ctx := context.Background()
	provider, err := openai.New(&openai.Options{BaseURL: server.URL + "/v1", ID: "home"})
	if err != nil {
		log.Fatal(err)
	}
	model, err := provider.Model(ctx, "tiny")
	if err != nil {
		log.Fatal(err)
	}
	client, err := chat.NewClient(model, nil)
	if err != nil {
		log.Fatal(err)
	}
	response, err := chat.Collect(client.Stream(ctx, "", llm.UserText("What time is it?"), nil))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Info().Provider, model.Info().ContextTokens)
	fmt.Println(response.Text())
	// Output:
	// home 4096
	// Half past nine.
}
