package approvalapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestAPIDecides(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{Principal: func(*http.Request) (toolspec.Principal, error) {
		return toolspec.Principal{Subject: "ada", Issuer: "example.com", Via: "session"}, nil
	}})
	l5 := func(r *approval.Request) { r.Level = toolspec.L5; r.Scopes = nil }
	for name, tc := range map[string]struct {
		change  func(*approval.Request)
		body    string
		outcome approval.Outcome
		status  int
		code    string
	}{
		"yes":                 {nil, `{"decision":"approved"}`, approval.Approved, 200, ""},
		"no":                  {nil, `{"decision":"declined","note":"not this file"}`, approval.Declined, 200, ""},
		"cancelled":           {nil, `{"decision":"cancelled"}`, approval.Cancelled, 200, ""},
		"edited":              {nil, `{"decision":"approved","arguments":{"text":"z","path":"y"}}`, approval.Approved, 200, ""},
		"edited to null":      {nil, `{"decision":"approved","arguments":null}`, approval.Approved, 200, ""},
		"calls":               {nil, `{"decision":"approved","scope":"calls","calls":3}`, approval.Approved, 200, ""},
		"L5 with its name":    {l5, `{"decision":"approved","confirmName":"writeNote"}`, approval.Approved, 200, ""},
		"L5 without":          {l5, `{"decision":"approved"}`, "", 422, "validation_failed"},
		"L5 with another":     {l5, `{"decision":"approved","confirmName":"writenote"}`, "", 422, "validation_failed"},
		"against the schema":  {nil, `{"decision":"approved","arguments":{"path":7}}`, "", 422, "validation_failed"},
		"no object":           {nil, `{"decision":"approved","arguments":[1]}`, "", 422, "validation_failed"},
		"scope not offered":   {nil, `{"decision":"approved","scope":"always"}`, "", 422, "validation_failed"},
		"too many calls":      {nil, `{"decision":"approved","scope":"calls","calls":100000}`, "", 422, "validation_failed"},
		"too long":            {nil, `{"decision":"approved","scope":"time","until":"2026-08-02T12:00:00Z"}`, "", 422, "validation_failed"},
		"no word for people":  {nil, `{"decision":"timed-out"}`, "", 422, "validation_failed"},
		"another case":        {nil, `{"decision":"Approved"}`, "", 422, "validation_failed"},
		"yes, short":          {nil, `{"approved":true,"scope":"once"}`, approval.Approved, 200, ""},
		"no, short":           {nil, `{"approved":false,"note":"x"}`, approval.Declined, 200, ""},
		"both":                {nil, `{"approved":true,"decision":"approved"}`, "", 422, "validation_failed"},
		"no decision":         {nil, `{"note":"x"}`, "", 422, "validation_failed"},
		"nothing":             {nil, ``, "", 422, "validation_failed"},
		"unknown member":      {nil, `{"decision":"approved","force":true}`, "", 400, "invalid_json"},
		"decided twice":       {nil, `{"decision":"declined","decision":"approved"}`, "", 400, "invalid_json"},
		"by somebody else":    {nil, `{"decision":"approved","by":"eve"}`, "", 400, "invalid_json"},
		"member of that case": {nil, `{"Decision":"approved"}`, "", 400, "invalid_json"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := w.asks(tc.change)
			path := "/api/approvals/" + rec.Request.ID
			got := w.Do("POST", path, tc.body)
			if tc.code != "" {
				got.Problem(tc.status, tc.code)
				now, err := w.gate.Broker().Get(t.Context(), rec.Request.ID)
				require.NoError(t, err)
				assert.Equal(t, approval.StatusPending, now.Status)
				return
			}
			require.Equal(t, 200, got.Status, got.Body)
			item := itemOf(got)
			assert.Equal(t, approval.StatusDecided, item.Status)
			assert.Equal(t, tc.outcome, item.Outcome)
			require.Len(t, item.Decisions, 1)
			assert.Equal(t, approval.Person{Subject: "ada", Issuer: "example.com", Via: "session"}, item.Decisions[0].By)
			assert.Equal(t, "http", item.Decisions[0].Via)
			again := w.Do("POST", path, tc.body)
			require.Equal(t, 200, again.Status, again.Body)
			assert.Equal(t, got.Body, again.Body, "the same decision changes nothing")
			assert.JSONEq(t, got.Body, w.Do("GET", path, "").Body)
			switch name {
			case "no":
				assert.Equal(t, "not this file", item.Decisions[0].Note)
			case "edited":
				assert.Equal(t, `{"path":"y","text":"z"}`, string(item.Decisions[0].Arguments))
				assert.Equal(t, `{"path":"a","text":"b"}`, string(item.Arguments))
			case "edited to null":
				assert.Empty(t, item.Decisions[0].Arguments)
			}
			other := `{"decision":"declined"}`
			if tc.outcome != approval.Approved {
				other = `{"decision":"approved"}`
			}
			p := w.Do("POST", path, other).Problem(409, "already_decided")
			assert.Equal(t, string(tc.outcome), p["approval"].(map[string]any)["outcome"])
		})
	}
	for _, id := range []string{"ap_01ARZ3NDEKTSV4RRFFQ69G5FAV", "none", "ap_%00", "..%5Cgrants"} {
		w.Do("POST", "/api/approvals/"+id, `{"decision":"approved"}`).Problem(404, "not_found")
		w.Do("GET", "/api/approvals/"+id, "").Problem(404, "not_found")
	}
}

