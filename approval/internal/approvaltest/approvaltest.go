// Package approvaltest has what the tests of approval and of its approvers share:
// a question, a call that is asked about, and a clock that is set by hand.
package approvaltest

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// NoteSchema is the input schema of the tool writeNote.
const NoteSchema = `{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}},"required":["path"]}`

// Request is a question about a call of writeNote.
func Request(id string, level toolspec.Level) approval.Request {
	return approval.Request{ID: id, Tool: "writeNote", Level: level, Fingerprint: "f1", Digest: "d", Arguments: json.RawMessage(`{"path":"notes/todo.md","text":"Seoul"}`),
		Schema: json.RawMessage(NoteSchema),
		Prompt: "May writeNote run?", Why: []string{"the tool requires approval"}, Changes: []string{"It may write one file."},
		Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeConversation, approval.ScopeArguments}, Needed: 1,
		Principal: toolspec.Principal{Subject: "ada", Via: "http"}, Conversation: "c1", Side: approval.SideServer}
}

// NoteCall is a call of writeNote, about which a gate asks.
func NoteCall(arguments string) approval.Call {
	return approval.Call{Side: approval.SideServer,
		Definition: toolspec.Definition{Name: "writeNote", Level: toolspec.L3, Fingerprint: "f1", InputSchema: json.RawMessage(NoteSchema),
			Approval: &toolspec.Approval{Mode: toolspec.ApprovalRequired}},
		Call: &toolspec.Call{ID: "call", Arguments: json.RawMessage(arguments), Principal: toolspec.Principal{Subject: "client", Via: "http"}, Conversation: "c1"}}
}

// Clock is a clock that tests set.
type Clock struct{ at atomic.Int64 }

// NewClock returns a clock that is set to noon of 2026-08-01, UTC.
func NewClock() *Clock {
	c := &Clock{}
	c.at.Store(time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time { return time.Unix(0, c.at.Load()).UTC() }

// Forward puts the clock forward.
func (c *Clock) Forward(d time.Duration) { c.at.Add(int64(d)) }

// Within bounds what a test waits for: a minute.
func Within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
