package approval_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
)

// observed returns telemetry whose counter and log can be read.
func observed() (tel *genai.Telemetry, counted func(t *testing.T) map[string]int64, logged func() []string) {
	reader, lines := sdkmetric.NewManualReader(), &bytes.Buffer{}
	tel = &genai.Telemetry{
		MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		Logger: slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.MessageKey {
				return a
			}
			return slog.Attr{}
		}})),
	}
	counted = func(t *testing.T) map[string]int64 {
		var all metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(t.Context(), &all))
		counts := map[string]int64{}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
					outcome, _ := p.Attributes.Value("outcome")
					side, _ := p.Attributes.Value("side")
					counts[m.Name+" "+outcome.AsString()+" "+side.AsString()] += p.Value
				}
			}
		}
		return counts
	}
	logged = func() []string {
		names := []string{}
		for line := range strings.Lines(lines.String()) {
			names = append(names, strings.TrimPrefix(strings.TrimSpace(line), "msg="))
		}
		return names
	}
	return tel, counted, logged
}

// For each decision of the client or the person: the outcome of the call, and what is
// counted and logged.
func TestOutcomes(t *testing.T) {
	const server, chat = approval.SideServer, approval.SideChat
	elicit := func(p toolspec.Peer) (approval.Approver, toolspec.Peer) { return approval.Elicitation(nil), p }
	asks := func(a approval.Approver) (approval.Approver, toolspec.Peer) { return a, nil }
	failing := refusing(func([]approval.Request) ([]approval.Decision, error) { return nil, errors.New("dropped") })
	tests := []struct {
		name     string
		side     approval.Side
		with     func() (approval.Approver, toolspec.Peer)
		required bool
		runs     bool
		word     string // the value in the counter and the log; "" if nothing is counted
	}{
		{"not required", server, func() (approval.Approver, toolspec.Peer) { return elicit(nil) }, false, true, ""},
		{"no elicitation", server, func() (approval.Approver, toolspec.Peer) { return elicit(nil) }, true, false, "denied"},
		{"elicitation refused", server, func() (approval.Approver, toolspec.Peer) { return elicit(toolspec.NoPeer) }, true, false, "denied"},
		{"elicitation fails", server, func() (approval.Approver, toolspec.Peer) { return elicit(&person{err: errors.New("dropped")}) }, true, false, "elicit-failed"},
		{"accept", server, func() (approval.Approver, toolspec.Peer) { return elicit(&person{action: toolspec.ElicitAccept}) }, true, true, "approved"},
		{"decline", server, func() (approval.Approver, toolspec.Peer) { return elicit(&person{action: toolspec.ElicitDecline}) }, true, false, "declined"},
		{"cancel", server, func() (approval.Approver, toolspec.Peer) { return elicit(&person{action: toolspec.ElicitCancel}) }, true, false, "declined"},
		{"unknown action", server, func() (approval.Approver, toolspec.Peer) { return elicit(&person{action: "maybe"}) }, true, false, "elicit-failed"},
		{"no action", server, func() (approval.Approver, toolspec.Peer) { return elicit(&person{}) }, true, false, "elicit-failed"},
		{"no time", server, func() (approval.Approver, toolspec.Peer) { return asks(approval.Inbox(0)) }, true, false, "elicit-failed"},

		{"not required", chat, func() (approval.Approver, toolspec.Peer) { return asks(no("")) }, false, true, ""},
		{"approved", chat, func() (approval.Approver, toolspec.Peer) { return asks(yes()) }, true, true, "approved"},
		{"declined", chat, func() (approval.Approver, toolspec.Peer) { return asks(no("")) }, true, false, "declined"},
		{"handler fails", chat, func() (approval.Approver, toolspec.Peer) { return asks(failing) }, true, false, "ask-failed"},
		{"no time", chat, func() (approval.Approver, toolspec.Peer) { return asks(approval.Inbox(0)) }, true, false, "ask-failed"},
	}
	for _, test := range tests {
		t.Run(string(test.side)+" "+test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tel, counted, logged := observed()
				approver, peer := test.with()
				g := newGate(t, approval.Options{Approvers: []approval.Approver{approver}, Telemetry: tel})
				c := call(tool("send", toolspec.L3, test.required), `{}`)
				c.Side, c.Call.Peer = test.side, peer
				out := decide(t, g, c)
				assert.Equal(t, test.runs, out.Allowed(), "%v", out.Cause)
				if test.word == "" {
					assert.Empty(t, counted(t))
					assert.Empty(t, logged())
					return
				}
				assert.Equal(t, map[string]int64{"mcp.hitl.decision " + test.word + " " + string(test.side): 1}, counted(t))
				name := "hitl." + test.word
				if test.side == server {
					name = "hitl.server." + test.word
				}
				assert.Equal(t, []string{name}, logged())
			})
		})
	}
	t.Run("nobody", func(t *testing.T) {
		tel, counted, logged := observed()
		g := newGate(t, approval.Options{Telemetry: tel})
		decide(t, g, call(tool("send", toolspec.L3, true), `{}`))
		set(t, g, policy("", "send", "", approval.AlwaysDeny))
		decide(t, g, call(tool("send", toolspec.L3, true), `{}`))
		assert.Equal(t, map[string]int64{"mcp.hitl.decision denied chat": 2}, counted(t))
		assert.Equal(t, []string{"hitl.denied", "hitl.denied"}, logged())
	})
}

