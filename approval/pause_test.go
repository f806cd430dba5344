package approval_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
)

// An interrupted wait leaves the request open, and a resumed call finds its decision.
func TestPauseOn(t *testing.T) {
	leak.Check(t)
	synctest.Test(t, func(t *testing.T) {
		gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(0)}})
		require.NoError(t, err)
		defer func() { assert.NoError(t, gate.Close()) }()
		signal := make(chan struct{})
		ctx := approval.PauseOn(t.Context(), func() <-chan struct{} { return signal })
		call := approvaltest.NoteCall(`{"path":"a"}`)

		leave := func() {
			synctest.Wait()
			close(signal)
		}
		go leave()
		out := gate.Check(ctx, []approval.Call{call})[0]
		require.Equal(t, approval.Pending, out.Outcome)
		id := out.Request.ID

		signal = make(chan struct{})
		go leave()
		out = gate.Await(ctx, id, call)
		require.Equal(t, approval.Pending, out.Outcome, "%v", out.Cause)
		rec, err := gate.Broker().Get(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, approval.StatusPending, rec.Status)

		signal = make(chan struct{})
		go func() {
			synctest.Wait()
			_, err := gate.Broker().Decide(context.Background(), approval.Decision{Request: id, Outcome: approval.Approved, Via: "test"})
			assert.NoError(t, err)
		}()
		out = gate.Await(ctx, id, call)
		assert.Equal(t, approval.Approved, out.Outcome, "%v", out.Cause)

		// Without a channel, the wait is not interrupted.
		never := approval.PauseOn(t.Context(), func() <-chan struct{} { return nil })
		began := time.Now()
		out = gate.Check(never, []approval.Call{approvaltest.NoteCall(`{"path":"b"}`)})[0]
		assert.Equal(t, approval.TimedOut, out.Outcome)
		assert.Equal(t, 2*time.Minute, time.Since(began))
	})
}

// If the context has ended before Await, the request is cancelled.
func TestAwaitAfterTheEnd(t *testing.T) {
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(-1)}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, gate.Close()) }()
	call := approvaltest.NoteCall(`{"path":"a"}`)
	out := gate.Check(t.Context(), []approval.Call{call})[0]
	require.Equal(t, approval.Pending, out.Outcome)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	id := out.Request.ID
	out = gate.Await(ended, id, call)
	assert.Equal(t, approval.Cancelled, out.Outcome)
	rec, err := gate.Broker().Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, approval.Cancelled, rec.Outcome)

	out = gate.Check(t.Context(), []approval.Call{call})[0]
	_, err = gate.Broker().Decide(t.Context(), approval.Decision{Request: out.Request.ID, Outcome: approval.Approved, Via: "test"})
	require.NoError(t, err)
	out = gate.Await(ended, out.Request.ID, call)
	assert.False(t, out.Allowed(), "no caller waits for the call")
}
