package approvalapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/approval/webhook"
	"github.com/localpass/localpass/internal/leak"
)

// A service that accepts a request by webhook decides over the API, with edited
// arguments. The suspended call runs with them, once.
func TestAPIAnswersForAWebhook(t *testing.T) {
	leak.Check(t)
	took := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m webhook.Request
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&m))
		took <- m.Requests[0].ID
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(s.Close)
	hook, err := webhook.New(s.URL, []byte("0123456789abcdef-shared"), nil)
	require.NoError(t, err)
	w := newAPIWorld(t, &approval.Options{Approvers: []approval.Approver{hook}}, nil)
	call := approvaltest.NoteCall(`{"text":"b","path":"a"}`)
	out := w.gate.Check(approvaltest.Within(t), []approval.Call{call})[0]
	require.Equal(t, approval.Pending, out.Outcome, out.Cause)
	id := <-took
	assert.Equal(t, out.Request.ID, id)
	r := w.Do("POST", "/api/approvals/"+id, `{"decision":"approved","arguments":{"path":"edited"}}`)
	require.Equal(t, 200, r.Status, r.Body)
	other := approvaltest.NoteCall(`{"text":"b","path":"another"}`)
	refused := w.gate.Resume(t.Context(), id, other)
	assert.False(t, refused.Allowed(), "the approval was for other arguments")
	out = w.gate.Resume(t.Context(), id, call)
	require.True(t, out.Allowed(), out.Cause)
	assert.True(t, out.Edited)
	assert.JSONEq(t, `{"path":"edited"}`, string(out.Arguments))
	again := w.gate.Resume(t.Context(), id, call)
	assert.False(t, again.Allowed())
	item := itemOf(w.Do("GET", "/api/approvals/"+id, ""))
	assert.Equal(t, approval.StatusUsed, item.Status)
	assert.False(t, item.Used.IsZero())
	assert.Equal(t, 200, w.Do("POST", "/api/approvals/"+id, `{"decision":"approved","arguments":{"path":"edited"}}`).Status, "the same decision after the use")
	w.Do("POST", "/api/approvals/"+id, `{"decision":"declined"}`).Problem(409, "already_decided")
}

// A waiting call continues after a decision over the API, also if a webhook fails.
func TestAPIAnswersAHeldCall(t *testing.T) {
	leak.Check(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(s.Close)
	hook, err := webhook.New(s.URL, []byte("0123456789abcdef-shared"), nil)
	require.NoError(t, err)
	for _, yes := range []bool{true, false} {
		w := newAPIWorld(t, &approval.Options{Approvers: []approval.Approver{hook, approval.Inbox(0)}}, nil)
		held := make(chan approval.CallOutcome, 1)
		go func() {
			held <- w.gate.Check(approvaltest.Within(t), []approval.Call{approvaltest.NoteCall(`{"path":"a"}`)})[0]
		}()
		var list approvalapi.ItemList
		require.Eventually(t, func() bool {
			w.Do("GET", "/api/approvals?state=pending", "").Into(&list)
			return len(list.Items) == 1
		}, time.Minute, 5*time.Millisecond)
		body := `{"approved":false,"note":"not now"}`
		if yes {
			body = `{"approved":true}`
		}
		require.Equal(t, 200, w.Do("POST", "/api/responses/approval/"+list.Items[0].ID, body).Status)
		out := <-held
		assert.Equal(t, yes, out.Allowed(), out.Cause)
		if !yes {
			assert.Contains(t, out.Message, "not now")
		}
	}
}

func TestAPIExtends(t *testing.T) {
	w := newAPIWorld(t, nil, nil)
	rec := w.asks(func(r *approval.Request) {
		r.Created = w.clock.Now()
		r.Deadline, r.Latest = r.Created.Add(time.Minute), r.Created.Add(6*time.Minute)
	})
	path := "/api/approvals/" + rec.Request.ID
	before := itemOf(w.Do("GET", path, ""))
	assert.Equal(t, rec.Request.Latest, before.Latest)
	r := w.Do("POST", path+"/more-time", "", "Content-Type: application/json")
	require.Equal(t, 200, r.Status, r.Body)
	assert.Equal(t, before.Latest, itemOf(r).Deadline)
	assert.Zero(t, itemOf(r).Latest)
	w.Do("POST", path+"/more-time", "", "Content-Type: application/json").Problem(409, "no_more_time")
	require.Equal(t, 200, w.Do("POST", path, `{"decision":"declined"}`).Status)
	p := w.Do("POST", path+"/more-time", "", "Content-Type: application/json").Problem(409, "already_decided")
	assert.Contains(t, p, "approval")
	w.Do("POST", "/api/approvals/ap_nothing/more-time", "", "Content-Type: application/json").Problem(404, "not_found")
}
