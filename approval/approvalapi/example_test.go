package approvalapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// A program serves its approval requests to a web page, where one is decided.
func ExampleNew() {
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(0)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	api, err := approvalapi.New(gate, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer api.Close()
	server := httptest.NewServer(api) // a program uses http.Serve
	defer server.Close()

	rec, err := gate.Broker().Ask(context.Background(), approval.Request{Tool: "writeNote", Fingerprint: "f1", Level: toolspec.L3,
		Arguments: json.RawMessage(`{"path":"todo.md"}`), Prompt: "Write todo.md?", Side: approval.SideChat})
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := http.Post(server.URL+"/api/responses/approval/"+rec.Request.ID, "application/json", strings.NewReader(`{"approved": true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	var item approval.View
	if err := json.NewDecoder(resp.Body).Decode(&item); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.StatusCode, item.Tool, item.Risk, item.Outcome)
	// Output: 200 writeNote L3 Moderate approved
}
