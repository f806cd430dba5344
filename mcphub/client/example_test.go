package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec"
)

// A server over HTTP is dialled, asked and left.
func ExampleNewHTTP() {
	server := httptest.NewServer(mcphubtest.NewPeer(nil).On("tools/call", func(x *mcphubtest.Exchange) {
		x.Notify("notifications/progress", `{"progressToken":`+string(x.ID)+`,"progress":1,"total":2}`)
		x.Reply(`{"content":[{"type":"text","text":"sunny"}]}`)
	}))
	defer server.Close()

	transport, err := client.NewHTTP(client.HTTPConfig{URL: server.URL + "/mcp"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	session, err := transport.Dial(ctx, &client.DialOptions{Client: client.Identity{Name: "example", Version: "1.0.0"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	info := session.Info()
	fmt.Println(info.Server.Name, info.Version, info.Era)

	result, err := session.Call(ctx, "tools/call", json.RawMessage(`{"name":"weather","arguments":{"city":"Bern"}}`), &client.CallOptions{
		Progress: func(p toolspec.Progress) { fmt.Println("progress", p.Done, "of", p.Total) },
	})
	fmt.Println(string(result), err)
	// Output:
	// peer 2026-07-28 stateless
	// progress 1 of 2
	// {"content":[{"type":"text","text":"sunny"}]} <nil>
}

// A call that the server cannot finish without an answer is repeated with one.
func ExampleInputRequired() {
	peer := mcphubtest.NewPeer(nil).On("tools/call",
		mcphubtest.Reply(`{"resultType":"input_required","requestState":"s1","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Who are you?"}}}}`),
		mcphubtest.Reply(`{"resultType":"complete","content":[{"type":"text","text":"Hello, Ada"}]}`))
	ctx := context.Background()
	session, err := peer.Transport(client.TransportHTTP).Dial(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	result, err := session.Call(ctx, "tools/call", json.RawMessage(`{"name":"greet"}`), nil)
	var need *client.InputRequired
	if errors.As(err, &need) {
		fmt.Println(string(need.Requests["name"].Params))
		result, err = need.Retry(ctx, map[string]json.RawMessage{"name": json.RawMessage(`{"action":"accept","content":{"name":"Ada"}}`)})
	}
	fmt.Println(string(result), err)
	// Output:
	// {"message":"Who are you?"}
	// {"resultType":"complete","content":[{"type":"text","text":"Hello, Ada"}]} <nil>
}

// What went wrong says what can be done about it.
func ExampleConnError() {
	peer := mcphubtest.NewPeer(nil).On("tools/list", mcphubtest.Unauthorized(`Bearer scope="files:read"`))
	ctx := context.Background()
	session, err := peer.Transport(client.TransportHTTP).Dial(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	_, err = session.Call(ctx, "tools/list", nil, nil)
	var failed *client.ConnError
	if errors.As(err, &failed) && failed.Class == client.ConnAuth {
		fmt.Println(failed.Status, failed.Challenges)
	}
	// Output: 401 [Bearer scope="files:read"]
}