// The answer route of the protocol, case by case.
func TestAPIAnswers(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	path := func(rec approval.Record) string { return "/api/responses/approval/" + rec.Request.ID }
	yes := w.asks(nil)
	got := w.Do("POST", path(yes), `{"approved":true}`)
	require.Equal(t, 200, got.Status, got.Body)
	assert.Equal(t, approval.Approved, itemOf(got).Outcome)
	assert.Equal(t, approval.Person{Subject: "local", Via: "http"}, itemOf(got).Decisions[0].By)
	again := w.Do("POST", path(yes), `{"approved":true}`)
	assert.Equal(t, 200, again.Status)
	assert.Equal(t, got.Body, again.Body)
	other := w.Do("POST", path(yes), `{"approved":false}`)
	assert.Equal(t, 409, other.Status)
	assert.Equal(t, got.Body, other.Body, "409 has the same body")

	no := w.asks(nil)
	got = w.Do("POST", path(no), `{"approved":false,"note":"later"}`)
	require.Equal(t, 200, got.Status, got.Body)
	assert.Equal(t, approval.Declined, itemOf(got).Outcome)
	assert.Equal(t, 409, w.Do("POST", path(no), `{"approved":true}`).Status)

	w.Do("POST", "/api/responses/approval/ap_01ARZ3NDEKTSV4RRFFQ69G5FAV", `{"approved":true}`).Problem(404, "not_found")
	w.Do("POST", path(w.asks(nil)), `{}`).Problem(422, "validation_failed")
	w.Do("POST", path(w.asks(nil)), `{"approved":"yes"}`).Problem(400, "invalid_json")
	w.Do("POST", path(w.asks(func(r *approval.Request) { r.Level = toolspec.L5 })), `{"approved":true}`).Problem(422, "validation_failed")

	late := w.asks(nil)
	w.clock.Forward(3 * time.Minute)
	p := w.Do("POST", path(late), `{"approved":true}`).Problem(410, "expired")
	assert.Equal(t, "expired", p["approval"].(map[string]any)["state"])
	w.Do("POST", "/api/approvals/"+late.Request.ID, `{"decision":"approved"}`).Problem(410, "expired")
	assert.Equal(t, approval.StatusExpired, itemOf(w.Do("GET", "/api/approvals/"+late.Request.ID, "")).Status)
}

// Of many concurrent decisions, one counts, and every caller gets it.
func TestAPIConcurrentAnswers(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	rec := w.asks(nil)
	replies := make([]*apitest.Reply, 16)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			replies[i] = w.Do("POST", "/api/responses/approval/"+rec.Request.ID, fmt.Sprintf(`{"approved":%v}`, i%2 == 0))
		})
	}
	all.Wait()
	now, err := w.gate.Broker().Get(t.Context(), rec.Request.ID)
	require.NoError(t, err)
	require.Len(t, now.Decisions, 1)
	for i, r := range replies {
		want := 409
		if (i%2 == 0) == (now.Outcome == approval.Approved) {
			want = 200
		}
		assert.Equal(t, want, r.Status, r.Body)
		assert.Equal(t, now.Outcome, itemOf(r).Outcome)
	}
}

