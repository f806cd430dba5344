package approval_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// asking returns a gate whose only approver is approval.Ask(f).
func asking(t *testing.T, f func(context.Context, approval.Request) (bool, string, error)) *approval.Gate {
	t.Helper()
	return newGate(t, approval.Options{Approvers: []approval.Approver{approval.Ask(f)}})
}

// Each request of a batch gets its own decision, and the model gets the reason of a
// decline.
func TestAskDecidesEachRequest(t *testing.T) {
	g := asking(t, func(_ context.Context, r approval.Request) (bool, string, error) {
		return r.Tool == "send", "not now", nil
	})
	outcomes := g.Check(t.Context(), []approval.Call{call(tool("send", toolspec.L3, true), `{}`), call(tool("move", toolspec.L3, true), `{}`)})
	assert.True(t, outcomes[0].Allowed())
	assert.Empty(t, outcomes[0].Decision.Reason)
	assert.Empty(t, outcomes[0].Decision.Confirm, "nothing had to be typed")
	assert.Equal(t, approval.Declined, outcomes[1].Outcome)
	assert.True(t, strings.HasSuffix(outcomes[1].Message, "Reason given: not now"), outcomes[1].Message)
}

// The function is called for one request at a time, even if several calls wait.
func TestAskOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		g := asking(t, func(context.Context, approval.Request) (bool, string, error) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			return true, "", nil
		})
		outcomes := make(chan approval.CallOutcome)
		for range 3 {
			go func() { outcomes <- decide(t, g, call(tool("send", toolspec.L3, true), `{}`)) }()
		}
		for range 3 {
			assert.True(t, new(<-outcomes).Allowed())
		}
		assert.EqualValues(t, 1, most.Load())
	})
}

// A tool of level L5 is approved only with its name as the text.
func TestAskConfirms(t *testing.T) {
	for text, want := range map[string]approval.Outcome{"wipe": approval.Approved, "": approval.Failed, "yes": approval.Failed} {
		g := asking(t, func(_ context.Context, r approval.Request) (bool, string, error) {
			assert.Equal(t, "wipe", r.Confirm)
			return true, text, nil
		})
		out := decide(t, g, call(tool("wipe", toolspec.L5, true), `{}`))
		assert.Equal(t, want, out.Outcome, text)
		assert.Equal(t, want != approval.Approved, errors.Is(out.Cause, approval.ErrUnconfirmed), text)
	}
}

// ErrPause leaves every request of the batch open; any other error refuses all.
func TestAskErrors(t *testing.T) {
	calls := []approval.Call{call(tool("send", toolspec.L3, true), `{"n":1}`), call(tool("send", toolspec.L3, true), `{"n":2}`)}
	answer := func(err error) func(context.Context, approval.Request) (bool, string, error) {
		n := 0
		return func(context.Context, approval.Request) (bool, string, error) {
			if n++; n == 2 {
				return true, "", err
			}
			return true, "", nil
		}
	}
	g := asking(t, answer(approval.ErrPause))
	for i, out := range g.Check(t.Context(), calls) {
		require.Equal(t, approval.Pending, out.Outcome)
		_, err := g.Broker().Decide(t.Context(), approval.Decision{Request: out.Request.ID, Outcome: approval.Approved, Via: "http"})
		require.NoError(t, err)
		assert.True(t, new(g.Resume(t.Context(), out.Request.ID, calls[i])).Allowed())
	}
	lost := errors.New("the line is lost")
	for _, out := range asking(t, answer(lost)).Check(t.Context(), calls) {
		assert.Equal(t, approval.Failed, out.Outcome)
		assert.ErrorIs(t, out.Cause, lost)
	}
}

// A batch that waits for the function ends with its context.
func TestAskEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := asking(t, func(ctx context.Context, _ approval.Request) (bool, string, error) {
			<-ctx.Done()
			return true, "", nil
		})
		began := time.Now()
		out := make(chan approval.CallOutcome)
		for range 2 {
			go func() { out <- decide(t, g, call(tool("send", toolspec.L3, true), `{}`)) }()
		}
		for range 2 {
			assert.Equal(t, approval.TimedOut, new(<-out).Outcome)
		}
		assert.Equal(t, 2*time.Minute, time.Since(began))
	})
}

// NewGate refuses an approver without a function.
func TestApproverWithoutFunction(t *testing.T) {
	for text, approver := range map[string]approval.Approver{
		"has no function": approval.Ask(nil), "has no function that": approval.ApproverFunc(nil), "Options.Approvers[0] is nil": nil,
	} {
		_, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approver}})
		assert.ErrorContains(t, err, text)
	}
}
