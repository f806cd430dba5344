package approval_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// asker stands for a client that supports elicitation.
type asker struct{ toolspec.Peer }

func (asker) Elicit(_ context.Context, q *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	fmt.Println(q.Message)
	return &toolspec.ElicitResult{Action: toolspec.ElicitAccept}, nil
}

// The client that calls a tool is asked whether it may run.
func ExampleElicitation() {
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Elicitation(nil)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	outcomes := gate.Check(context.Background(), []approval.Call{{
		Side:       approval.SideServer,
		Definition: toolspec.Definition{Name: "writeNote", Level: toolspec.L3, Approval: &toolspec.Approval{Mode: toolspec.ApprovalRequired, PromptTemplate: "Write a note?"}},
		Call:       &toolspec.Call{Arguments: json.RawMessage(`{"path": "todo.md"}`), Peer: asker{toolspec.NoPeer}},
	}})
	fmt.Println(outcomes[0].Outcome)
	// Output:
	// [risk L3 Moderate] Run the tool writeNote with {"path":"todo.md"}?
	//
	// Tool: writeNote
	// Arguments that will run: {"path":"todo.md"}
	//
	// the tool says> Write a note?
	// approved
}

// An approval request is sent to a client of MCP 2026-07-28 and comes back with its next
// call, bound to the request.
func ExampleState() {
	ctx := context.Background()
	state, err := approval.NewState(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	arguments := json.RawMessage(`{"path":"todo.md"}`)
	sealed, err := state.Seal(ctx, &approval.Request{ID: "ap_1", Tool: "writeNote", Fingerprint: "f1", Level: toolspec.L3, Digest: canon.Digest(arguments), Side: approval.SideServer})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := approval.Call{Side: approval.SideServer, Definition: toolspec.Definition{Name: "writeNote", Fingerprint: "f1", Level: toolspec.L3},
		Call: &toolspec.Call{Arguments: json.RawMessage(`{"path": "/etc/passwd"}`)}}
	_, err = state.Redeem(ctx, sealed, call)
	fmt.Println(err)
	call.Call.Arguments = arguments
	request, err := state.Redeem(ctx, sealed, call)
	fmt.Println(request, err)
	_, err = state.Redeem(ctx, sealed, call)
	fmt.Println(err)
	// Output:
	// approval: requestState is of other arguments
	// ap_1 <nil>
	// approval: requestState was used already
}
