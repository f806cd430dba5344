package mcphub_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// auditedCalls keeps audit records.
type auditedCalls struct {
	mu   sync.Mutex
	list []audit.Record
}

func (a *auditedCalls) Audit(_ context.Context, r *audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, *r)
	return nil
}

// paintingHub is a hub with the tool paint, whose calls people are asked about at the
// broker.
func paintingHub(t *testing.T, ran func()) (*httpClient, *approval.Gate, *auditedCalls) {
	t.Helper()
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Approvers: []approval.Approver{approval.Inbox(0)}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gate.Close()) })
	log := &auditedCalls{}
	hub := hubtest.NewHub(t, &mcphub.Options{Approval: gate, Audit: log}, gated(t, "paint", "Paints.", toolspec.L3, func(context.Context, *toolspec.Call) { ran() }))
	return serve(t, hub), gate, log
}

// pendingOne waits for the one question that is open.
func pendingOne(t *testing.T, gate *approval.Gate) (rec approval.Record) {
	t.Helper()
	require.Eventually(t, func() bool {
		for r, err := range gate.Broker().List(t.Context(), approval.ListOptions{Status: approval.StatusPending}) {
			require.NoError(t, err)
			rec = r
			return true
		}
		return false
	}, hubtest.Patience, 5*time.Millisecond)
	return rec
}

// A question names the client that calls. When that has gone, the question is
// closed, and approving it runs nothing.
func TestQuestionOfACallerThatHasGone(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			c, gate, _ := paintingHub(t, func() { t.Error("it ran") })
			var req *http.Request
			if version == "2026-07-28" {
				req = c.modernRequest("1", "tools/call", "paint", `"name":"paint","arguments":{"text":"x"}`, `"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}`)
			} else {
				s := c.open(version, `{}`)
				req = s.request(http.MethodPost, call("1", "paint", `{"text":"x"}`))
				if version == "2025-11-25" { // it takes no stream, so it cannot come back for one
					req.Header.Set("Accept", "application/json")
				}
			}
			ctx, leave := context.WithCancel(t.Context())
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				res, err := c.http.Do(req.WithContext(ctx))
				if err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			}()
			asked := pendingOne(t, gate)
			assert.Equal(t, "test", asked.Request.Client.Name)
			assert.Equal(t, "1", asked.Request.Client.Version)
			assert.Equal(t, version == "2026-07-28", asked.Request.Client.Session == "", "a session has a label")
			leave()
			<-gone
			var rec approval.Record
			require.Eventually(t, func() bool {
				var err error
				rec, err = gate.Broker().Get(t.Context(), asked.Request.ID)
				return err == nil && rec.Status != approval.StatusPending
			}, hubtest.Patience, 5*time.Millisecond, "the question is closed")
			assert.Equal(t, approval.Cancelled, rec.Outcome)
			_, err := gate.Broker().Decide(t.Context(), approval.Decision{Request: asked.Request.ID, Outcome: approval.Approved, Via: "test"})
			require.ErrorIs(t, err, approval.ErrDecided)
			assert.Contains(t, err.Error(), "is closed, and approving it runs nothing")
			assert.Contains(t, err.Error(), "gone")
		})
	}
}

// What let a call run stands in its record: a decision, and the grant of that for
// the next call, about which nobody is asked.
func TestRecordSaysWhyACallRan(t *testing.T) {
	c, gate, log := paintingHub(t, func() {})
	s := c.open("2025-11-25", `{}`)
	done := make(chan answer, 1)
	go func() { done <- s.post(call("1", "paint", `{"text":"x"}`)) }()
	asked := pendingOne(t, gate)
	_, err := gate.Broker().Decide(t.Context(), approval.Decision{Request: asked.Request.ID, Outcome: approval.Approved, Scope: approval.ScopeArguments, Via: "test",
		By: toolspec.Principal{Subject: "ada"}})
	require.NoError(t, err)
	assert.Contains(t, (<-done).body, "done")
	assert.Contains(t, s.post(call("2", "paint", `{"text":"x"}`)).body, "done")
	log.mu.Lock()
	defer log.mu.Unlock()
	require.Len(t, log.list, 2)
	assert.Contains(t, log.list[0].Because, "approved by ada via test")
	assert.Contains(t, log.list[1].Because, "an earlier approval covers it: grant ")
	assert.Regexp(t, `\(arguments\) of ada \(level \w+\)$`, log.list[1].Because)
}