func TestAPIFourEyes(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{Principal: func(r *http.Request) (toolspec.Principal, error) {
		switch name := r.Header.Get("X-Name"); name {
		case "":
			return toolspec.Principal{}, errors.New("the session cookie is s3cr3t")
		case "nobody":
			return toolspec.Principal{Via: "session"}, nil
		default:
			return toolspec.Principal{Subject: name}, nil
		}
	}})
	rec := w.asks(func(r *approval.Request) { r.Needed = 2 })
	path := "/api/approvals/" + rec.Request.ID
	for _, name := range []string{"ada", "ada"} {
		got := w.Do("POST", path, `{"decision":"approved"}`, "X-Name: "+name)
		require.Equal(t, 200, got.Status, got.Body)
		assert.Equal(t, approval.StatusPending, itemOf(got).Status, "one person counts once")
		assert.Len(t, itemOf(got).Decisions, 1)
	}
	got := w.Do("POST", path, `{"decision":"approved"}`)
	got.Problem(401, "unauthenticated")
	assert.NotContains(t, got.Body, "s3cr3t")
	w.Do("POST", path, `{"decision":"approved"}`, "X-Name: nobody").Problem(401, "unauthenticated")
	assert.Equal(t, approval.StatusDecided, itemOf(w.Do("POST", path, `{"decision":"approved"}`, "X-Name: bob")).Status)
}

func TestAPILists(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	var ids []string
	for i := range 7 {
		rec := w.asks(func(r *approval.Request) {
			r.Batch = "b" + fmt.Sprint(i%2)
			if i%2 == 1 {
				r.Side, r.Level = approval.SideChat, toolspec.L4
			}
		})
		ids = append(ids, rec.Request.ID)
		w.clock.Forward(time.Millisecond)
	}
	require.Equal(t, 200, w.Do("POST", "/api/responses/approval/"+ids[0], `{"approved":true}`).Status)
	read := func(query string) (got []string) {
		t.Helper()
		cursor := ""
		for {
			r := w.Do("GET", "/api/approvals?limit=2"+query+cursor, "")
			require.Equal(t, 200, r.Status, r.Body)
			var list approvalapi.ItemList
			r.Into(&list)
			require.LessOrEqual(t, len(list.Items), 2)
			for _, item := range list.Items {
				got = append(got, item.ID)
			}
			if list.NextCursor == "" {
				return got
			}
			cursor = "&cursor=" + list.NextCursor
		}
	}
	assert.Equal(t, []string{ids[6], ids[5], ids[4], ids[3], ids[2], ids[1], ids[0]}, read(""))
	assert.Equal(t, ids, read("&order=oldest"))
	assert.Equal(t, ids[1:], read("&order=oldest&state=pending"))
	assert.Equal(t, ids[:1], read("&state=decided"))
	assert.Equal(t, []string{ids[5], ids[3], ids[1]}, read("&side=chat"))
	assert.Equal(t, []string{ids[5], ids[3], ids[1]}, read("&level=L4"))
	assert.Equal(t, []string{ids[5], ids[3], ids[1]}, read("&batch=b1"))
	assert.Empty(t, read("&level=L5"))
	w.clock.Forward(time.Hour)
	assert.Equal(t, ids[1:], read("&order=oldest&state=expired"))

	assert.Contains(t, w.Do("GET", "/api/approvals?side=studio", "").Body, `"items":[]`)
	var list approvalapi.ItemList
	w.Do("GET", "/api/approvals?limit=1", "").Into(&list)
	for _, bad := range []string{"state=open", "side=web", "level=L9", "level=unknown", "order=up", "limit=0", "limit=201", "limit=x", "cursor=x", "cursor=e30", "stat=pending",
		"order=oldest&cursor=" + list.NextCursor} {
		w.Do("GET", "/api/approvals?"+bad, "").Problem(400, "invalid_argument")
	}
}

