package approval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

func set(t testing.TB, g *approval.Gate, policies ...approval.Policy) {
	t.Helper()
	for _, p := range policies {
		_, err := g.Policies().Set(t.Context(), p, ada)
		require.NoError(t, err)
	}
}

// deciding returns the row of Explain that decides about a call.
func deciding(t testing.TB, g *approval.Gate, c approval.Call) approval.Row {
	t.Helper()
	rows := g.Explain(t.Context(), c)
	require.Len(t, rows, 13)
	var found *approval.Row
	for i, r := range rows {
		assert.Equal(t, i+1, r.Number)
		assert.NotEmpty(t, r.Rule)
		assert.Equal(t, r.Matches, r.Effect != "")
		if r.Matches && found == nil {
			found = &rows[i]
		}
		assert.Equal(t, found == &rows[i], r.Decides)
	}
	require.NotNil(t, found)
	return *found
}

func policy(server, tool string, side approval.Side, kind approval.PolicyEffect) approval.Policy {
	return approval.Policy{Server: server, Tool: tool, Side: side, Effect: kind}
}

func rule(pointer string, op approval.Operator, value string, effect approval.Effect) approval.Rule {
	r := approval.Rule{Pointer: pointer, Operator: op, Effect: effect}
	if value != "" {
		r.Value = json.RawMessage(value)
	}
	return r
}

