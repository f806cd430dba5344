package approvalapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
)

func TestAPIPolicies(t *testing.T) {
	leak.Check(t)
	fixed := []approval.Policy{{Server: "files", Tool: "remove", Effect: approval.AlwaysDeny}}
	w := newAPIWorld(t, &approval.Options{Fixed: fixed}, &approvalapi.Options{Principal: func(*http.Request) (toolspec.Principal, error) {
		return toolspec.Principal{Subject: "ada"}, nil
	}})
	const path = "/api/mcp/approval-policies"
	put := w.Do("PUT", path, `{"serverId":"files","toolName":"read","policy":"ALWAYS_ALLOW","side":"server","overridesRequired":true,
		"rules":[{"pointer":"/path","operator":"under","value":"/home","not":true,"effect":"deny","reason":"only there"}]}`)
	require.Equal(t, 200, put.Status, put.Body)
	var item approvalapi.PolicyItem
	put.Into(&item)
	assert.Equal(t, "ada", item.By.Subject)
	assert.False(t, item.At.IsZero())
	require.Len(t, item.Rules, 1)
	stored, err := w.gate.Policies().Get(t.Context(), approval.SideServer, "files", "read")
	require.NoError(t, err)
	assert.True(t, stored.OverridesRequired)
	assert.Equal(t, "only there", stored.Rules[0].Reason)
	require.Equal(t, 200, w.Do("PUT", path, `{"serverId":"","toolName":"*","policy":"ASK_USER","side":"any"}`).Status)

	for body, code := range map[string]string{
		`{"serverId":"*","toolName":"*","policy":"ALWAYS_ALLOW","side":"chat"}`:                                             "validation_failed", // not for all tools
		`{"serverId":"files","toolName":"read","policy":"ALWAYS_ALLOW","side":"any"}`:                                       "validation_failed", // needs a side
		`{"serverId":"files","toolName":"read","policy":"ALLOW"}`:                                                           "validation_failed",
		`{"serverId":"files","toolName":"read","policy":"ASK_USER","side":"x"}`:                                             "validation_failed",
		`{"serverId":"files","toolName":"","policy":"ASK_USER"}`:                                                            "validation_failed",
		`{"serverId":"files","toolName":"remove","policy":"ASK_USER","side":"any"}`:                                         "fixed_policy",
		`{"serverId":"files","toolName":"read"}`:                                                                            "invalid_json",
		`{"serverId":"files","policy":"ASK_USER"}`:                                                                          "invalid_json",
		`{"serverId":"f","toolName":"t","policy":"ASK_USER","fixed":true}`:                                                  "invalid_json",
		`{"serverId":"f","toolName":"t","policy":"ASK_USER","by":{}}`:                                                       "invalid_json",
		`{"serverId":"f","toolName":"t","policy":"ASK_USER","rules":[{"pointer":"/a","operator":"absent","effect":"run"}]}`: "validation_failed",
	} {
		r := w.Do("PUT", path, body)
		r.Problem(map[string]int{"validation_failed": 422, "fixed_policy": 409, "invalid_json": 400}[code], code)
	}

	// An unreadable policy refuses calls, and the list reports it.
	_, err = w.store.Put(t.Context(), "approval-policies", "server/files/odd", localpass.Document{Data: json.RawMessage(`{"policy":"LATER"}`)})
	require.NoError(t, err)
	var list approvalapi.PolicyList
	w.Do("GET", path, "").Into(&list)
	byTool := map[string]approvalapi.PolicyItem{}
	for _, p := range list.Items {
		byTool[p.ServerID+"/"+p.ToolName] = p
	}
	require.Len(t, byTool, 4)
	assert.True(t, byTool["files/remove"].Fixed)
	assert.NotEmpty(t, byTool["files/odd"].Problem)
	assert.Equal(t, approval.AlwaysDeny, byTool["files/odd"].Policy)
	assert.Equal(t, approval.AskUser, byTool["/*"].Policy)
	var few approvalapi.PolicyList
	var got []string
	for cursor := ""; ; cursor = "&cursor=" + few.NextCursor {
		few = approvalapi.PolicyList{}
		w.Do("GET", path+"?limit=3"+cursor, "").Into(&few)
		for _, p := range few.Items {
			got = append(got, p.ServerID+"/"+p.ToolName)
		}
		if few.NextCursor == "" {
			break
		}
	}
	assert.Len(t, got, 4)
	w.Do("GET", path+"?side=server&serverId=files", "").Into(&list)
	assert.Len(t, list.Items, 2)

	assert.Equal(t, 204, w.Do("DELETE", path+"?serverId=files&toolName=read&side=server", "").Status)
	w.Do("DELETE", path+"?serverId=files&toolName=read&side=server", "").Problem(404, "not_found")
	assert.Equal(t, 204, w.Do("DELETE", path+"?toolName=*&side=any", "").Status)
	assert.Equal(t, 204, w.Do("DELETE", path+"?serverId=files&toolName=odd&side=server", "").Status)
	w.Do("DELETE", path+"?serverId=files&toolName=remove&side=any", "").Problem(409, "fixed_policy")
	w.Do("DELETE", path+"?serverId=files", "").Problem(400, "invalid_argument")
	w.Do("DELETE", path+"?toolName=x&side=y", "").Problem(400, "invalid_argument")
}

