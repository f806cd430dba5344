package llm_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// Every kind of part round-trips as JSON, also an unknown one of a newer version.
func TestPartsRoundTrip(t *testing.T) {
	m := llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
		llm.Text{Text: "t"}, llm.Reasoning{Text: "r", Provider: map[string]json.RawMessage{"s": json.RawMessage(`1`)}}, llm.Refusal{Text: "no"},
		llm.Image{MIMEType: "image/png", Data: []byte{1}}, llm.ToolCall{ID: "c", Name: "n"},
		llm.ToolResult{CallID: "c", Content: []toolspec.Content{toolspec.Text("x")}}, llm.Card{Type: "chart", Payload: json.RawMessage(`{}`)},
		llm.UnknownPart{Name: "hologram", Raw: json.RawMessage(`{"kind":"hologram","depth":3}`)},
	}}
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	var back llm.Message
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, m, back)
	var kinds []llm.PartKind
	for _, p := range back.Parts {
		kinds = append(kinds, p.Kind())
	}
	want := []llm.PartKind{llm.PartText, llm.PartReasoning, llm.PartRefusal, llm.PartImage, llm.PartToolCall, llm.PartToolResult, llm.PartCard, "hologram"}
	assert.Equal(t, want, kinds)
	assert.Positive(t, llm.EstimateTokens(&m))

	for _, bad := range []string{`{"role":"user","parts":[{}]}`, `{"role":"user","parts":[1]}`, `{"role":"user","parts":[{"kind":"text","text":1}]}`, `{"role":1}`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &back), bad)
	}
	_, err = json.Marshal(llm.Message{Parts: []llm.Part{nil}})
	assert.Error(t, err)
	clone := (&llm.Message{Meta: map[string]json.RawMessage{"a": json.RawMessage(`1`)}}).Clone()
	assert.Len(t, clone.Meta, 1)
}

func TestOptionsCheck(t *testing.T) {
	number, count := func(f float64) *float64 { return &f }, func(n int) *int { return &n }
	for name, o := range map[string]llm.Options{
		"temperature": {Temperature: number(2.1)}, "topP": {TopP: number(-0.1)}, "frequencyPenalty": {FrequencyPenalty: number(3)},
		"presencePenalty": {PresencePenalty: number(-3)}, "topK": {TopK: count(-1)}, "maxTokens": {MaxTokens: count(0)}, "memoryWindow": {MemoryWindow: count(0)},
		"stop": {Stop: []string{"1", "2", "3", "4", "5"}}, "effort": {Effort: "a lot"},
	} {
		err := o.Check()
		assert.ErrorIs(t, err, llm.ErrInvalid, name)
		assert.ErrorContains(t, err, name)
	}
	empty := llm.Options{Stop: []string{""}}
	assert.Error(t, empty.Check())
	well := llm.Options{Temperature: number(0), Effort: llm.EffortHigh, Stop: []string{"x"}}
	assert.NoError(t, well.Check())
	merged := llm.Options{Model: "a", Temperature: number(1)}.Merge(&llm.Options{Temperature: number(0), Stop: []string{"x"}, Overlay: json.RawMessage(`{}`)})
	assert.Equal(t, "a", merged.Model)
	assert.Zero(t, *merged.Temperature)
	assert.Equal(t, []string{"x"}, merged.Stop)
}

func TestErrorText(t *testing.T) {
	cause := errors.New("refused")
	err := error(&llm.Error{Code: llm.CodeUnavailable, Provider: "p", HTTPStatus: 503, Message: "try later", Err: cause})
	assert.EqualError(t, err, "llm: p: provider_unavailable (HTTP 503): try later: refused")
	assert.ErrorIs(t, err, cause)
	assert.Equal(t, llm.CodeInternal, llm.CodeOf(cause))
	assert.Equal(t, llm.CodeNotFound, llm.CodeOf(llm.ErrNotFound))
}
