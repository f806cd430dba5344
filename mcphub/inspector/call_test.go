package inspector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/inspector"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// With a gate a tool runs only when the gate says so, and with the arguments that
// it says; each call is recorded.
func TestInspectorGate(t *testing.T) {
	leak.Check(t)
	peer := hubtest.FullPeer("2025-11-25", false)
	var answer approval.Decision
	asked := 0
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, PerMinute: 1 << 20, Approvers: []approval.Approver{
		approval.ApproverFunc(func(_ context.Context, list []approval.Request) ([]approval.Decision, error) {
			asked++
			assert.Equal(t, "peer", list[0].Server)
			assert.Equal(t, approval.SideChat, list[0].Side)
			d := answer
			d.Request, d.Confirm = list[0].ID, list[0].Confirm
			return []approval.Decision{d}, nil
		})}})
	require.NoError(t, err)
	defer gate.Close()
	audit := &callRecords{}
	i, _ := inspectorOfPeer(t, peer.Transport(client.TransportHTTP), &inspector.Options{Approval: gate, Audit: audit})
	call := func(tool string) (*inspector.Inspection, error) {
		return i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: tool, Arguments: json.RawMessage(`{"a":1}`), Principal: toolspec.Principal{Subject: "ada", Via: "http"}})
	}
	calls := func() int { return strings.Count(strings.Join(peer.Methods(), " "), "tools/call") }

	answer = approval.Decision{Outcome: approval.Declined}
	rec, err := call("echo")
	didNot(t, "denied", rec, err)
	assert.Equal(t, 1, asked)
	assert.Zero(t, calls(), "it did not run")
	rec, err = call("not-listed")
	didNot(t, "denied", rec, err)
	assert.Equal(t, 1, asked, "nobody is asked about what is not there")
	assert.Zero(t, calls())

	answer = approval.Decision{Outcome: approval.Approved, Arguments: json.RawMessage(`{"a":2}`)}
	rec, err = call("echo")
	assert.JSONEq(t, `{"name":"echo","arguments":{"a":2}}`, string(did(t, rec, err).Params))
	assert.Contains(t, string(rec.Result), `{"a":2}`)
	assert.Equal(t, 1, calls())
	answer = approval.Decision{Outcome: approval.Approved}
	rec, err = i.Raw(t.Context(), "peer", "tools/call", json.RawMessage(`{"name":"fail"}`))
	didNot(t, "tool", rec, err)
	assert.Equal(t, 3, asked, "raw requests are no way around")
	rec, err = i.Replay(t.Context(), "peer", rec.ID, toolspec.Principal{})
	didNot(t, "tool", rec, err)
	assert.Equal(t, 4, asked)

	records := audit.all()
	require.Len(t, records, 5)
	assert.Equal(t, "ada", records[0].Principal.Subject)
	assert.Equal(t, "mcp:peer/echo", records[0].Tool.ID)
	assert.Equal(t, []bool{false, false, true, false, false}, []bool{records[0].OK, records[1].OK, records[2].OK, records[3].OK, records[4].OK})
	assert.Equal(t, toolspec.KindSecurity, records[0].Kind)
	assert.Equal(t, servers.ReasonWithheld, records[1].Reason)
	assert.NotEmpty(t, records[2].Tool.Pass)
	assert.Equal(t, servers.ReasonUpstreamFailed, records[3].Reason)
	assert.Equal(t, "inspector", records[3].Principal.Via)

	audit.fail = fmt.Errorf("the disk is full")
	rec, err = call("echo")
	didNot(t, "audit", rec, err)
	assert.Empty(t, rec.Result)
	for _, m := range rec.Wire {
		assert.NotContains(t, m.Text, "structuredContent", "what cannot be recorded is withheld")
	}
}

// callRecords is an auditor that keeps its records.
type callRecords struct {
	mu   sync.Mutex
	list []audit.Record
	fail error
}

func (a *callRecords) Audit(_ context.Context, r *audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, *r)
	return a.fail
}

func (a *callRecords) all() []audit.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.list)
}

// toolCalls keeps what observers are told.
type toolCalls struct {
	mu  sync.Mutex
	all []genai.Event
}

func (c *toolCalls) Observe(_ context.Context, e genai.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, e)
}

// A call by hand is observed like any other: with its server, and with why it did not run.
func TestInspectorCallsAreObserved(t *testing.T) {
	leak.Check(t)
	var sink toolCalls
	peer := hubtest.FullPeer("2025-11-25", false)
	c := hubtest.Connections(t, hubtest.Fakes{"peer": peer.Transport(client.TransportHTTP)}, &servers.Options{Telemetry: &genai.Telemetry{Sink: &sink}})
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, PerMinute: 1 << 20, Approvers: []approval.Approver{
		approval.ApproverFunc(func(_ context.Context, list []approval.Request) ([]approval.Decision, error) {
			outcome := approval.Approved
			if list[0].Tool == "ask" {
				outcome = approval.Declined
			}
			return []approval.Decision{{Request: list[0].ID, Outcome: outcome, Confirm: list[0].Confirm}}, nil
		})}})
	require.NoError(t, err)
	defer gate.Close()
	i, err := inspector.New(c, &inspector.Options{Approval: gate})
	require.NoError(t, err)
	defer i.Close()
	for _, tool := range []string{"echo", "fail", "ask", "not-listed"} {
		_, err := i.CallTool(t.Context(), "peer", inspector.ToolTrial{Tool: tool, NoHistory: true})
		require.NoError(t, err)
	}
	_, err = i.CallTool(t.Context(), "nobody", inspector.ToolTrial{Tool: "echo"})
	require.Error(t, err)
	sink.mu.Lock()
	defer sink.mu.Unlock()
	var got []string
	for _, e := range sink.all {
		if e.Operation != "execute_tool" {
			continue
		}
		server := ""
		for _, kv := range e.Attrs {
			if string(kv.Key) == genai.KeyMCPServer {
				server = kv.Value.AsString()
			}
		}
		got = append(got, e.Name+" of "+server+": "+e.ErrorType)
	}
	assert.Equal(t, []string{"execute_tool echo of peer: ", "execute_tool fail of peer: tool_error", "execute_tool ask of peer: SECURITY", "execute_tool not-listed of peer: SECURITY"}, got)
}
