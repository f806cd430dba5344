package approval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
)

func TestApproved(t *testing.T) {
	leak.Check(t)
	person, audit := yes(), &book{}
	g := newGate(t, approval.Options{Approvers: []approval.Approver{person}, Audit: audit})
	out := decide(t, g, call(tool("send", toolspec.L3, true), `{"path": "b", "n": 1.0}`))
	require.True(t, out.Allowed(), "%v", out.Cause)
	assert.Equal(t, approval.Approved, out.Outcome)
	assert.Equal(t, 7, out.Rule)
	assert.JSONEq(t, `{"n":1,"path":"b"}`, string(out.Arguments))
	assert.Equal(t, 1, person.asked())
	assert.Equal(t, []approval.AuditKind{approval.AuditAsked, approval.AuditDecided, approval.AuditUsed}, audit.kinds())
	rec, err := g.Broker().Get(t.Context(), out.Request.ID)
	require.NoError(t, err)
	assert.Equal(t, approval.StatusUsed, rec.Status)
}

func TestDeclined(t *testing.T) {
	g := newGate(t, approval.Options{Approvers: []approval.Approver{no("not today")}})
	out := decide(t, g, call(tool("send", toolspec.L3, true), `{}`))
	assert.Equal(t, approval.Declined, out.Outcome)
	assert.Equal(t, `The user did not approve "send". It was not run. Do not request it again for this task. If a different available tool can do the job, `+
		`use it; otherwise tell the user that the step was skipped because approval was refused. Reason given: not today`, out.Message)
	assert.Equal(t, toolspec.ReasonApprovalDenied, out.Reason)
	assert.Equal(t, toolspec.KindSecurity, out.Err().Kind)
}
