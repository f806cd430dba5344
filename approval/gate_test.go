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
	v := decide(t, g, call(tool("send", toolspec.L3, true), `{"path": "b", "n": 1.0}`))
	require.True(t, v.Allowed(), "%v", v.Cause)
	assert.Equal(t, approval.Approved, v.Outcome)
	assert.Equal(t, 7, v.Rule)
	assert.JSONEq(t, `{"n":1,"path":"b"}`, string(v.Arguments))
	assert.Equal(t, 1, person.asked())
	assert.Equal(t, []approval.AuditKind{approval.AuditAsked, approval.AuditDecided, approval.AuditUsed}, audit.kinds())
	rec, err := g.Broker().Get(t.Context(), v.Request.ID)
	require.NoError(t, err)
	assert.Equal(t, approval.StatusUsed, rec.Status)
}

func TestDeclined(t *testing.T) {
	g := newGate(t, approval.Options{Approvers: []approval.Approver{no("not today")}})
	v := decide(t, g, call(tool("send", toolspec.L3, true), `{}`))
	assert.Equal(t, approval.Declined, v.Outcome)
	assert.Equal(t, `The user did not approve "send". It was not run. Do not request it again for this task. If a different available tool can do the job, `+
		`use it; otherwise tell the user that the step was skipped because approval was refused. Reason given: not today`, v.Message)
	assert.Equal(t, toolspec.ReasonApprovalDenied, v.Reason)
	assert.Equal(t, toolspec.KindSecurity, v.Err().Kind)
}
