package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/clichat/internal/render"
)

// What ended a turn is said once, with what to do about it.
func TestHints(t *testing.T) {
	t.Parallel()
	shown := func(events ...chat.Event) string {
		var out bytes.Buffer
		v := newView(render.NewScreen(&out, render.Theme{}, func() (int, int) { return 200, 40 }), map[string]bool{})
		for _, ev := range events {
			v.event(ev)
		}
		return strings.TrimSpace(out.String())
	}
	for code, want := range map[llm.Code]string{
		llm.CodeRateLimited: "in 12.0 s", llm.CodeProviderAuth: "config show", llm.CodeModelNotFound: "/model lists", llm.CodeModelLacksTools: "tools none",
		llm.CodeContextOverflow: "/set window", llm.CodeBudget: "chat.turnTokens", llm.CodeUnavailable: "start the server", llm.CodeStreamBroken: "/retry asks again",
	} {
		got := shown(&chat.TurnFailed{Code: code, Message: "it failed", Retryable: true, RetryAfterMs: 12_000})
		assert.Contains(t, got, want)
		assert.Equal(t, 1, strings.Count(got, "it failed"))
	}
	assert.Contains(t, shown(&chat.TurnFailed{Code: llm.CodeRateLimited}), "wait, then /retry")
	assert.Equal(t, "it failed (internal)", shown(&chat.TurnFailed{Code: llm.CodeInternal, Message: "it failed"}))
	for finish, want := range map[llm.FinishReason]string{
		llm.FinishContentFilter: "content filter", llm.FinishRefusal: "refused", llm.FinishLength: "max-tokens", llm.FinishRoundLimit: "chat.rounds", llm.FinishBudget: "chat.turnTokens",
	} {
		assert.Contains(t, shown(&chat.TurnFinished{Status: conversation.EndIncomplete, Finish: finish}), want)
		assert.Contains(t, shown(&chat.TurnFinished{Status: conversation.EndCompleted, Finish: finish}), want)
		assert.Empty(t, shown(&chat.TurnFinished{Status: conversation.EndFailed, Finish: finish}), "the failure was said")
	}
	assert.Empty(t, shown(&chat.TurnFinished{Status: conversation.EndCompleted, Finish: llm.FinishStop}))
	assert.Contains(t, shown(&chat.TurnFinished{Status: conversation.EndIncomplete, Finish: llm.FinishOther}), "incomplete: other")
}
