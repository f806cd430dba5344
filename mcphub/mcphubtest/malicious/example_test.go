package malicious_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest/malicious"
	"github.com/localpass/localpass/mcphub/servers"
)

// A server that changes its tool after it was approved.
func ExampleNew() {
	server, err := malicious.New(malicious.RugPull, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := server.Transport(client.TransportHTTP).Dial(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for range 2 {
		tools, err := servers.ListTools(ctx, session)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tools[0].Name, len(tools[0].Description))
	}
	// Output:
	// weather 30
	// weather 159
}

// A test counts the calls that reached a tool: a client that holds makes none.
func ExampleServer_Log() {
	server, err := malicious.New(malicious.Poisoned, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	session, err := server.Transport(client.TransportStdio).Dial(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	_, err = session.Call(ctx, "tools/call", json.RawMessage(`{"name":"weather","arguments":{"city":"Bern"}}`), nil)
	fmt.Println(server.Log().Calls, err)
	// Output: [weather] <nil>
}
