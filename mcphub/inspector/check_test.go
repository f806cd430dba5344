package inspector_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
)

// A server that does not keep to the protocol is found out, by the row that is
// about it.
func TestInspectorCheckFinds(t *testing.T) {
	leak.Check(t)
	tools := func(items string) mcphubtest.Reaction {
		return mcphubtest.Reply(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[` + items + `]}`)
	}
	for name, test := range map[string]struct {
		version string
		change  func(p *mcphubtest.Peer)
		row     string
		status  inspector.CheckStatus
	}{
		"no name": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("initialize", mcphubtest.Reply(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}`))
		}, "introduction", inspector.CheckWarn},
		"no version": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("initialize", mcphubtest.Reply(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x"}}`))
		}, "introduction", inspector.CheckWarn},
		"no capabilities": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("initialize", mcphubtest.Reply(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}`))
		}, "capabilities", inspector.CheckFail},
		"nothing declared": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("initialize", mcphubtest.Reply(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`))
		}, "tools/list", inspector.CheckSkip},
		"no ping":            {"2025-11-25", func(p *mcphubtest.Peer) { p.On("ping", mcphubtest.Refuse(-32601, "no")) }, "liveness", inspector.CheckFail},
		"answers anything":   {"2025-11-25", func(p *mcphubtest.Peer) { p.On("localpass-check-no-such-thing", mcphubtest.Reply(`{}`)) }, "unknown-method", inspector.CheckFail},
		"another code":       {"2025-11-25", func(p *mcphubtest.Peer) { p.On("localpass-check-no-such-thing", mcphubtest.Refuse(-32000, "no")) }, "unknown-method", inspector.CheckFail},
		"nonsense":           {"2025-11-25", func(p *mcphubtest.Peer) { p.On("localpass-check-no-such-thing", mcphubtest.Garbage()) }, "unknown-method", inspector.CheckFail},
		"no list":            {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/list", mcphubtest.Reply(`{}`)) }, "tools/list", inspector.CheckFail},
		"no object":          {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/list", mcphubtest.Reply(`[]`)) }, "tools/list", inspector.CheckFail},
		"list refused":       {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/list", mcphubtest.Refuse(-32603, "no")) }, "tools/list", inspector.CheckFail},
		"no input schema":    {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/list", tools(`{"name":"x"}`)) }, "tools/list", inspector.CheckFail},
		"input is no object": {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/list", tools(`{"name":"x","inputSchema":{"type":"string"}}`)) }, "tools/list", inspector.CheckFail},
		"input schema is bad": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("tools/list", tools(`{"name":"x","inputSchema":{"type":"object","required":7}}`))
		}, "tools/list", inspector.CheckFail},
		"output schema is bad": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("tools/list", tools(`{"name":"x","inputSchema":{"type":"object"},"outputSchema":{"required":7}}`))
		}, "tools/list", inspector.CheckFail},
		"twice": {"2025-11-25", func(p *mcphubtest.Peer) {
			p.On("tools/list", tools(`{"name":"x","inputSchema":{"type":"object"}},{"name":"x","inputSchema":{"type":"object"}}`))
		}, "tools/list", inspector.CheckFail},
		"endless":  {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/list", mcphubtest.Reply(`{"tools":[],"nextCursor":"a"}`)) }, "tools/list", inspector.CheckFail},
		"no hints": {"2026-07-28", func(p *mcphubtest.Peer) { p.On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[]}`)) }, "tools/list", inspector.CheckFail},
		"no result type": {"2026-07-28", func(p *mcphubtest.Peer) {
			p.On("tools/list", mcphubtest.Reply(`{"tools":[],"ttlMs":0,"cacheScope":"public"}`))
		}, "tools/list", inspector.CheckFail},
		"odd scope": {"2026-07-28", func(p *mcphubtest.Peer) {
			p.On("tools/list", mcphubtest.Reply(`{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"ours"}`))
		}, "tools/list", inspector.CheckFail},
		"resource without name":   {"2025-11-25", func(p *mcphubtest.Peer) { p.On("resources/list", mcphubtest.Reply(`{"resources":[{"uri":"a"}]}`)) }, "resources/list", inspector.CheckFail},
		"runs what is not there":  {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/call", mcphubtest.Reply(`{"content":[]}`)) }, "unknown-tool", inspector.CheckFail},
		"calls break":             {"2025-11-25", func(p *mcphubtest.Peer) { p.On("tools/call", mcphubtest.Status(500, "no")) }, "unknown-tool", inspector.CheckFail},
		"reads what is not there": {"2025-11-25", func(p *mcphubtest.Peer) { p.On("resources/read", mcphubtest.Reply(`{"contents":[]}`)) }, "unknown-resource", inspector.CheckFail},
		"another code, resource":  {"2025-11-25", func(p *mcphubtest.Peer) { p.On("resources/read", mcphubtest.Refuse(-32602, "no")) }, "unknown-resource", inspector.CheckWarn},
		"reading breaks":          {"2025-11-25", func(p *mcphubtest.Peer) { p.On("resources/read", mcphubtest.Garbage()) }, "unknown-resource", inspector.CheckFail},
	} {
		t.Run(name, func(t *testing.T) {
			peer := hubtest.FullPeer(test.version, false)
			test.change(peer)
			i, _ := inspectorOfPeer(t, peer.Transport(client.TransportHTTP), nil)
			report, err := i.Check(t.Context(), "peer")
			require.NoError(t, err)
			for _, row := range report.Rows {
				if row.Name == test.row {
					assert.Equal(t, test.status, row.Status, row.Detail)
					assert.NotEmpty(t, row.Detail)
					assert.Equal(t, test.status != inspector.CheckFail, report.OK)
					return
				}
			}
			t.Errorf("there is no row %q in %+v", test.row, report.Rows)
		})
	}
}

// Every kind of notification has a summary of its own.
func TestInspectorNotes(t *testing.T) {
	leak.Check(t)
	told := []struct {
		method, params string
		kind           inspector.NoteKind
		summary        string
	}{
		{"notifications/message", `{"level":"error","logger":"db","data":"it  broke\n"}`, inspector.NoteLogging, "it broke"},
		{"notifications/message", `{"level":"error","data":{"message":"inside"}}`, inspector.NoteLogging, "inside"},
		{"notifications/message", `{"level":"error","data":[1,2]}`, inspector.NoteLogging, "[1,2]"},
		{"notifications/progress", `{"progressToken":"other","progress":3,"message":"going"}`, inspector.NoteProgress, "3 going"},
		{"notifications/tools/list_changed", ``, inspector.NoteToolsChanged, "the tools changed"},
		{"notifications/resources/list_changed", ``, inspector.NoteResourcesChanged, "the resources changed"},
		{"notifications/prompts/list_changed", ``, inspector.NotePromptsChanged, "the prompts changed"},
		{"notifications/resources/updated", `{"uri":"a:b"}`, inspector.NoteResourceUpdated, "a:b"},
		{"notifications/tasks/status", `{"taskId":"t1","status":"working"}`, inspector.NoteTaskStatus, "t1 working"},
		{"notifications/odd", `{"x":1}`, inspector.NoteOther, "notifications/odd"},
	}
	peer := hubtest.FullPeer("2025-11-25", false).On("tools/call", func(x *mcphubtest.Exchange) {
		for _, n := range told {
			x.Notify(n.method, n.params)
		}
		token := hubtest.MemberOf([]byte(hubtest.MemberOf(x.Params, "_meta")), "progressToken")
		x.Notify("notifications/progress", `{"progressToken":`+token+`,"progress":1,"total":4,"message":"ours"}`)
		x.Reply(`{"content":[]}`)
	})
	i, _ := inspectorOfPeer(t, peer.Transport(client.TransportHTTP), nil)
	rec, err := i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: "echo"})
	did(t, rec, err)
	notes, err := i.Notifications("peer")
	require.NoError(t, err)
	require.Len(t, notes, len(told)+1)
	assert.Equal(t, "1/4 ours", notes[0].Summary)
	for n, want := range told {
		note := notes[len(told)-n]
		assert.Equal(t, []any{want.kind, want.summary, want.method, want.params}, []any{note.Kind, note.Summary, note.Method, string(note.Params)})
		assert.NotEmpty(t, note.Seq)
	}
}
