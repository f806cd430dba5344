package approval_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
)

// A question stands at the terminal and in the inbox; whichever answers first
// counts, and the terminal is free again.
func TestTerminalBesideTheInbox(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	w := newAPIWorld(t, &approval.Options{Approvers: []approval.Approver{
		approval.Terminal(&approval.TerminalOptions{Device: s.device, Arm: time.Millisecond}), approval.Inbox(0)}}, nil)
	decide := func() <-chan approval.Verdict {
		verdict := make(chan approval.Verdict, 1)
		go func() { verdict <- w.gate.Decide(within(t), []approval.Call{noteCall(`{"path":"a"}`)})[0] }()
		return verdict
	}
	first := decide()
	s.expect("Run the tool writeNote")
	s.expect("(no)> ")
	var list approval.ItemList
	w.do("GET", "/api/approvals?state=pending", "").into(t, &list)
	require.Len(t, list.Items, 1)
	require.Equal(t, 200, w.do("POST", "/api/responses/approval/"+list.Items[0].ID, `{"approved":true}`).status)
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
