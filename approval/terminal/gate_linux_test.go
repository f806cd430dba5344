package terminal_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/approval/terminal"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
)

// A request can be decided at the terminal and in the inbox. The first decision counts,
// and the terminal is free again.
func TestTerminalAndInbox(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t).watch()
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{
		terminal.New(&terminal.Options{Device: s.device, Arm: time.Millisecond}), approval.Inbox(0)}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gate.Close()) })
	decide := func() <-chan approval.CallOutcome {
		held := make(chan approval.CallOutcome, 1)
		go func() {
			held <- gate.Check(approvaltest.Within(t), []approval.Call{approvaltest.NoteCall(`{"path":"a"}`)})[0]
		}()
		return held
	}
	first := decide()
	s.expect("| writeNote  (asked by server, client via http, conversation c1)")
	s.expect("(no)> ")
	for rec, err := range gate.Broker().List(t.Context(), approval.ListOptions{Status: approval.StatusPending}) {
		require.NoError(t, err)
		_, err = gate.Broker().Decide(t.Context(), approval.Decision{Request: rec.Request.ID, Outcome: approval.Approved})
		require.NoError(t, err)
	}
	out := <-first
	require.True(t, out.Allowed(), out.Cause)
	s.expect("closed: answered elsewhere")

	second := decide()
	s.answer("e\r")
	s.expect("one line of JSON")
	s.expect(": ")
	s.typed(`{"path":"other"}` + "\r")
	s.answer("y\r")
	out = <-second
	require.True(t, out.Allowed(), out.Cause)
	assert.JSONEq(t, `{"path":"other"}`, string(out.Arguments))
	assert.Equal(t, "terminal", out.Decision.Via)
}
