package approval_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// A webhook that takes the question answers over the API, with edited
// arguments; the call that was suspended then runs with them, once.
func TestAPIAnswersForAWebhook(t *testing.T) {
	leak.Check(t)
	took := make(chan string, 1)
	s := newService(t, func(w http.ResponseWriter, _ *service, m *approval.WebhookRequest) {
		took <- m.Requests[0].ID
		w.WriteHeader(http.StatusAccepted)
	})
	hook, err := approval.Webhook(s.URL, webhookKey, &approval.WebhookOptions{Now: s.clock.Now})
	require.NoError(t, err)
	w := newAPIWorld(t, &approval.Options{Approvers: []approval.Approver{hook}}, nil)
	call := noteCall(`{"text":"b","path":"a"}`)
	v := w.gate.Decide(within(t), []approval.Call{call})[0]
	require.Equal(t, approval.Pending, v.Outcome, v.Cause)
	id := <-took
	assert.Equal(t, v.Request.ID, id)
	r := w.do("POST", "/api/approvals/"+id, `{"decision":"approved","arguments":{"path":"edited"}}`)
	require.Equal(t, 200, r.status, r.body)
	other := noteCall(`{"text":"b","path":"another"}`)
	refused := w.gate.Resume(t.Context(), id, other)
	assert.False(t, refused.Allowed(), "the yes was for other arguments")
	v = w.gate.Resume(t.Context(), id, call)
	require.True(t, v.Allowed(), v.Cause)
	assert.True(t, v.Edited)
	assert.JSONEq(t, `{"path":"edited"}`, string(v.Arguments))
	again := w.gate.Resume(t.Context(), id, call)
	assert.False(t, again.Allowed())
	item := w.do("GET", "/api/approvals/"+id, "").item(t)
	assert.Equal(t, approval.StatusUsed, item.State)
	assert.False(t, item.Used.IsZero())
	assert.Equal(t, 200, w.do("POST", "/api/approvals/"+id, `{"decision":"approved","arguments":{"path":"edited"}}`).status, "the same answer, after the use")
	w.do("POST", "/api/approvals/"+id, `{"decision":"declined"}`).problem(t, 409, "already_decided")
}

// A held call goes on when somebody answers over the API, and a webhook that
// errs does not stand in the way.
func TestAPIAnswersAHeldCall(t *testing.T) {
	leak.Check(t)
	s := newService(t, func(w http.ResponseWriter, _ *service, _ *approval.WebhookRequest) { w.WriteHeader(http.StatusTeapot) })
	hook, err := approval.Webhook(s.URL, webhookKey, &approval.WebhookOptions{Now: s.clock.Now})
	require.NoError(t, err)
	for _, yes := range []bool{true, false} {
		w := newAPIWorld(t, &approval.Options{Approvers: []approval.Approver{hook, approval.Inbox(0)}}, nil)
		verdict := make(chan approval.Verdict, 1)
		go func() { verdict <- w.gate.Decide(within(t), []approval.Call{noteCall(`{"path":"a"}`)})[0] }()
		var list approval.ItemList
		require.Eventually(t, func() bool {
			w.do("GET", "/api/approvals?state=pending", "").into(t, &list)
			return len(list.Items) == 1
		}, time.Minute, 5*time.Millisecond)
		body := `{"approved":false,"note":"not now"}`
		if yes {
			body = `{"approved":true}`
		}
		require.Equal(t, 200, w.do("POST", "/api/responses/approval/"+list.Items[0].ID, body).status)
		v := <-verdict
		assert.Equal(t, yes, v.Allowed(), v.Cause)
		if !yes {
			assert.Contains(t, v.Message, "not now")
		}
	}
}

// The way of MCP 2026-07-28: a question in a result, sealed, and a call that
// comes again with the answer.
func TestStateWithTheGate(t *testing.T) {
	leak.Check(t)
	clock, store := newWall(), memory.New()
	gate, err := approval.NewGate(&approval.Options{Store: store, Now: clock.Now, NoAudit: true, Approvers: []approval.Approver{approval.Inbox(-1)}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gate.Close()) })
	opts := &approval.StateOptions{Store: store, Broker: gate.Broker(), Now: clock.Now}
	state, err := approval.NewState(t.Context(), opts)
	require.NoError(t, err)
	ask := func(call approval.Call) (approval.Request, string) {
		t.Helper()
		v := gate.Decide(t.Context(), []approval.Call{call})[0]
		require.Equal(t, approval.Pending, v.Outcome, v.Cause)
		return *v.Request, seal(t, state, v.Request)
	}
	call := noteCall(`{"path":"a"}`)
	call.Definition.Fingerprint = "" // a tool that cannot tell
	r, text := ask(call)
	again := call
	again.Call = &toolspec.Call{ID: "new id", Arguments: []byte(`{ "path": "a" }`), Principal: call.Call.Principal, Conversation: "c1"}
	claim, err := state.Redeem(t.Context(), text, again)
	require.NoError(t, err)
	assert.Equal(t, r.ID, claim.Request)
	d, err := approval.ElicitDecision(&r, &toolspec.ElicitResult{Action: toolspec.ElicitAccept})
	require.NoError(t, err)
	_, err = gate.Broker().Decide(t.Context(), d)
	require.NoError(t, err)
	v := gate.Resume(t.Context(), claim.Request, again)
	require.True(t, v.Allowed(), v.Cause)

	// After the use, no other program and no later run of this one opens it.
	later, err := approval.NewState(t.Context(), opts)
	require.NoError(t, err)
	_, err = later.Redeem(t.Context(), text, again)
	refused(t, approval.StateUsed, err)

	// The arguments, the tool's own words or its level are others by now.
	_, text = ask(call)
	changed := again
	changed.Definition.Description = "now with more"
	_, err = state.Redeem(t.Context(), text, changed)
	refused(t, approval.StateChanged, err)

	// Nobody asked that here.
	stranger, own := sealable("ap_01ARZ3NDEKTSV4RRFFQ69G5FAV")
	_, err = state.Redeem(t.Context(), seal(t, state, stranger), own)
	refused(t, approval.StateUnknown, err)

	// The deadline of the question, where the state would live longer.
	long, err := approval.NewState(t.Context(), &approval.StateOptions{Store: store, Broker: gate.Broker(), Now: clock.Now, TTL: time.Hour})
	require.NoError(t, err)
	r, _ = ask(call)
	r.Deadline = time.Time{} // not told to the state
	text = seal(t, long, &r)
	clock.forward(3 * time.Minute)
	_, err = long.Redeem(t.Context(), text, again)
	refused(t, approval.StateExpired, err)
}
