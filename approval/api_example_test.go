package approval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// A program serves its questions to a web page, and one of them is answered
// there.
func ExampleNewAPI() {
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(0)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	api, err := approval.NewAPI(gate, nil)
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

// A service that answers webhooks: it checks who asks, decides, and signs what
// it says.
func ExampleWebhook() {
	key := []byte("a random secret of both sides")
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err == nil {
			err = approval.Verify(key, r.Header.Get(approval.HeaderTimestamp), r.Header.Get(approval.HeaderSignature), body, time.Now(), 0)
		}
		var m approval.WebhookRequest
		if err != nil || json.Unmarshal(body, &m) != nil {
			http.Error(w, "not for me", http.StatusForbidden)
			return
		}
		reply := approval.WebhookReply{ID: m.ID}
		for _, q := range m.Requests {
			d := approval.WebhookDecision{Request: q.ID, Outcome: approval.Declined, Reason: "nobody is on call", By: "night shift"}
			if !q.Level.Exceeds(toolspec.L2) {
				d = approval.WebhookDecision{Request: q.ID, Outcome: approval.Approved, By: "night shift"}
			}
			reply.Decisions = append(reply.Decisions, d)
		}
		out, _ := json.Marshal(reply)
		now := time.Now()
		w.Header().Set(approval.HeaderTimestamp, fmt.Sprint(now.Unix()))
		w.Header().Set(approval.HeaderSignature, approval.Sign(key, now, out))
		_, _ = w.Write(out)
	}))
	defer service.Close()

	hook, err := approval.Webhook(service.URL, key, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	decisions, err := hook.Ask(context.Background(), []approval.Request{{ID: "ap_1", Tool: "search", Level: toolspec.L2}, {ID: "ap_2", Tool: "writeNote", Level: toolspec.L3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range decisions {
		fmt.Println(strings.TrimSpace(fmt.Sprintln(d.Request, d.Outcome, d.Reason)))
	}
	// Output:
	// ap_1 approved
	// ap_2 declined nobody is on call
}
