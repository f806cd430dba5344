package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// client is a peer with scripted answers.
type client struct {
	toolspec.Peer
	asked  []*toolspec.ElicitRequest
	answer func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error)
}

func (c *client) Elicit(_ context.Context, req *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	c.asked = append(c.asked, req)
	return c.answer(req)
}

func answers(action toolspec.ElicitAction, content string) func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	return func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
		return &toolspec.ElicitResult{Action: action, Content: json.RawMessage(content)}, nil
	}
}

func TestElicitationOutcomes(t *testing.T) {
	l5 := approvaltest.Request("r1", toolspec.L5)
	l5.Confirm = "writeNote"
	l3 := approvaltest.Request("r1", toolspec.L3)
	for name, tc := range map[string]struct {
		request approval.Request
		answer  func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error)
		want    approval.Outcome
		is      error // nil without an outcome means any error
	}{
		"accept":                 {l3, answers("accept", `{}`), approval.Approved, nil},
		"accept without content": {l3, answers("accept", ``), approval.Approved, nil},
		"decline":                {l3, answers("decline", ``), approval.Declined, nil},
		"cancel":                 {l3, answers("cancel", ``), approval.Cancelled, nil},
		"another action":         {l3, answers("yes", ``), "", approval.ErrInvalid},
		"no action":              {l3, answers("", ``), "", approval.ErrInvalid},
		"another case":           {l3, answers("Accept", ``), "", approval.ErrInvalid},
		"nothing":                {l3, func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) { return nil, nil }, "", approval.ErrInvalid},
		"cannot": {l3, func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
			return nil, fmt.Errorf("no capability: %w", errors.ErrUnsupported)
		}, "", approval.ErrUnavailable},
		"dropped":             {l3, func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) { return nil, toolspec.ErrClosed }, "", toolspec.ErrClosed},
		"L5 with the name":    {l5, answers("accept", `{"confirm":"writeNote"}`), approval.Approved, nil},
		"L5 without":          {l5, answers("accept", `{}`), approval.Declined, nil},
		"L5 no content":       {l5, answers("accept", ``), approval.Declined, nil},
		"L5 with another":     {l5, answers("accept", `{"confirm":"readNote"}`), approval.Declined, nil},
		"L5 with no text":     {l5, answers("accept", `{"confirm":true}`), approval.Declined, nil},
		"L5 declined":         {l5, answers("decline", `{"confirm":"writeNote"}`), approval.Declined, nil},
		"content in a cancel": {l3, answers("cancel", `{"action":"accept"}`), approval.Cancelled, nil},
	} {
		t.Run(name, func(t *testing.T) {
			peer := &client{answer: tc.answer}
			got, err := approval.Elicitation(nil).Ask(approval.WithPeer(t.Context(), peer), []approval.Request{tc.request})
			if tc.want == "" {
				require.Error(t, err)
				assert.Empty(t, got)
				if tc.is != nil {
					require.ErrorIs(t, err, tc.is)
				}
				if !errors.Is(tc.is, approval.ErrUnavailable) {
					require.NotErrorIs(t, err, approval.ErrUnavailable)
				}
				return
			}
			require.NoError(t, err)
			require.Len(t, got, 1)
			want := approval.Decision{Request: "r1", Outcome: tc.want, By: toolspec.Principal{Subject: "ada", Via: "http"}, Via: "elicit"}
			if tc.want == approval.Approved {
				want.Scope, want.Confirm = approval.ScopeOnce, tc.request.Confirm
			}
			if tc.want == approval.Declined && len(peer.asked) > 1 {
				assert.Len(t, peer.asked, 3)
				want.Reason = "the client accepted 3 times without the name of the tool in the field confirm"
			}
			assert.Equal(t, want, got[0])
		})
	}
}

