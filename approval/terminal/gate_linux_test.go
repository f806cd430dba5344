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

// A question stands at the terminal and in the inbox; whichever answers first
// counts, and the terminal is free again.
func TestTerminalBesideTheInbox(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{
		terminal.New(&terminal.Options{Device: s.device, Arm: time.Millisecond}), approval.Inbox(0)}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gate.Close()) })
	decide := func() <-chan approval.Verdict {
		verdict := make(chan approval.Verdict, 1)
		go func() {
			verdict <- gate.Decide(approvaltest.Within(t), []approval.Call{approvaltest.NoteCall(`{"path":"a"}`)})[0]
		}()
		return verdict
	}
	first := decide()
	s.expect("Run the tool writeNote")
	s.expect("(no)> ")
	for rec, err := range gate.Broker().List(t.Context(), approval.ListOptions{Status: approval.StatusPending}) {
		require.NoError(t, err)
		_, err = gate.Broker().Decide(t.Context(), approval.Decision{Request: rec.Request.ID, Outcome: approval.Approved})
		require.NoError(t, err)
	}
	v := <-first
	require.True(t, v.Allowed(), v.Cause)
	s.expect("closed: answered elsewhere")

	second := decide()
	s.answer("e\r")
	s.expect("one line of JSON")
	s.expect(": ")
	s.typed(`{"path":"other"}` + "\r")
	s.answer("y\r")
	v = <-second
	require.True(t, v.Allowed(), v.Cause)
	assert.JSONEq(t, `{"path":"other"}`, string(v.Arguments))
	assert.Equal(t, "terminal", v.Decision.Via)
}
