package chat_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/toolspec"
)

// Every part goes through JSON and back as it is, one of a newer version too.
func TestPartsThroughJSON(t *testing.T) {
	m := chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{
		chat.Text{Text: "t"}, chat.Reasoning{Text: "r", Provider: map[string]json.RawMessage{"s": json.RawMessage(`1`)}}, chat.Refusal{Text: "no"},
		chat.Image{MIMEType: "image/png", Data: []byte{1}}, chat.ToolCall{ID: "c", Name: "n"},
		chat.ToolResult{CallID: "c", Content: []toolspec.Content{toolspec.Text("x")}}, chat.Card{Type: "chart", Payload: json.RawMessage(`{}`)},
		chat.UnknownPart{Name: "hologram", Raw: json.RawMessage(`{"kind":"hologram","depth":3}`)},
	}}
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	var back chat.Message
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, m, back)
	want := []chat.PartKind{chat.PartText, chat.PartReasoning, chat.PartRefusal, chat.PartImage, chat.PartToolCall, chat.PartToolResult, chat.PartCard, "hologram"}
	assert.Equal(t, want, kinds(back.Parts))
	assert.Positive(t, chat.EstimateTokens(&m))

	for _, bad := range []string{`{"role":"user","parts":[{}]}`, `{"role":"user","parts":[1]}`, `{"role":"user","parts":[{"kind":"text","text":1}]}`, `{"role":1}`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &back), bad)
	}
	_, err = json.Marshal(chat.Message{Parts: []chat.Part{nil}})
	assert.Error(t, err)
	clone := (&chat.Message{Meta: map[string]json.RawMessage{"a": json.RawMessage(`1`)}}).Clone()
	assert.Len(t, clone.Meta, 1)
}

func TestOptionsCheck(t *testing.T) {
	number, count := func(f float64) *float64 { return &f }, func(n int) *int { return &n }
	for name, o := range map[string]chat.Options{
		"temperature": {Temperature: number(2.1)}, "topP": {TopP: number(-0.1)}, "frequencyPenalty": {FrequencyPenalty: number(3)},
		"presencePenalty": {PresencePenalty: number(-3)}, "topK": {TopK: count(-1)}, "maxTokens": {MaxTokens: count(0)}, "memoryWindow": {MemoryWindow: count(0)},
		"stop": {Stop: []string{"1", "2", "3", "4", "5"}}, "effort": {Effort: "a lot"},
	} {
		err := o.Check()
		assert.ErrorIs(t, err, chat.ErrInvalid, name)
		assert.ErrorContains(t, err, name)
	}
	empty := chat.Options{Stop: []string{""}}
	assert.Error(t, empty.Check())
	well := chat.Options{Temperature: number(0), Effort: chat.EffortHigh, Stop: []string{"x"}}
	assert.NoError(t, well.Check())
	merged := chat.Options{Model: "a", Temperature: number(1)}.Merge(&chat.Options{Temperature: number(0), Stop: []string{"x"}, Overlay: json.RawMessage(`{}`)})
	assert.Equal(t, "a", merged.Model)
	assert.Zero(t, *merged.Temperature)
	assert.Equal(t, []string{"x"}, merged.Stop)
}

// The states of 8.1 and 8.3: what may follow what.
func TestStates(t *testing.T) {
	states := []chat.ToolCallStatus{"", chat.CallProposed, chat.CallAwaiting, chat.CallInProgress, chat.CallCompleted, chat.CallFailed, chat.CallDeclined, chat.CallSkipped, chat.CallCancelled}
	allowed := map[chat.ToolCallStatus]int{"": 8, chat.CallProposed: 7, chat.CallAwaiting: 4, chat.CallInProgress: 4}
	for _, from := range states {
		n := 0
		for _, to := range states {
			call := chat.StoredToolCall{ItemID: "c", Status: from}
			err := call.Move(to, time.Unix(1, 0))
			switch {
			case from == to:
				assert.NoError(t, err)
			case from.MayBecome(to):
				n++
				assert.NoError(t, err)
				assert.Equal(t, to, call.Status)
			default:
				assert.ErrorIs(t, err, chat.ErrInvalid)
			}
		}
		assert.Equal(t, allowed[from], n, from)
		assert.Equal(t, n == 0, from.Terminal())
	}
	for status, want := range map[chat.ToolCallStatus][2]string{
		chat.CallProposed: {"IN_PROGRESS", ""}, chat.CallCompleted: {"COMPLETED", ""}, chat.CallDeclined: {"FAILED", "declined"},
		chat.CallCancelled: {"FAILED", "cancelled"}, chat.CallSkipped: {"FAILED", "why"}, chat.CallFailed: {"FAILED", "why"},
	} {
		s, failure := status.Backend("why")
		assert.Equal(t, want, [2]string{s, failure})
	}
	conversations := []chat.ConversationStatus{"", chat.StatusCreated, chat.StatusStreaming, chat.StatusPaused, chat.StatusCompleted, chat.StatusIncomplete, chat.StatusFailed}
	want := map[chat.ConversationStatus]int{"": 1, chat.StatusCreated: 1, chat.StatusStreaming: 4, chat.StatusPaused: 2, chat.StatusCompleted: 1, chat.StatusIncomplete: 1, chat.StatusFailed: 1}
	for _, from := range conversations {
		n := 0
		for _, to := range conversations {
			c := chat.Conversation{Status: from}
			if err := c.Move(to); from != to && err == nil {
				n++
			}
		}
		assert.Equal(t, want[from], n, from)
	}
	assert.Equal(t, "verdict 9", chat.Verdict(9).String())
	assert.Equal(t, "wrap-up", chat.VerdictWrapUp.String())
	assert.Equal(t, "hard-stop", chat.VerdictHardStop.String())
	assert.Equal(t, "cancelled", chat.VerdictCancelled.String())
	assert.Equal(t, "continue", chat.VerdictContinue.String())
}