// Each row of the precedence table takes precedence over all rows below it.
func TestPrecedence(t *testing.T) {
	const chat = approval.SideChat
	allow := policy("s", "t", chat, approval.AlwaysAllow)
	allow.OverridesRequired = true
	withRules := policy("s", "t", "", approval.AskUser)
	withRules.Rules = []approval.Rule{rule("/path", approval.Prefix, `"/etc"`, approval.EffectDeny)}
	asks := allow
	asks.Rules = []approval.Rule{rule("/n", approval.Equals, `1`, approval.EffectAsk)}

	base := func() approval.Call {
		c := call(tool("t", toolspec.L3, true), `{"path":"/etc/passwd","n":1}`)
		c.Server = "s"
		return c
	}
	calm := func() approval.Call { // no rule applies, and the tool does not require approval
		c := call(tool("t", toolspec.L3, false), `{}`)
		c.Server = "s"
		return c
	}
	critical := []approval.Finding{{Rule: "U1", Severity: "critical"}}

	tests := []struct {
		name     string
		policies []approval.Policy
		fixed    []approval.Policy
		refuse   string
		call     func() approval.Call
		grant    bool // an earlier decision made a grant
		row      int
		outcome  approval.Outcome
		asked    int
	}{
		{name: "1 withheld", policies: []approval.Policy{allow}, refuse: "no", call: func() approval.Call { c := base(); c.Refused = "over the cap"; return c }, row: 1, outcome: approval.PolicyDenied},
		{name: "2 hard deny of the program", policies: []approval.Policy{allow}, refuse: "never this", call: base, row: 2, outcome: approval.PolicyDenied},
		{name: "2 hard deny of the policy file", policies: []approval.Policy{allow}, fixed: []approval.Policy{policy("s", "t", "", approval.AlwaysDeny)}, call: base, row: 2, outcome: approval.PolicyDenied},
		{name: "2 the policy file denies the server", policies: []approval.Policy{allow}, fixed: []approval.Policy{policy("s", "*", chat, approval.AlwaysDeny)}, call: base, row: 2, outcome: approval.PolicyDenied},
		{name: "3 deny on the tool", policies: []approval.Policy{policy("s", "t", chat, approval.AlwaysDeny)}, call: base, row: 3, outcome: approval.PolicyDenied},
		{name: "3 deny on the server", policies: []approval.Policy{allow, policy("s", "*", chat, approval.AlwaysDeny)}, call: base, row: 3, outcome: approval.PolicyDenied},
		{name: "3 deny on everything", policies: []approval.Policy{allow, policy("*", "*", "", approval.AlwaysDeny)}, call: base, row: 3, outcome: approval.PolicyDenied},
		{name: "4 an argument rule denies", policies: []approval.Policy{allow, withRules}, call: base, row: 4, outcome: approval.PolicyDenied},
		{name: "5 a finding asks", policies: []approval.Policy{allow}, call: func() approval.Call { c := calm(); c.Findings = critical; return c }, row: 5, outcome: approval.Approved, asked: 1},
		{name: "5 a severity that is not known asks", policies: []approval.Policy{allow}, call: func() approval.Call {
			c := calm()
			c.Findings = []approval.Finding{{Rule: "X", Severity: "strange"}}
			return c
		}, row: 5, outcome: approval.Approved, asked: 1},
		{name: "5 no grant answers a finding", grant: true, call: func() approval.Call { c := calm(); c.Findings = critical; return c }, row: 5, outcome: approval.Approved, asked: 1},
		{name: "6 a grant runs what the tool asks about", grant: true, call: base, row: 6, outcome: approval.Approved},
		{name: "6 a grant is below a denial", grant: true, policies: []approval.Policy{policy("s", "t", "", approval.AlwaysDeny)}, call: base, row: 3, outcome: approval.PolicyDenied},
		{name: "7 required", call: base, row: 7, outcome: approval.Approved, asked: 1},
		{name: "7 required although allowed", policies: []approval.Policy{policy("s", "t", chat, approval.AlwaysAllow)}, call: base, row: 7, outcome: approval.Approved, asked: 1},
		{name: "7 an override of another side is none", policies: []approval.Policy{{Server: "s", Tool: "t", Side: approval.SideServer, Effect: approval.AlwaysAllow, OverridesRequired: true}}, call: base, row: 7, outcome: approval.Approved, asked: 1},
		{name: "7 a mode that is not known", call: func() approval.Call { c := calm(); c.Definition.Approval = &toolspec.Approval{Mode: "MAYBE"}; return c }, row: 7, outcome: approval.Approved, asked: 1},
		{name: "8 ask, on every side", policies: []approval.Policy{allow, policy("s", "t", "", approval.AskUser)}, call: base, row: 8, outcome: approval.Approved, asked: 1},
		{name: "8 an argument rule asks", policies: []approval.Policy{asks}, call: base, row: 8, outcome: approval.Approved, asked: 1},
		{name: "8 an argument rule that does not apply", policies: []approval.Policy{asks}, call: calm, row: 9, outcome: approval.Approved},
		{name: "9 allow, with the override", policies: []approval.Policy{allow}, call: base, row: 9, outcome: approval.Approved},
		{name: "9 allow before the server asks", policies: []approval.Policy{policy("s", "t", chat, approval.AlwaysAllow), policy("s", "*", chat, approval.AskUser)}, call: calm, row: 9, outcome: approval.Approved},
		{name: "10 the server asks", policies: []approval.Policy{policy("s", "*", chat, approval.AskUser)}, call: calm, row: 10, outcome: approval.Approved, asked: 1},
		{name: "10 the server is allowed", policies: []approval.Policy{policy("s", "*", chat, approval.AlwaysAllow), policy("*", "*", "", approval.AskUser)}, call: calm, row: 10, outcome: approval.Approved},
		{name: "10 asking comes before allowing", policies: []approval.Policy{policy("s", "*", chat, approval.AlwaysAllow), policy("s", "*", "", approval.AskUser)}, call: calm, row: 10, outcome: approval.Approved, asked: 1},
		{name: "11 everything is asked about", policies: []approval.Policy{policy("*", "*", chat, approval.AskUser)}, call: func() approval.Call { c := calm(); c.Server = ""; return c }, row: 11, outcome: approval.Approved, asked: 1},
		{name: "12 authored", call: func() approval.Call { c := calm(); c.Server = ""; return c }, row: 12, outcome: approval.Approved},
		{name: "12 authored, disabled", call: func() approval.Call {
			c := calm()
			c.Server, c.Definition.Approval = "", &toolspec.Approval{Mode: toolspec.ApprovalDisabled}
			return c
		}, row: 12, outcome: approval.Approved},
		{name: "13 nothing matched", call: calm, row: 13, outcome: approval.Approved, asked: 1},
		{name: "13 a low finding changes nothing", call: func() approval.Call {
			c := calm()
			c.Findings = []approval.Finding{{Rule: "U9", Severity: "medium"}}
			return c
		}, row: 13, outcome: approval.Approved, asked: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			person := yes()
			g := newGate(t, approval.Options{Approvers: []approval.Approver{person}, Fixed: test.fixed, Refuse: func(approval.Call) string { return test.refuse }})
			if test.grant {
				person.decision.Scope = approval.ScopeTime
				require.True(t, new(decide(t, g, base())).Allowed())
				person.decision.Scope = ""
			}
			before := person.asked()
			set(t, g, test.policies...)
			c := test.call()
			row := deciding(t, g, c)
			assert.Equal(t, test.row, row.Number, "%+v", row)
			assert.Equal(t, before, person.asked(), "Explain does not ask")
			out := decide(t, g, c)
			assert.Equal(t, test.outcome, out.Outcome, "%v", out.Cause)
			assert.Equal(t, test.row, out.Rule)
			assert.Equal(t, test.asked, person.asked()-before)
		})
	}
}