// A message for the model contains the name of the tool as the model knows it, asks it
// not to try again, and contains no reason except that of a person.
func TestMessages(t *testing.T) {
	c := call(tool("send", toolspec.L3, true), `{}`)
	c.Alias = "mail_send"
	g := newGate(t, approval.Options{Approvers: []approval.Approver{no("it's \u202elate")}})
	out := decide(t, g, c)
	assert.Contains(t, out.Message, `"mail_send"`)
	assert.Contains(t, out.Message, `Reason given: it's \u202elate`)
	assert.Equal(t, "SECURITY: "+out.Message, out.Err().ModelText())
	assert.Equal(t, "send", out.Err().Definition.Name)
	var none *toolspec.CallError
	assert.Equal(t, none, new(decide(t, g, call(tool("send", toolspec.L3, false), `{}`))).Err())

	c.Refused = "it was changed since it was approved"
	out = decide(t, g, c)
	assert.Contains(t, out.Message, `A policy does not allow this call of "mail_send".`)
	assert.Contains(t, out.Message, "it was changed since")
	g = newGate(t, approval.Options{Refuse: func(approval.Call) string { panic("oh") }})
	assert.Equal(t, approval.PolicyDenied, decide(t, g, call(tool("send", toolspec.L3, false), `{}`)).Outcome)
}

// Above the limit of requests per minute, calls are declined without asking.
func TestFatigue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel, counted, _ := observed()
		person, audit := yes(), &book{}
		g := newGate(t, approval.Options{Approvers: []approval.Approver{person}, PerMinute: 3, Telemetry: tel, Audit: audit})
		ask := func() approval.CallOutcome { return decide(t, g, call(tool("send", toolspec.L3, true), `{}`)) }
		for range 3 {
			require.True(t, new(ask()).Allowed())
		}
		out := ask()
		assert.Equal(t, approval.Declined, out.Outcome)
		assert.Equal(t, approval.ReasonTooMany, out.Reason)
		assert.Contains(t, out.Message, "Too many calls")
		assert.Equal(t, 3, person.asked())
		assert.Equal(t, approval.ReasonTooMany, audit.last().Reason)
		assert.EqualValues(t, 1, counted(t)["mcp.hitl.decision denied chat"])
		c := call(tool("send", toolspec.L3, true), `{}`)
		c.Call.Principal = grace
		assert.True(t, new(decide(t, g, c)).Allowed(), "the requests of another principal")
		timePasses(t)
		assert.True(t, new(ask()).Allowed())
	})
}

// Hooks are called, and a hook that fails has no effect.
func TestHooks(t *testing.T) {
	var pending []string
	var resolved []approval.Outcome
	g := newGate(t, approval.Options{Approvers: []approval.Approver{yes()}, OnPending: func(r approval.Request) {
		pending = append(pending, r.ID)
		panic("oh")
	}, OnOutcome: func(r approval.Record) {
		resolved = append(resolved, r.Outcome)
		panic("oh")
	}})
	out := decide(t, g, call(tool("send", toolspec.L3, true), `{}`))
	require.True(t, out.Allowed())
	assert.Equal(t, []string{out.Request.ID}, pending)
	assert.Equal(t, []approval.Outcome{approval.Approved}, resolved)
}

func timePasses(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 61e9)
	defer cancel()
	<-ctx.Done()
}
