package chat_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// everyEvent returns one event of each type.
func everyEvent() []chat.Event {
	return []chat.Event{
		&chat.TurnStarted{UserMessageID: "m", Provider: "p", Model: "x", Mode: "none"}, &chat.ConversationChanged{Status: conversation.StatusStreaming},
		&chat.OptionAdjusted{Adjustment: llm.Adjustment{Name: "effort", Asked: "max", Used: "high", Reason: "r"}},
		&chat.OptionIgnored{Adjustment: llm.Adjustment{Name: "seed", Asked: "1", Reason: "r"}}, &chat.RetrievalStarted{Query: "q"},
		&chat.RetrievalFinished{Documents: []conversation.DocumentRef{{ID: "d", Score: 0.5}}}, &chat.ContextBudget{Budget: conversation.Budget{Window: 8}},
		&chat.RoundStarted{OfferedTools: []string{"a"}}, &chat.ReasoningDelta{Text: "hm <&>\u2028"}, &chat.ReasoningEnd{Chars: 2}, &chat.TextDelta{Text: "é\n\"x\""},
		&chat.TextEnd{ItemID: "i"}, &chat.RefusalDelta{Text: "no"}, &chat.ToolCallStarted{CallID: "c", Name: "n", Index: 1},
		&chat.ToolCallArguments{CallID: "c", Fragment: `{"a":`}, &chat.ToolCallReady{CallID: "c", Name: "n", Arguments: json.RawMessage(`{"a":1}`), CallType: llm.TypeMCP},
		&chat.ToolCallUpdate{CallID: "c", Status: conversation.CallInProgress}, &chat.ApprovalRequired{ApprovalID: "ap", CallID: "c", Name: "n", Question: "?", Expires: time.Unix(5, 0).UTC()},
		&chat.ApprovalResolved{ApprovalID: "ap", CallID: "c", Decision: "approved"}, &chat.ToolCallProgress{CallID: "c", Progress: 0.5, Total: 1},
		&chat.ToolCallResult{CallID: "c", Content: "x", Bytes: 1, Truncated: &llm.Truncation{Kept: 1, Total: 2}}, &chat.CardShown{CallID: "c", CardType: "chart", Payload: json.RawMessage(`{}`)},
		&chat.GuardSpoke{Outcome: llm.OutcomeLimit, CallID: "c"}, &chat.ModelRetry{Retry: llm.Retry{Attempt: 2, Cause: "429", Reset: true}},
		&chat.UsageReported{RoundUsage: llm.Usage{Input: 1}, TurnUsage: llm.Usage{Input: 2, Estimated: true}}, &chat.RoundFinished{Finish: llm.FinishStop},
		&chat.MessageCompleted{MessageID: "m", Role: llm.RoleAssistant, Content: "x", Status: conversation.MessageFinal}, &chat.StructuredInvalid{Errors: []string{"e"}, Attempt: 1},
		&chat.Warned{Warning: chat.Warning{Code: "c", Message: "m"}}, &chat.TurnFailed{Code: llm.CodeInternal, Message: "m"},
		&chat.TurnFinished{Status: conversation.EndCompleted, Rounds: 1}, &chat.Heartbeat{}, &chat.UnknownEvent{Name: "new.kind", Raw: json.RawMessage(`{"x":1}`)},
	}
}

func TestEventsRoundTrip(t *testing.T) {
	seen := map[chat.EventType]bool{}
	for i, e := range everyEvent() {
		*e.Header() = chat.EventHeader{Seq: int64(i), Time: time.UnixMilli(1_700_000_000_123).UTC(), Conversation: "c_1", Turn: "t_1", Round: 2}
		raw, err := chat.MarshalEvent(e)
		require.NoError(t, err)
		assert.False(t, strings.ContainsAny(string(raw), "\n\r"), "one line: %s", raw)
		assert.True(t, json.Valid(raw), "%s", raw)
		back, err := chat.UnmarshalEvent(raw)
		require.NoError(t, err)
		assert.Equal(t, e, back)
		seen[e.Type()] = true
	}
	assert.Len(t, seen, 33, "one of each type")
}

// The hand-written JSON of events is equal to that of encoding/json.
func TestHandWrittenJSON(t *testing.T) {
	for _, e := range everyEvent() {
		if _, unknown := e.(*chat.UnknownEvent); unknown {
			continue
		}
		data, err := json.Marshal(e)
		require.NoError(t, err)
		raw, err := chat.MarshalEvent(e)
		require.NoError(t, err)
		var whole struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal(raw, &whole))
		var a, b any
		require.NoError(t, json.Unmarshal(data, &a))
		require.NoError(t, json.Unmarshal(whole.Data, &b))
		assert.True(t, reflect.DeepEqual(a, b), "%s: %s and %s", e.Type(), data, whole.Data)
	}
}

func TestUnmarshalEventRefuses(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{}`, `{"type":""}`, `{"type":"text.delta","data":[]}`, `{"type":"text.delta","seq":"x"}`} {
		_, err := chat.UnmarshalEvent([]byte(raw))
		assert.Error(t, err, raw)
	}
}

func FuzzUnmarshalEvent(f *testing.F) {
	for _, e := range everyEvent() {
		raw, err := chat.MarshalEvent(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := chat.UnmarshalEvent(raw)
		if err != nil {
			return
		}
		again, err := chat.MarshalEvent(e)
		if err != nil {
			return // a time that has no JSON form
		}
		if _, err := chat.UnmarshalEvent(again); err != nil {
			t.Fatalf("%s became %s: %v", raw, again, err)
		}
	})
}
