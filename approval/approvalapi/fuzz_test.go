package approvalapi_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// No body makes the server fail, and only a body with exactly the right members approves.
func FuzzAPIAnswers(f *testing.F) {
	for _, body := range []string{`{"decision":"approved"}`, `{"decision":"declined","note":"\u0000"}`, `{"decision":"approved","arguments":{"path":"x"},"scope":"once"}`,
		`{"approved":true}`, `{"approved":false}`, `{"decision":"approved","decision":"declined"}`, `{"decision":"approved","until":"x"}`, `[`, ``, "\xff"} {
		f.Add(body, true)
		f.Add(body, false)
	}
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(0)}})
	if err != nil {
		f.Fatal(err)
	}
	api, err := approvalapi.New(gate, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		_ = api.Close()
		_ = gate.Close()
	})
	local := context.WithValue(context.Background(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	f.Fuzz(func(t *testing.T, body string, short bool) {
		rec, err := gate.Broker().Ask(t.Context(), approval.Request{Tool: "writeNote", Fingerprint: "f1", Level: toolspec.L3, Side: approval.SideChat,
			Arguments: json.RawMessage(`{"path":"a"}`), Schema: json.RawMessage(approvaltest.NoteSchema)})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/approvals/"
		if short {
			path = "/api/responses/approval/"
		}
		r := httptest.NewRequestWithContext(local, http.MethodPost, path+rec.Request.ID, strings.NewReader(body))
		r.Host = "127.0.0.1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		now, err := gate.Broker().Get(t.Context(), rec.Request.ID)
		if err != nil {
			t.Fatal(err)
		}
		if (now.Status == approval.StatusPending) != (w.Code != http.StatusOK) {
			t.Fatalf("%q: answered %d, and the request is %s", body, w.Code, now.Status)
		}
		var said map[string]json.RawMessage
		if now.Outcome == approval.Approved && (json.Unmarshal([]byte(body), &said) != nil || string(said["decision"]) != `"approved"` && string(said["approved"]) != `true`) {
			var decision string
			if json.Unmarshal(said["decision"], &decision) != nil || decision != "approved" { // the string may contain escapes
				t.Fatalf("%q approves", body)
			}
		}
	})
}