// A policy without a side belongs to the chat; side "any" means all sides.
func TestAPIPoliciesOfTheChat(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	const path = "/api/mcp/approval-policies"
	r := w.Do("PUT", path, `{"serverId":"files","toolName":"read","policy":"ALWAYS_ALLOW"}`)
	require.Equal(t, 200, r.Status, r.Body)
	var item approvalapi.PolicyItem
	r.Into(&item)
	assert.Equal(t, approval.SideChat, item.Side)
	_, err := w.gate.Policies().Get(t.Context(), approval.SideServer, "files", "read")
	require.ErrorIs(t, err, approval.ErrNotFound)
	require.Equal(t, 200, w.Do("PUT", path, `{"serverId":"files","toolName":"read","policy":"ALWAYS_DENY","side":"any"}`).Status)
	every, err := w.gate.Policies().Get(t.Context(), "", "files", "read")
	require.NoError(t, err)
	assert.Equal(t, approval.AlwaysDeny, every.Effect)

	var list approvalapi.PolicyList
	w.Do("GET", path, "").Into(&list)
	require.Len(t, list.Items, 2)
	assert.EqualValues(t, "any", list.Items[0].Side)
	w.Do("GET", path+"?side=chat", "").Into(&list)
	assert.Len(t, list.Items, 1)
	assert.Equal(t, 204, w.Do("DELETE", path+"?serverId=files&toolName=read", "").Status)
	w.Do("GET", path, "").Into(&list)
	require.Len(t, list.Items, 1)
	assert.EqualValues(t, "any", list.Items[0].Side)
	assert.Equal(t, 204, w.Do("DELETE", path+"?serverId=files&toolName=read&side=any", "").Status)
}

// The short answer can decline any call, and approve calls up to L4 or of an unknown
// level. For L5 it needs the name of the tool, which the problem contains.
func TestAPIShortAnswer(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	ask := func(level toolspec.Level) approval.Record {
		t.Helper()
		c := approvaltest.NoteCall(`{"path":"a"}`)
		c.Definition.Level, c.Server = level, "far"
		out := w.gate.Check(t.Context(), []approval.Call{c})[0]
		require.Equal(t, approval.Pending, out.Outcome, out.Cause)
		rec, err := w.gate.Broker().Get(t.Context(), out.Request.ID)
		require.NoError(t, err)
		return rec
	}
	for level := toolspec.LevelUnknown; level <= toolspec.L5; level++ {
		rec := ask(level)
		path := "/api/responses/approval/" + rec.Request.ID
		body := `{"approved":true}`
		if level == toolspec.L5 {
			p := w.Do("POST", path, body).Problem(422, "validation_failed")
			assert.Equal(t, "writeNote", p["confirmName"])
			assert.Contains(t, p["detail"], "confirmName")
			w.Do("POST", path, `{"approved":true,"confirmName":"another"}`).Problem(422, "validation_failed")
			body = `{"approved":true,"confirmName":"writeNote"}`
		}
		item := itemOf(w.Do("POST", path, body))
		assert.Equal(t, approval.Approved, item.Outcome, level)
		require.Len(t, item.Decisions, 1)
		assert.Equal(t, approval.ScopeOnce, item.Decisions[0].Scope)
		assert.Equal(t, approval.Declined, itemOf(w.Do("POST", "/api/responses/approval/"+ask(level).Request.ID, `{"approved":false}`)).Outcome, level)
	}
}

