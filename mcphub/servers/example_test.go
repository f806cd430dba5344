package servers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// A tool of another server is served here, once a person has approved it.
func Example() {
	ctx := context.Background()
	web := httptest.NewServer(hubtest.Greeter().Handler()) // stands for a server elsewhere
	defer web.Close()

	conns, err := servers.New(memory.New(), nil)
	check(err)
	defer conns.Close()
	hub, err := mcphub.New(nil)
	check(err)
	defer hub.Close()
	composition, err := mcphub.NewComposition(hub, conns, nil)
	check(err)
	defer composition.Close()

	_, err = conns.Save(ctx, servers.HTTP("far", web.URL+mcphub.Path)) // or servers.Stdio("far", "some-server")
	check(err)
	check(conns.Connect(ctx, "far"))
	check(composition.Put(ctx, mcphub.Member{Server: "far", Tool: "greet"}))
	offered := conns.Snapshot("far").Tool("greet") // what the person looks at
	fmt.Println(offered.Description)
	check(composition.Approve(ctx, "far", "greet", offered.Fingerprint))

	result, err := hub.Call(ctx, "far_greet", map[string]any{"name": "Ada"})
	check(err)
	fmt.Println(result.Text())
	// Output:
	// Greets by name.
	// Hello, Ada!
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A record says how to reach a server; the tools of all servers are one source.
func ExampleConnections() {
	ctx := context.Background()
	far := hubtest.Greeter() // stands for a server elsewhere
	defer far.Close()
	conns, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{InProcess: far.InProcess(nil)})})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	// {"url":"https://mcp.example.com/mcp"} or {"command":"npx","args":["some-server"]}, and no Kind, for servers elsewhere.
	if _, err := conns.Save(ctx, servers.Record{ID: "My.Server", Kind: client.TransportInProcess}); err != nil {
		log.Fatal(err)
	}

	tools, err := servers.NewToolProvider(conns, &servers.ToolProviderOptions{Filter: servers.Not(servers.Named("My.Server/secret"))})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	for _, warning := range tools.Refresh(ctx) {
		fmt.Println(warning.Server, warning.Err)
	}
	list, err := tools.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range list {
		result, err := tool.Call(ctx, &toolspec.Call{Arguments: json.RawMessage(`{"name":"Ada"}`)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Definition().Name, result.Text())
	}
	status, err := conns.Status("My.Server")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.State, status.Sync, status.Tools)
	// Output:
	// my_server_greet Hello, Ada!
	// CONNECTED SYNCED 1
}

// Names are good for every client and model, and do not depend on what was
// connected first.
func ExamplePrefixed() {
	tool := func(server, name string) servers.ToolRef {
		return servers.ToolRef{Server: server, Tool: &servers.OfferedTool{Name: name}}
	}
	for _, name := range (servers.Prefixed{}).Names([]servers.ToolRef{tool("My.Server--1", "get.Item"), tool("srv-1", "search"), tool("srv_1", "search")}) {
		fmt.Println(name)
	}
	// Output:
	// my_server_1_get_Item
	// srv_1_search_b91142c0
	// srv_1_search_880e2812
}

// The events of all connections: what a page shows that lists servers.
func ExampleConnections_Events() {
	far := hubtest.Greeter()
	defer far.Close()
	conns, err := servers.New(memory.New(), &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{InProcess: far.InProcess(nil)})})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	ctx := context.Background()
	if _, err := conns.Save(ctx, servers.Record{ID: "far", Kind: client.TransportInProcess}); err != nil {
		log.Fatal(err)
	}
	for event, err := range conns.Events(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Kind {
		case servers.EventSnapshot:
			fmt.Println("there are", len(event.Servers))
			go func() { _ = conns.Connect(ctx, "far") }()
		case servers.EventConnection:
			fmt.Println(event.Status.ID, "was", event.Previous, "and is", event.Status.State)
		case servers.EventCapabilities:
			fmt.Println(event.Diff.Tools.Added)
			return
		}
	}
	// Output:
	// there are 1
	// far was IDLE and is CONNECTING
	// far was CONNECTING and is CONNECTED
	// [greet]
}
