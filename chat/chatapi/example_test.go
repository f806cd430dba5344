package chatapi_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/persistence/memory"
)

// A program serves the chat API together with its own pages, and a page asks a question.
func Example() {
	store, err := conversation.NewStore(memory.New())
	if err != nil {
		fmt.Println(err)
		return
	}
	// A scripted model stands in for the model of a provider.
	client, err := chat.NewClient(chattest.NewModel(chattest.Say("It is nine in the morning.")), &chat.ClientOptions{Store: store})
	if err != nil {
		fmt.Println(err)
		return
	}
	api, err := chatapi.New(client, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer api.Close()
	mux := http.NewServeMux()
	if err := api.Mount(mux); err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(mux) // a program uses http.Serve
	defer server.Close()

	resp, err := http.Post(server.URL+"/api/responses/stream", "application/json", strings.NewReader(`{"payload":{"input":"What time is it?"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	said := map[string]int{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			said[name]++
		}
	}
	fmt.Println(resp.StatusCode, "init", said["init"], "error", said["error"], "done", said["done"])
	// Output: 200 init 1 error 0 done 1
}
