package main

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// The three ways in which a program answers a question take the same words: a line of
// JSON, and two routes over HTTP.
func TestAnswersByTheSameWords(t *testing.T) {
	t.Parallel()
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(-1)}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, gate.Close()) })
	api, err := approvalapi.New(gate, nil)
	require.NoError(t, err)
	client := apitest.NewClient(t, api)
	t.Cleanup(func() {
		client.CloseClientConnections()
		assert.NoError(t, api.Close())
	})
	a := &app{gate: gate}
	lines := func(id, answer string) bool {
		data, err := json.Marshal(map[string]string{"type": "approval", "approvalId": id})
		require.NoError(t, err)
		var l lineIn
		if httpapi.DecodeBytes([]byte(string(data[:len(data)-1])+","+answer[1:]), &l) != nil {
			return false
		}
		return a.order(t.Context(), &l) == nil
	}
	over := func(path string) func(id, answer string) bool {
		return func(id, answer string) bool { return client.Do("POST", path+id, answer).Status == http.StatusOK }
	}
	faces := map[string]func(id, answer string) bool{"JSON lines": lines, "approvals": over("/api/approvals/"), "responses": over("/api/responses/approval/")}

	asks := func(level toolspec.Level) approval.View {
		rec, err := gate.Broker().Ask(t.Context(), approval.Request{Tool: "writeNote", Level: level, Fingerprint: "f1", Side: approval.SideChat, Arguments: json.RawMessage(`{"path":"a"}`),
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
			Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeArguments, approval.ScopeCalls, approval.ScopeTime}})
		require.NoError(t, err)
		return rec.View(nil)
	}
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	type row struct {
		level  toolspec.Level
		answer string
		want   *approval.DecisionView // nil: it is refused, and the request stays open
	}
	rows := []row{
		{toolspec.L3, `{"approved":true}`, &approval.DecisionView{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		{toolspec.L3, `{"approved":false,"note":"not now"}`, &approval.DecisionView{Outcome: approval.Declined, Note: "not now"}},
		{toolspec.L3, `{"decision":"declined","note":"not now","scope":"calls"}`, &approval.DecisionView{Outcome: approval.Declined, Note: "not now"}},
		{toolspec.L3, `{"decision":"approved","arguments":{"path":"b"}}`, &approval.DecisionView{Outcome: approval.Approved, Scope: approval.ScopeOnce, Arguments: json.RawMessage(`{"path":"b"}`)}},
		{toolspec.L3, `{"approved":true,"scope":"calls","calls":3}`, &approval.DecisionView{Outcome: approval.Approved, Scope: approval.ScopeCalls, Calls: 3}},
		{toolspec.L3, `{"decision":"approved","scope":"time","until":"` + soon.Format(time.RFC3339) + `"}`, &approval.DecisionView{Outcome: approval.Approved, Scope: approval.ScopeTime, Until: soon}},
		{toolspec.L5, `{"decision":"approved","confirmName":"writeNote"}`, &approval.DecisionView{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		{toolspec.L5, `{"approved":true}`, nil},
		{toolspec.L3, `{"decision":"approved","approved":true}`, nil},
		{toolspec.L3, `{"decision":"approve"}`, nil},
		{toolspec.L3, `{"decision":"timed-out"}`, nil},
		{toolspec.L3, `{"note":"no decision"}`, nil},
		{toolspec.L3, `{"decision":"declined","decision":"approved"}`, nil},
		{toolspec.L3, `{"decision":"approved","arguments":{"path":7}}`, nil},
		{toolspec.L3, `{"decision":"approved","scope":"always"}`, nil},
		{toolspec.L3, `{"decision":"approved","by":"eve"}`, nil},
	}
	for _, option := range asks(toolspec.L3).Options {
		want := &approval.DecisionView{Outcome: option}
		if option == approval.Approved {
			want.Scope = approval.ScopeOnce
		}
		rows = append(rows, row{toolspec.L3, `{"decision":"` + string(option) + `"}`, want})
	}
	for _, r := range rows {
		for name, answer := range faces {
			id := asks(r.level).ID
			accepted := answer(id, r.answer)
			rec, err := gate.Broker().Get(context.Background(), id)
			require.NoError(t, err)
			now := rec.View(nil)
			if r.want == nil {
				assert.False(t, accepted, "%s: %s", name, r.answer)
				assert.Equal(t, approval.StatusPending, now.Status, "%s: %s", name, r.answer)
				continue
			}
			assert.True(t, accepted, "%s: %s", name, r.answer)
			assert.Empty(t, now.Options, "it is decided")
			require.Len(t, now.Decisions, 1, "%s: %s", name, r.answer)
			got := now.Decisions[0]
			got.By, got.Via, got.At = approval.Person{}, "", time.Time{}
			assert.Equal(t, *r.want, got, "%s: %s", name, r.answer)
		}
	}
}