// A client that accepts without a required member of the form is asked again at once,
// with what is missing.
func TestElicitationAsksAgain(t *testing.T) {
	gate := newGate(t, approval.Options{Approvers: []approval.Approver{approval.Elicitation(nil), approval.Inbox(0)}})
	for name, typed := range map[string]string{"empty": `{}`, "another name": `{"confirm":"other"}`} {
		peer := &client{Peer: toolspec.NoPeer}
		peer.answer = func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
			content := typed
			if len(peer.asked) == 2 {
				content = `{"confirm":"wipe"}`
			}
			return &toolspec.ElicitResult{Action: toolspec.ElicitAccept, Content: json.RawMessage(content)}, nil
		}
		c := call(tool("wipe", toolspec.L5, true), `{}`)
		c.Call.Peer = peer
		out := decide(t, gate, c)
		assert.Equal(t, approval.Approved, out.Outcome, name)
		require.Len(t, peer.asked, 2, name)
		assert.Contains(t, peer.asked[1].Message, `"confirm"`, name)
		assert.Contains(t, peer.asked[1].Message, "The last answer could not be used", name)
		assert.Contains(t, peer.asked[1].Message, "wipe", name)
	}
	peer := &client{Peer: toolspec.NoPeer, answer: answers("accept", `{}`)} // a client that repeats this is declined
	c := call(tool("wipe", toolspec.L5, true), `{}`)
	c.Call.Peer = peer
	out := decide(t, gate, c)
	assert.Equal(t, approval.Declined, out.Outcome)
	assert.Len(t, peer.asked, 3)
	assert.Contains(t, out.Message, "without the name of the tool")
}

// A call without a peer, or whose client does not support elicitation, is refused.
func TestElicitationWithoutPeer(t *testing.T) {
	for name, ctx := range map[string]context.Context{
		"none": t.Context(), "nil": approval.WithPeer(t.Context(), nil), "no peer": approval.WithPeer(t.Context(), toolspec.NoPeer),
	} {
		_, err := approval.Elicitation(nil).Ask(ctx, []approval.Request{approvaltest.Request("r1", toolspec.L3)})
		require.ErrorIs(t, err, approval.ErrUnavailable, name)
	}
}

func TestElicitationQuestion(t *testing.T) {
	peer := &client{answer: answers("accept", `{"confirm":"writeNote"}`)}
	ctx := approval.WithPeer(t.Context(), peer)
	r := approvaltest.Request("r1", toolspec.L3)
	r.Server, r.Prompt = "files", "May it write?\x1b[2J"
	r.Arguments = json.RawMessage(`{"path":"a` + "\u202e\u200b" + `b","text":"s3cr3t-value"}`)
	last := approvaltest.Request("r2", toolspec.L5)
	last.Confirm = "writeNote"
	got, err := approval.Elicitation(secret.NewRedactor("s3cr3t-value")).Ask(ctx, []approval.Request{r, last})
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Len(t, peer.asked, 2)
	assert.Equal(t, "[risk L3 Moderate] May it write?\\u001b[2J\n\nServer: files\nTool: writeNote\nArguments that will run: "+
		`{"path":"a\u202e\u200bb","text":"***"}`, peer.asked[0].Message)
	assert.JSONEq(t, `{"type":"object","properties":{}}`, string(peer.asked[0].Schema))
	assert.Empty(t, peer.asked[0].URL)
	assert.True(t, strings.HasPrefix(peer.asked[1].Message, "[risk L5 Critical] "))
	assert.Contains(t, peer.asked[1].Message, "To approve, type writeNote")
	assert.Contains(t, string(peer.asked[1].Schema), `"required":["confirm"]`)

	unknown, err := approval.ElicitQuestion(&approval.Request{Prompt: "?"}, nil)
	require.NoError(t, err)
	assert.Contains(t, unknown.Message, "[risk unknown] ?")

	// Arguments that are too long to show are refused without asking.
	long := approvaltest.Request("r3", toolspec.L3)
	long.Arguments = json.RawMessage(`{"path":"` + strings.Repeat("x", 70_000) + `"}`)
	_, err = approval.Elicitation(nil).Ask(ctx, []approval.Request{long})
	require.ErrorIs(t, err, approval.ErrUnavailable)
}

// A batch ends at its first failure. Earlier decisions are returned.
func TestElicitationBatch(t *testing.T) {
	n := 0
	peer := &client{answer: func(*toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
		if n++; n == 2 {
			return nil, errors.New("the connection broke")
		}
		return &toolspec.ElicitResult{Action: toolspec.ElicitAccept}, nil
	}}
	got, err := approval.Elicitation(nil).Ask(approval.WithPeer(t.Context(), peer), []approval.Request{
		approvaltest.Request("r1", toolspec.L3), approvaltest.Request("r2", toolspec.L3), approvaltest.Request("r3", toolspec.L3)})
	require.ErrorContains(t, err, "the connection broke")
	require.Len(t, got, 1)
	assert.Equal(t, "r1", got[0].Request)
	assert.Len(t, peer.asked, 2)
}
