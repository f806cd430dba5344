package hubapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/localpass/localpass/mcphub/hubapi"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
)

// A page manages servers over HTTP. What may be a secret never reaches it.
func ExampleNew() {
	ctx := context.Background()
	conns, err := servers.New(memory.New(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	_, err = conns.Save(ctx, servers.Record{ID: "docs", Connection: json.RawMessage(
		`{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer ${DOCS_TOKEN}","X-Api-Key":"abc123"}}`)})
	if err != nil {
		log.Fatal(err)
	}
	api, err := hubapi.New(conns, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	server := httptest.NewServer(api) // a program uses http.Serve
	defer server.Close()

	resp, err := http.Get(server.URL + "/api/mcp/servers/docs")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var item struct{ Connection json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&item); err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.StatusCode, string(item.Connection))
	// Output: 200 {"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer ${DOCS_TOKEN}","X-Api-Key":"***"}}
}
