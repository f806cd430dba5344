package webhook_test

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
	"github.com/localpass/localpass/approval/webhook"
	"github.com/localpass/localpass/toolspec"
)

// A service that answers webhooks: it verifies the message, decides, and signs its reply.
func ExampleNew() {
	key := []byte("a random secret of both sides")
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err == nil {
			err = webhook.Verify(key, r.Header.Get(webhook.HeaderTimestamp), r.Header.Get(webhook.HeaderSignature), body, time.Now(), 0)
		}
		var m webhook.Request
		if err != nil || json.Unmarshal(body, &m) != nil {
			http.Error(w, "not for me", http.StatusForbidden)
			return
		}
		reply := webhook.Reply{ID: m.ID}
		for _, q := range m.Requests {
			d := webhook.Decision{Request: q.ID, Outcome: approval.Declined, Reason: "nobody is on call", By: "night shift"}
			if !q.Level.Exceeds(toolspec.L2) {
				d = webhook.Decision{Request: q.ID, Outcome: approval.Approved, By: "night shift"}
			}
			reply.Decisions = append(reply.Decisions, d)
		}
		out, _ := json.Marshal(reply)
		now := time.Now()
		w.Header().Set(webhook.HeaderTimestamp, fmt.Sprint(now.Unix()))
		w.Header().Set(webhook.HeaderSignature, webhook.Sign(key, now, out))
		_, _ = w.Write(out)
	}))
	defer service.Close()

	hook, err := webhook.New(service.URL, key, nil)
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