// grant makes a grant by approving a request over the API.
func (w *apiWorld) grant(conversation string) approvalapi.GrantItem {
	w.T.Helper()
	c := approvaltest.NoteCall(`{"path":"a"}`)
	c.Call.Conversation = conversation
	out := w.gate.Check(w.T.Context(), []approval.Call{c})[0]
	require.Equal(w.T, approval.Pending, out.Outcome, out.Cause)
	r := w.Do("POST", "/api/approvals/"+out.Request.ID, `{"decision":"approved","scope":"conversation"}`)
	require.Equal(w.T, 200, r.Status, r.Body)
	out = w.gate.Resume(w.T.Context(), out.Request.ID, c)
	require.True(w.T, out.Allowed(), out.Cause)
	var list approvalapi.GrantList
	w.Do("GET", "/api/approvals/grants?conversation="+conversation, "").Into(&list)
	require.Len(w.T, list.Items, 1)
	return list.Items[0]
}

func TestAPIGrants(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, nil)
	assert.Contains(t, w.Do("GET", "/api/approvals/grants", "").Body, `"items":[]`)
	var ids []string
	for i := range 5 {
		g := w.grant(fmt.Sprintf("c%d", i))
		assert.Equal(t, approval.ScopeConversation, g.Scope)
		assert.Equal(t, "client", g.Principal.Subject)
		assert.Equal(t, approval.Person{Subject: "local", Via: "http"}, g.By)
		ids = append(ids, g.ID)
		w.clock.Forward(1e6)
	}
	var got []string
	for cursor := ""; ; {
		var list approvalapi.GrantList
		w.Do("GET", "/api/approvals/grants?limit=2"+cursor, "").Into(&list)
		for _, g := range list.Items {
			got = append(got, g.ID)
		}
		if list.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + list.NextCursor
	}
	assert.Equal(t, ids, got)
	c := approvaltest.NoteCall(`{"path":"b"}`)
	c.Call.Conversation = "c0"
	require.True(t, w.gate.Check(t.Context(), []approval.Call{c})[0].Allowed(), "the grant decides")
	assert.Equal(t, 204, w.Do("DELETE", "/api/approvals/grants/"+ids[0], "").Status)
	w.Do("DELETE", "/api/approvals/grants/"+ids[0], "").Problem(404, "not_found")
	w.Do("DELETE", "/api/approvals/grants/none", "").Problem(404, "not_found")
	assert.Equal(t, approval.Pending, w.gate.Check(t.Context(), []approval.Call{c})[0].Outcome, "it is asked about again")

	assert.JSONEq(t, `{"revoked":1}`, w.Do("DELETE", "/api/approvals/grants?conversation=c1", "").Body)
	assert.JSONEq(t, `{"revoked":0}`, w.Do("DELETE", "/api/approvals/grants?side=chat", "").Body)
	w.Do("DELETE", "/api/approvals/grants?conversaton=c2", "").Problem(400, "invalid_argument") // a misspelt filter must not revoke all
	w.Do("DELETE", "/api/approvals/grants?side=x", "").Problem(400, "invalid_argument")
	assert.JSONEq(t, `{"revoked":3}`, w.Do("DELETE", "/api/approvals/grants", "").Body)
	assert.Contains(t, w.Do("GET", "/api/approvals/grants", "").Body, `"items":[]`)
}

func TestAPIExplains(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{Lookup: func(_ context.Context, server, tool string) (approval.Call, error) {
		if tool != "writeNote" {
			return approval.Call{}, fmt.Errorf("%w: no tool %q", approval.ErrNotFound, tool)
		}
		c := approvaltest.NoteCall("")
		c.Server = server
		return c, nil
	}})
	explain := func(body string) approvalapi.Explanation {
		t.Helper()
		r := w.Do("POST", "/api/approvals/explain", body)
		require.Equal(t, 200, r.Status, r.Body)
		var e approvalapi.Explanation
		r.Into(&e)
		return e
	}
	e := explain(`{"toolName":"writeNote","side":"server","arguments":{"path":"a"}}`)
	assert.Equal(t, approval.EffectAsk, e.Effect)
	assert.Len(t, e.Rows, 13)
	require.Equal(t, 200, w.Do("PUT", "/api/mcp/approval-policies", `{"serverId":"","toolName":"writeNote","policy":"ALWAYS_DENY","side":"any"}`).Status)
	assert.Equal(t, approval.EffectDeny, explain(`{"toolName":"writeNote","side":"server"}`).Effect)
	require.Equal(t, 204, w.Do("DELETE", "/api/mcp/approval-policies?toolName=writeNote&side=any", "").Status)

	w.grant("c7")
	own := `{"toolName":"writeNote","side":"server","conversation":"c7","principal":{"subject":"client","via":"http"}}`
	assert.Equal(t, approval.EffectRun, explain(own).Effect, "a grant of that principal")
	assert.Equal(t, approval.EffectAsk, explain(strings.Replace(own, "client", "other", 1)).Effect)
	w.Do("POST", "/api/approvals/explain", `{"toolName":"none","side":"server"}`).Problem(404, "not_found")
	w.Do("POST", "/api/approvals/explain", `{"side":"server"}`).Problem(400, "invalid_json")
	assert.Equal(t, approval.EffectDeny, explain(`{"toolName":"writeNote","side":"web"}`).Effect)
	assert.Equal(t, approval.EffectDeny, explain(`{"toolName":"writeNote","side":"server","arguments":[]}`).Effect)

	// Without a function that finds tools, the route is missing.
	none := newAPIWorld(t, nil, nil)
	none.Do("POST", "/api/approvals/explain", `{"toolName":"writeNote","side":"server"}`).Problem(400, "invalid_json")
}