// A turn without limits admits all; one with limits says in its state what it has
// used, and goes on from there.
func TestTurnState(t *testing.T) {
	free := chat.Unbounded()
	for range 100 {
		assert.Equal(t, chat.VerdictContinue, free.BeginRound())
		o, _ := free.Admit("a", "a|1")
		assert.Equal(t, chat.OutcomeExecuted, o)
		assert.True(t, free.Interact())
	}
	assert.False(t, free.MustAnswer())
	assert.Equal(t, chat.VerdictContinue, free.Verdict())

	turn, err := chat.NewTurn("t", chat.TurnPolicy{MaxIdenticalCalls: 2, MaxCostMicros: 100})
	require.NoError(t, err)
	turn.BeginRound()
	turn.Admit("a", "a|1")
	turn.Decline("b")
	turn.AddUsage(chat.Usage{Total: 5}, 40)
	raw, err := json.Marshal(turn.State())
	require.NoError(t, err)
	var state chat.TurnState
	require.NoError(t, json.Unmarshal(raw, &state))
	again, err := chat.ResumeTurn("t", chat.TurnPolicy{MaxIdenticalCalls: 2, MaxCostMicros: 100}, state)
	require.NoError(t, err)
	assert.Equal(t, turn.State(), again.State())
	o, _ := again.Admit("b", "b|1")
	assert.Equal(t, chat.OutcomeDeclined, o)
	again.Admit("a", "a|1")
	o, n := again.Admit("a", "a|1")
	assert.Equal(t, chat.OutcomeRepeated, o)
	assert.Equal(t, 2, n)
	assert.Empty(t, again.Spent())
	again.AddUsage(chat.Usage{}, 60)
	assert.Contains(t, again.Spent(), "may cost")
	_, err = chat.ResumeTurn("t", chat.TurnPolicy{MaxCalls: -1}, state)
	assert.ErrorIs(t, err, chat.ErrInvalid)
	for _, p := range []chat.TurnPolicy{{FirstToken: -1}, {MaxCostMicros: -1}, {MaxTokens: -1}} {
		_, err = chat.NewTurn("t", p)
		assert.ErrorIs(t, err, chat.ErrInvalid)
	}
}

// Every notice says which tool, and none is empty.
func TestWording(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range []chat.Outcome{chat.OutcomeDeclined, chat.OutcomeBudget, chat.OutcomeRepeated, chat.OutcomeLimit, chat.OutcomeWrapUp, chat.OutcomeHardStop, chat.OutcomeCancelled,
		chat.OutcomeInterrupted, chat.OutcomeTimeout, chat.OutcomeUnknownTool, chat.NoticeNotLoaded, chat.OutcomeBadArguments, chat.NoticeCutOff, chat.OutcomePanic, chat.NoticeChanged,
		chat.NoticeNotRun, chat.NoticeGivenUp, chat.NoticeSameError, "another"} {
		for _, note := range []string{"", "a note"} {
			text := chat.English(chat.Notice{Outcome: o, Tool: "launch", Note: note, Count: 3, After: time.Second})
			assert.Contains(t, text, `"launch"`, o)
			seen[text] = true
		}
	}
	for _, o := range []chat.Outcome{chat.NoticeTruncated, chat.NoticeAnswerNow, chat.NoticeContinue, chat.NoticeOmitted} {
		assert.NotEmpty(t, chat.English(chat.Notice{Outcome: o, Kept: 1, Total: 2}))
	}
	assert.Greater(t, len(seen), 19)
}

func TestErrorText(t *testing.T) {
	cause := errors.New("refused")
	err := error(&chat.Error{Code: chat.CodeUnavailable, Provider: "p", HTTPStatus: 503, Message: "try later", Err: cause})
	assert.EqualError(t, err, "chat: p: provider_unavailable (HTTP 503): try later: refused")
	assert.ErrorIs(t, err, cause)
	assert.Equal(t, chat.CodeInternal, chat.CodeOf(cause))
	assert.Equal(t, chat.CodeNotFound, chat.CodeOf(chat.ErrNotFound))
	assert.EqualError(t, &chat.PauseError{Pause: &chat.Pause{Requests: map[string]string{"a": "b"}}}, "chat: 1 calls of the turn wait for approval")
}
