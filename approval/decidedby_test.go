package approval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// An outcome names what let the call run, in words with the level and as a reference.
func TestDecidedBy(t *testing.T) {
	person := yes()
	person.decision.Scope = approval.ScopeArguments
	person.decision.By = ada
	g := newGate(t, approval.Options{Approvers: []approval.Approver{person}})

	out := decide(t, g, call(tool("plain", toolspec.L1, false), `{}`))
	assert.Equal(t, "tool", out.DecidedBy)
	assert.Contains(t, out.Because, "(level L1)")

	asked := call(tool("send", toolspec.L2, true), `{"n":1}`)
	out = decide(t, g, asked)
	require.NotNil(t, out.Request)
	assert.Equal(t, "request:"+out.Request.ID, out.DecidedBy)
	assert.Contains(t, out.Because, "level L2, request "+out.Request.ID)
	granted := out.Grant

	out = decide(t, g, asked)
	assert.Nil(t, out.Request)
	assert.Equal(t, "grant:"+granted, out.DecidedBy)

	_, err := g.Policies().Set(t.Context(), approval.Policy{Side: approval.SideChat, Server: "far away", Tool: "sum", Effect: approval.AlwaysAllow}, ada)
	require.NoError(t, err)
	remote := call(tool("sum", toolspec.L2, false), `{}`)
	remote.Server = "far away"
	out = decide(t, g, remote)
	assert.Equal(t, "policy:chat/far%20away/sum", out.DecidedBy)

	// A gate before the tool passes on what decided.
	again, ok := g.Reissue(approval.WithClearance(t.Context(), out.Clearance), remote)
	require.True(t, ok)
	assert.Equal(t, [2]string{out.Because, out.DecidedBy}, [2]string{again.Because, again.DecidedBy})

	out = decide(t, newGate(t, approval.Options{}), call(tool("send", toolspec.L2, true), `{}`))
	assert.Empty(t, out.DecidedBy+out.Because)
}