// The served description is equal to that in testdata.
func TestAPIDescription(t *testing.T) {
	leak.Check(t)
	w := newAPIWorld(t, nil, &approvalapi.Options{Lookup: func(context.Context, string, string) (approval.Call, error) { return approval.Call{}, nil }})
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct{ OperationID string }
	}
	r := w.Do("GET", "/api/openapi.json", "")
	require.Equal(t, 200, r.Status)
	r.Into(&doc)
	assert.True(t, strings.HasPrefix(doc.OpenAPI, "3.1"))
	assert.JSONEq(t, string(w.api.OpenAPI()), r.Body)
	got := []string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			got = append(got, strings.ToUpper(method)+" "+path+" "+op.OperationID)
		}
	}
	assert.ElementsMatch(t, []string{
		"GET /api/approvals listApprovals", "GET /api/approvals/stream followApprovals", "GET /api/approvals/{id} getApproval", "POST /api/approvals/{id} decideApproval",
		"POST /api/responses/approval/{id} answerApproval", "POST /api/approvals/{id}/more-time extendApproval", "POST /api/approvals/explain explainCall",
		"GET /api/approvals/grants listGrants", "DELETE /api/approvals/grants revokeGrants", "DELETE /api/approvals/grants/{id} revokeGrant",
		"GET /api/mcp/approval-policies listApprovalPolicies", "PUT /api/mcp/approval-policies setApprovalPolicy", "DELETE /api/mcp/approval-policies deleteApprovalPolicy",
		"GET /api/openapi.json describeAPI"}, got)

	mux := http.NewServeMux()
	require.NoError(t, w.api.Mount(mux))
	require.ErrorContains(t, w.api.Mount(mux), "cannot be mounted")
}

// A pending request reports that its tool has changed.
func TestAPIReportsAChangedTool(t *testing.T) {
	leak.Check(t)
	now := toolspec.Definition{Name: "writeNote", Level: toolspec.L3, Fingerprint: "f1"}
	var gone error
	w := newAPIWorld(t, nil, &approvalapi.Options{Lookup: func(context.Context, string, string) (approval.Call, error) {
		return approval.Call{Definition: now}, gone
	}})
	rec := w.asks(nil)
	st := w.asks(func(r *approval.Request) { r.Side = approval.SideStudio })
	other := w.asks(func(r *approval.Request) { r.Server = "files" })
	changed := func(id string) approval.Changed {
		return itemOf(w.Do("GET", "/api/approvals/"+id, "")).Changed
	}
	assert.Empty(t, changed(rec.Request.ID), "it is the same")
	now.Fingerprint = "f2"
	assert.Equal(t, approval.ChangedTool, changed(rec.Request.ID))
	var list approvalapi.ItemList
	w.Do("GET", "/api/approvals?state=pending", "").Into(&list)
	found := map[string]approval.Changed{}
	for _, i := range list.Items {
		found[i.ID] = i.Changed
	}
	assert.Equal(t, map[string]approval.Changed{rec.Request.ID: approval.ChangedTool, st.Request.ID: "", other.Request.ID: ""}, found)
	now.Level = toolspec.L5
	assert.Equal(t, approval.ChangedRisk, changed(rec.Request.ID))
	gone = approval.ErrNotFound
	assert.Empty(t, changed(rec.Request.ID), "a missing document may not be deleted")
	gone = nil
	require.Equal(t, 200, w.Do("POST", "/api/approvals/"+rec.Request.ID, `{"decision":"declined"}`).Status)
	assert.Empty(t, changed(rec.Request.ID), "it does not wait any more")
}
