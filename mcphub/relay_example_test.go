package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// terminal answers what is asked because of a call.
type terminal struct{ toolspec.Peer }

func (terminal) Elicit(_ context.Context, req *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	fmt.Println(req.Message)
	return &toolspec.ElicitResult{Action: toolspec.ElicitAccept, Content: json.RawMessage(`{"name":"Ada"}`)}, nil
}

// A server asks in the middle of a call, and whoever made the call answers. The
// message says which server it is.
func ExampleRelayPolicy() {
	server := mcphubtest.NewPeer(nil).On("tools/call",
		mcphubtest.Reply(`{"resultType":"input_required","requestState":"s","inputRequests":{"who":{"method":"elicitation/create",
			"params":{"message":"Which customer?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}}}`),
		mcphubtest.Reply(`{"resultType":"complete","content":[{"type":"text","text":"Ada owes nothing."}]}`))
	ctx := context.Background()
	session, err := server.Transport(client.TransportHTTP).Dial(ctx, &client.DialOptions{Capabilities: client.ClientCapabilities{Form: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	tool := servers.NewRemoteTool(session, &servers.OfferedTool{Name: "balance"}, &servers.RemoteToolOptions{Server: "crm",
		Relay: &servers.RelayPolicy{NoURLs: true}}) // forms, and nothing else
	result, err := tool.Call(ctx, &toolspec.Call{Peer: terminal{toolspec.NoPeer}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// [crm] Which customer?
	// Ada owes nothing.
}