// No response contains a secret, and a mask cannot become an argument.
func TestAPIKeepsSecrets(t *testing.T) {
	leak.Check(t)
	const hidden = "s3cr3t-value"
	w := newAPIWorld(t, &approval.Options{Redactor: secret.NewRedactor(hidden)}, nil)
	rec := w.asks(func(r *approval.Request) {
		r.Arguments = json.RawMessage(`{"path":"` + hidden + `","text":"b"}`)
		r.Prompt, r.Shown, r.Title, r.Description, r.Why, r.Changes = hidden, hidden, hidden, hidden, []string{hidden}, []string{hidden}
	})
	path := "/api/approvals/" + rec.Request.ID
	assert.True(t, itemOf(w.Do("GET", path, "")).Masked)
	p := w.Do("POST", path, `{"decision":"approved","arguments":{"path":"***","text":"c"}}`).Problem(422, "validation_failed")
	assert.Contains(t, p["detail"], "mask")
	got := w.Do("POST", path, `{"decision":"approved","arguments":{"path":"`+hidden+`","text":"c"},"note":"`+hidden+`"}`)
	require.Equal(t, 200, got.Status, got.Body)
	wrong := w.Do("POST", "/api/approvals/"+w.asks(nil).Request.ID, `{"decision":"approved","arguments":{"path":"a","`+hidden+`":{"`+hidden+`":[]},"path2":1e9999999999}}`)
	assert.Equal(t, 422, wrong.Status, wrong.Body)
	for _, body := range []string{got.Body, wrong.Body, w.Do("GET", path, "").Body, w.Do("GET", "/api/approvals", "").Body} {
		assert.NotContains(t, body, hidden)
	}
	now, err := w.gate.Broker().Get(t.Context(), rec.Request.ID)
	require.NoError(t, err)
	assert.Contains(t, string(now.Decisions[0].Arguments), hidden, "the arguments that run are not masked")
}

// Requests with a foreign origin, another host, another format or without a principal are
// refused.
func TestAPIGuards(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{Authenticate: func(r *http.Request) error {
		if r.Header.Get("Authorization") != "Bearer right" {
			return errors.New("no token")
		}
		return nil
	}, AllowedOrigins: []string{"https://app.example.com"}})
	rec := w.asks(nil)
	path, body, right := "/api/approvals/"+rec.Request.ID, `{"decision":"approved"}`, "Authorization: Bearer right"
	w.Do("POST", path, body).Problem(401, "unauthenticated")
	w.Do("POST", path, body, "Authorization: Bearer wrong").Problem(401, "unauthenticated")
	w.Do("POST", path, body, right, "Origin: https://evil.example.com").Problem(403, "forbidden_origin")
	w.Do("POST", path, body, right, "Origin: null").Problem(403, "forbidden_origin")
	w.Do("POST", path, body, right, "Sec-Fetch-Site: cross-site").Problem(403, "forbidden_origin")
	w.Do("GET", "/api/approvals/stream", "", right, "Origin: https://evil.example.com").Problem(403, "forbidden_origin")
	w.Do("POST", path, body, right, "Host: evil.example.com").Problem(421, "forbidden_host")
	w.Do("POST", path, body, right, "Content-Type: text/plain").Problem(415, "unsupported_format")
	w.Do("POST", path, "decision=approved", right, "Content-Type: application/x-www-form-urlencoded").Problem(415, "unsupported_format")
	w.Do("POST", path, strings.Repeat(" ", 5<<20)+body, right).Problem(413, "too_large")
	now, err := w.gate.Broker().Get(t.Context(), rec.Request.ID)
	require.NoError(t, err)
	require.Equal(t, approval.StatusPending, now.Status)
	assert.Equal(t, 200, w.Do("POST", path, body, right, "Origin: https://app.example.com").Status)

	_, err = approvalapi.New(nil, nil)
	require.Error(t, err)
	_, err = approvalapi.New(w.gate, &approvalapi.Options{AllowedOrigins: []string{"*"}})
	require.Error(t, err)
}
