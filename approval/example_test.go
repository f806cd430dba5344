package approval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// mailTool is a tool that asks for approval before each call.
func mailTool() toolspec.Definition {
	return toolspec.Definition{Name: "send_mail", Level: toolspec.L3, Fingerprint: "sha256:…",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}`),
		Approval:    &toolspec.Approval{Mode: toolspec.ApprovalRequired, PromptTemplate: "May {toolName} write to {args}?"}}
}

func mailCall(to string) approval.Call {
	arguments, _ := json.Marshal(map[string]string{"to": to}) // a string always marshals
	return approval.Call{Definition: mailTool(), Side: approval.SideChat, Call: &toolspec.Call{ID: "call_1", Arguments: arguments,
		Principal: toolspec.Principal{Subject: "ada", Via: "http"}, Conversation: "c7"}}
}

// A person is asked about the calls of one turn. The approved calls run with their
// clearances.
func Example() {
	// A person who approves mail within the company.
	person := approval.Ask(func(_ context.Context, r approval.Request) (bool, string, error) {
		fmt.Println(r.Prompt)
		return string(r.Arguments) == `{"to":"grace@example.com"}`, "only example.com", nil
	})
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{person}})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()

	ctx := context.Background()
	for _, out := range gate.Check(ctx, []approval.Call{mailCall("grace@example.com"), mailCall("eve@example.org")}) {
		if !out.Allowed() {
			fmt.Println(out.Outcome, out.Err().Reason)
			continue
		}
		// The tool's own gate finds the clearance, and does not ask again.
		ctx := approval.WithClearance(ctx, out.Clearance)
		_, err := gate.Clear(ctx, mailTool(), mailCall("grace@example.com").Call)
		fmt.Println(out.Outcome, string(out.Arguments), err)
	}
	// Output:
	// Run the tool send_mail with {"to":"grace@example.com"}?
	// the tool says> May send_mail write to {"to":"grace@example.com"}?
	// Run the tool send_mail with {"to":"eve@example.org"}?
	// the tool says> May send_mail write to {"to":"eve@example.org"}?
	// approved {"to":"grace@example.com"} <nil>
	// declined approval-denied
}

// A function decides one request at a time. A tool of level L5 is approved only if its
// name is typed.
func ExampleAsk() {
	person := approval.Ask(func(_ context.Context, r approval.Request) (bool, string, error) {
		if r.Confirm != "" {
			typed := "wipe_disk" // typed by the person
			return true, typed, nil
		}
		return false, "not while the demo runs", nil
	})
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{person}})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	wipe := mailCall("grace@example.com")
	wipe.Definition.Name, wipe.Definition.Level = "wipe_disk", toolspec.L5
	for _, out := range gate.Check(context.Background(), []approval.Call{mailCall("grace@example.com"), wipe}) {
		fmt.Println(out.Outcome)
	}
	// Output:
	// declined
	// approved
}

// Policies decide without asking, and rules check the arguments.
func ExamplePolicy() {
	mail := approval.Policy{Tool: "send_mail", Side: approval.SideChat, Effect: approval.AlwaysAllow, OverridesRequired: true, Rules: []approval.Rule{
		{Pointer: "/to", Operator: approval.Matches, Value: json.RawMessage(`"@example\\.com$"`), Not: true, Effect: approval.EffectDeny, Reason: "only example.com"},
	}}
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Fixed: []approval.Policy{mail}})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	for _, out := range gate.Check(context.Background(), []approval.Call{mailCall("grace@example.com"), mailCall("eve@example.org")}) {
		fmt.Println(out.Outcome, out.Rule)
	}
	// Output:
	// approved 9
	// policy-denied 4
}

// Explain returns the precedence table for a call without asking.
func ExampleGate_Explain() {
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	for _, row := range gate.Explain(context.Background(), mailCall("grace@example.com")) {
		if row.Matches {
			fmt.Println(row.Number, row.Effect, row.Decides, row.Rule)
		}
	}
	// Output:
	// 7 ask true the tool itself asks for approval before each call
	// 13 ask false no policy allows this tool, so a person is asked
}

// A turn is suspended while an approval request is open, and continues after the
// decision: in this program or in a later one on the same store.
func ExampleGate_Resume() {
	ctx, store := context.Background(), memory.New()
	options := &approval.Options{Store: store, NoAudit: true, Approvers: []approval.Approver{approval.Inbox(-1)}}
	gate, err := approval.NewGate(options)
	if err != nil {
		log.Fatal(err)
	}
	out := gate.Check(ctx, []approval.Call{mailCall("grace@example.com")})[0]
	fmt.Println(out.Outcome)
	gate.Close()

	gate, err = approval.NewGate(options)
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	// A person decides in a web page.
	decision := approval.Decision{Request: out.Request.ID, Outcome: approval.Approved, By: toolspec.Principal{Subject: "grace"}, Via: "http"}
	if _, err := gate.Broker().Decide(ctx, decision); err != nil {
		log.Fatal(err)
	}
	first := gate.Resume(ctx, out.Request.ID, mailCall("grace@example.com"))
	again := gate.Resume(ctx, out.Request.ID, mailCall("grace@example.com"))
	fmt.Println(first.Allowed(), again.Allowed())
	// Output:
	// pending
	// true false
}

// An approval for more than one call is a grant, which can be listed and revoked.
func ExampleGrants() {
	ctx := context.Background()
	person := approval.ApproverFunc(func(_ context.Context, r []approval.Request) ([]approval.Decision, error) {
		fmt.Println("asked; may say", r[0].Scopes)
		return []approval.Decision{{Request: r[0].ID, Outcome: approval.Approved, Scope: approval.ScopeConversation}}, nil
	})
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{person}})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	gate.Check(ctx, []approval.Call{mailCall("grace@example.com")})
	gate.Check(ctx, []approval.Call{mailCall("alan@example.com")}) // not asked again
	for grant, err := range gate.Grants().List(ctx, approval.GrantFilter{Tool: "send_mail"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(grant.Scope, grant.Conversation, grant.Used)
		if err := gate.Grants().Revoke(ctx, grant.ID, toolspec.Principal{Subject: "ada"}); err != nil {
			log.Fatal(err)
		}
	}
	gate.Check(ctx, []approval.Call{mailCall("alan@example.com")})
	// Output:
	// asked; may say [once arguments conversation calls time]
	// conversation c7 1
	// asked; may say [once arguments conversation calls time]
}

// A program can wait for the outcome of a request at the broker.
func ExampleBroker() {
	ctx := context.Background()
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	broker := gate.Broker()
	record, err := broker.Ask(ctx, approval.Request{Tool: "deploy", Fingerprint: "v7", Level: toolspec.L4, Arguments: json.RawMessage(`{"to":"staging"}`)})
	if err != nil {
		log.Fatal(err)
	}
	no := approval.Decision{Request: record.Request.ID, Outcome: approval.Declined, Reason: "not on a Friday"}
	if _, err := broker.Decide(ctx, no); err != nil {
		log.Fatal(err)
	}
	_, err = broker.Decide(ctx, approval.Decision{Request: record.Request.ID, Outcome: approval.Approved})
	fmt.Println(err != nil)
	record, err = broker.Wait(ctx, record.Request.ID)
	fmt.Println(record.Outcome, record.Decision().Reason, err)
	// Output:
	// true
	// declined not on a Friday <nil>
}