// The outcome for each requirement of a tool, effect of a policy and kind of peer.
func TestOutcomesByPolicy(t *testing.T) {
	type want string
	const (
		ask, run, deny want = "ask", "run", "deny"
	)
	override := policy("", "t", "", approval.AlwaysAllow)
	override.OverridesRequired = true
	tests := []struct {
		required            bool
		policy              *approval.Policy
		server              string
		chat, elicit, alone want
	}{
		{true, nil, "", ask, ask, deny},
		{true, &approval.Policy{Effect: approval.AskUser}, "", ask, ask, deny},
		{true, &approval.Policy{Effect: approval.AlwaysAllow}, "", ask, ask, deny},
		{true, &override, "", run, run, run},
		{true, &approval.Policy{Effect: approval.AlwaysDeny}, "", deny, deny, deny},
		{false, nil, "", run, run, run},
		{false, nil, "s", ask, ask, deny},
		{false, &approval.Policy{Effect: approval.AskUser}, "", ask, ask, deny},
		{false, &approval.Policy{Effect: approval.AskUser}, "s", ask, ask, deny},
		{false, &approval.Policy{Effect: approval.AlwaysAllow}, "", run, run, run},
		{false, &approval.Policy{Effect: approval.AlwaysAllow}, "s", run, run, run},
		{false, &approval.Policy{Effect: approval.AlwaysDeny}, "", deny, deny, deny},
		{false, &approval.Policy{Effect: approval.AlwaysDeny}, "s", deny, deny, deny},
	}
	for i, test := range tests {
		for _, column := range []struct {
			name string
			side approval.Side
			can  bool
			want want
		}{{"chat", approval.SideChat, true, test.chat}, {"can elicit", approval.SideServer, true, test.elicit}, {"cannot", approval.SideServer, false, test.alone}} {
			t.Run(fmt.Sprintf("%d %s", i+1, column.name), func(t *testing.T) {
				peer := &person{action: toolspec.ElicitAccept}
				chatter := yes()
				approvers := []approval.Approver{approval.Elicitation(nil)}
				if column.side == approval.SideChat {
					approvers = []approval.Approver{chatter}
				}
				g := newGate(t, approval.Options{Approvers: approvers})
				c := call(tool("t", toolspec.L3, test.required), `{}`)
				c.Server, c.Side = test.server, column.side
				if column.can && column.side == approval.SideServer {
					c.Call.Peer = peer
				}
				if test.policy != nil {
					p := *test.policy
					p.Server, p.Tool, p.Side = test.server, "t", column.side
					set(t, g, p)
				}
				out := decide(t, g, c)
				asked := peer.asked + chatter.asked()
				switch column.want {
				case ask:
					assert.True(t, out.Allowed(), "%v", out.Cause)
					assert.Equal(t, 1, asked)
				case run:
					assert.True(t, out.Allowed(), "%v", out.Cause)
					assert.Zero(t, asked)
				case deny:
					assert.False(t, out.Allowed())
					assert.Zero(t, asked)
				}
			})
		}
	}
}

// person is a peer that answers elicitations.
type person struct {
	toolspec.Peer
	action toolspec.ElicitAction
	err    error
	asked  int
}

func (p *person) Elicit(context.Context, *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	p.asked++
	if p.err != nil {
		return nil, p.err
	}
	return &toolspec.ElicitResult{Action: p.action}, nil
}

// A policy that allows a tool in chats does not apply to the network endpoint.
func TestSidesAreSeparate(t *testing.T) {
	g := newGate(t, approval.Options{})
	set(t, g, policy("s", "t", approval.SideChat, approval.AlwaysAllow))
	c := call(tool("t", toolspec.L1, false), `{}`)
	c.Server = "s"
	assert.Equal(t, 9, deciding(t, g, c).Number)
	for _, side := range []approval.Side{approval.SideServer, approval.SideStudio} {
		c.Side = side
		assert.Equal(t, 13, deciding(t, g, c).Number)
	}
	c.Side = "elsewhere"
	rows := g.Explain(t.Context(), c)
	require.Len(t, rows, 1)
	assert.Equal(t, approval.EffectDeny, rows[0].Effect)
	assert.Equal(t, approval.Failed, decide(t, g, c).Outcome)
}

// A tool name with a star matches no call.
func TestStarMatchesNoTool(t *testing.T) {
	g := newGate(t, approval.Options{Approvers: []approval.Approver{yes()}})
	for _, c := range []approval.Call{{Server: "*", Definition: tool("t", toolspec.L1, true)}, {Definition: tool("*", toolspec.L1, true)}} {
		c.Side, c.Call = approval.SideChat, &toolspec.Call{Principal: ada}
		assert.Equal(t, approval.Failed, decide(t, g, c).Outcome)
	}
}

// A program can require approval for tools that do not require it; a policy takes
// precedence.
func TestAskAbout(t *testing.T) {
	person := yes()
	g := newGate(t, approval.Options{Approvers: []approval.Approver{person}, AskAbout: func(c approval.Call) bool {
		if c.Definition.Name == "broken" {
			panic("oh")
		}
		return c.Definition.Name == "write"
	}})
	decided := func(name, server string, row int) {
		t.Helper()
		c := call(tool(name, toolspec.L3, false), `{}`)
		c.Server = server
		assert.Equal(t, row, deciding(t, g, c).Number)
		out := decide(t, g, c)
		assert.True(t, out.Allowed())
		assert.Equal(t, row, out.Rule)
	}
	decided("read", "", 12)
	decided("write", "", 13)
	decided("broken", "", 13)
	assert.Equal(t, 2, person.asked())
	set(t, g, policy("", "write", approval.SideChat, approval.AlwaysAllow))
	decided("write", "", 9)
	assert.Equal(t, 2, person.asked())
}
