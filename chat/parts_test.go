package chat_test

import (
	"encoding/json"
	"errors"
	"testing"

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
	var kinds []chat.PartKind
	for _, p := range back.Parts {
		kinds = append(kinds, p.Kind())
	}
	want := []chat.PartKind{chat.PartText, chat.PartReasoning, chat.PartRefusal, chat.PartImage, chat.PartToolCall, chat.PartToolResult, chat.PartCard, "hologram"}
	assert.Equal(t, want, kinds)
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

func TestErrorText(t *testing.T) {
	cause := errors.New("refused")
	err := error(&chat.Error{Code: chat.CodeUnavailable, Provider: "p", HTTPStatus: 503, Message: "try later", Err: cause})
	assert.EqualError(t, err, "chat: p: provider_unavailable (HTTP 503): try later: refused")
	assert.ErrorIs(t, err, cause)
	assert.Equal(t, chat.CodeInternal, chat.CodeOf(cause))
	assert.Equal(t, chat.CodeNotFound, chat.CodeOf(chat.ErrNotFound))
	assert.EqualError(t, &chat.PauseError{Pause: &chat.Pause{Requests: map[string]string{"a": "b"}}}, "chat: 1 calls of the turn wait for approval")
}
