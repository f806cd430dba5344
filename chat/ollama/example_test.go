package ollama_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/ollama"
)

// A model answers; a few lines stand in for the server.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/show" {
			fmt.Fprint(w, `{"capabilities":["completion","tools"]}`)
			return
		}
		fmt.Fprintln(w, `{"message":{"content":"Because of "},"done":false}`)
		fmt.Fprintln(w, `{"message":{"content":"Rayleigh scattering."},"done":false}`)
		fmt.Fprintln(w, `{"done":true,"done_reason":"stop","prompt_eval_count":12,"eval_count":4}`)
	}))
	defer server.Close()

	provider, err := ollama.New(&ollama.Options{BaseURL: server.URL}) // nil: http://localhost:11434
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := provider.Model(context.Background(), "qwen3.5:4b")
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := chat.NewClient(model, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := client.Ask(context.Background(), "", "Why is the sky blue?", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())
	fmt.Println(answer.Usage.Total, "tokens")
	// Output:
	// Because of Rayleigh scattering.
	// 16 tokens
}

// A model that the server does not have is pulled first.
func ExampleProvider_Pull() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `{"status":"pulling manifest"}`)
		fmt.Fprintln(w, `{"status":"pulling 6a0746a1ec1a","digest":"sha256:6a0746a1ec1a","total":400,"completed":100}`)
		fmt.Fprintln(w, `{"status":"pulling 6a0746a1ec1a","digest":"sha256:6a0746a1ec1a","total":400,"completed":400}`)
		fmt.Fprintln(w, `{"status":"success"}`)
	}))
	defer server.Close()

	provider, err := ollama.New(&ollama.Options{BaseURL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	for progress, err := range provider.Pull(context.Background(), "qwen3.5:4b") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(progress.Status, progress.Completed, "of", progress.Total)
	}
	// Output:
	// pulling manifest 0 of 0
	// pulling 6a0746a1ec1a 100 of 400
	// pulling 6a0746a1ec1a 400 of 400
	// success 400 of 400
}
