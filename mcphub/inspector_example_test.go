package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
)

// Somebody looks into a server: what it is, what it offers, and what a call gives.
func ExampleInspector() {
	ctx := context.Background()
	far := hubtest.Greeter() // stands for a server elsewhere
	defer far.Close()
	conns, err := mcphub.NewConnections(memory.New(), &mcphub.ConnectionsOptions{Kinds: client.NewRegistry(&client.RegistryOptions{InProcess: far.InProcess(nil)})})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	if _, err := conns.Save(ctx, mcphub.ServerRecord{ID: "far", Kind: client.TransportInProcess}); err != nil {
		log.Fatal(err)
	}
	// InspectorOptions.Approval has a gate decide about each call of a tool.
	inspector, err := mcphub.NewInspector(conns, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer inspector.Close()

	rec, err := inspector.CallTool(ctx, "far", mcphub.ToolTrial{Tool: "greet", Arguments: json.RawMessage(`{"name":"Grace"}`)})
	if err != nil { // it could not be begun
		log.Fatal(err)
	}
	fmt.Println(rec.Operation, rec.OK)
	for _, m := range rec.Wire {
		fmt.Println(m.Sent, m.Method, m.Size > 0)
	}
	report, err := inspector.Check(ctx, "far")
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows[:3] {
		fmt.Println(row.Name, row.Status)
	}
	// Output:
	// tools/call true
	// true tools/call true
	// false  true
	// introduction pass
	// capabilities pass
	// liveness pass
}

// A page manages servers over HTTP. What may be a secret never reaches it.
func ExampleNewAPI() {
	ctx := context.Background()
	conns, err := mcphub.NewConnections(memory.New(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	_, err = conns.Save(ctx, mcphub.ServerRecord{ID: "docs", Connection: json.RawMessage(
		`{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer ${DOCS_TOKEN}","X-Api-Key":"abc123"}}`)})
	if err != nil {
		log.Fatal(err)
	}
	api, err := mcphub.NewAPI(conns, nil)
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
