package chat_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
)

func numbers(n int, err error, ended *int) chat.Stream {
	return func(yield func(chat.Event, error) bool) {
		defer func() { *ended++ }()
		for i := range n {
			e := &chat.TextDelta{Text: "x"}
			e.Seq = int64(i + 1)
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestToChannel(t *testing.T) {
	leak.Check(t)
	boom := errors.New("boom")
	ended, seen := 0, 0
	var failed error
	for item := range chat.ToChannel(t.Context(), numbers(10, boom, &ended)) {
		if failed = item.Err; failed == nil {
			seen++
		}
	}
	assert.Equal(t, 10, seen)
	assert.ErrorIs(t, failed, boom)
	ctx, cancel := context.WithCancel(t.Context())
	items := chat.ToChannel(ctx, numbers(10, nil, &ended))
	<-items
	cancel()
	for range items { // the channel is closed although it was not read to its end
	}
	assert.Equal(t, 2, ended)
}

func TestHandlers(t *testing.T) {
	boom := errors.New("boom")
	_, err := chat.Collect(chat.Fail(boom))
	assert.ErrorIs(t, err, boom)

	type key struct{}
	attrs := chat.Values{}.With(key{}, 1)
	assert.Equal(t, 2, attrs.With(key{}, 2).Value(key{}))
	assert.Equal(t, 1, attrs.Value(key{}))
	assert.Nil(t, attrs.Value("other"))
	req := &chat.Request{Messages: []llm.Message{llm.SystemText("s"), llm.UserText("q"), llm.AssistantText("a")}}
	assert.Equal(t, "q", req.Question().Text())
	assert.Nil(t, (&chat.Request{}).Question())
}

func TestCollectorOfAFailure(t *testing.T) {
	c := chat.NewCollector()
	for _, ev := range []chat.Event{
		&chat.RetrievalFinished{Documents: []conversation.DocumentRef{{ID: "d1"}}},
		&chat.Warned{Warning: chat.Warning{Code: "x"}},
		&chat.CardShown{CardType: "chart"},
		&chat.ApprovalRequired{ApprovalID: "ap_1"}, &chat.ApprovalRequired{ApprovalID: "ap_2"}, &chat.ApprovalResolved{ApprovalID: "ap_1"},
		&chat.MessageCompleted{Role: llm.RoleAssistant}, // without the message, as in a decoded event
		&chat.TurnFailed{Code: llm.CodeRateLimited, RetryAfterMs: 1500, Retryable: true},
	} {
		c.Add(ev)
	}
	r := c.Response()
	assert.Len(t, r.Documents, 1)
	assert.Len(t, r.Warnings, 1)
	assert.Len(t, r.Cards, 1)
	require.Len(t, r.Pending, 1)
	assert.Equal(t, "ap_2", r.Pending[0].ApprovalID)
	assert.Equal(t, llm.CodeRateLimited, llm.CodeOf(c.Err()))
}

func TestCollectNil(t *testing.T) {
	resp, err := chat.Collect(nil)
	assert.ErrorIs(t, err, llm.ErrInvalid)
	assert.NotNil(t, resp)
}
