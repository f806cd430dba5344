package openai_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

type timeTool struct{}

func (timeTool) Definition() toolspec.Definition {
	return toolspec.Definition{Name: "getTime", Description: "the time in a zone", Level: toolspec.L0,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"]}`)}
}

func (timeTool) Call(context.Context, *toolspec.Call) (*toolspec.Result, error) {
	return toolspec.TextResult("11:04"), nil
}

// Within a turn, reasoning is sent back at its position; in later turns it is not.
func TestResponsesTurn(t *testing.T) {
	leak.Check(t)
	s := serveResponses(t, events(roundOne()...), events(says("It is 11:04 in 서울.")...), events(says("You are welcome.")...))
	m := s.model(t, nil)
	store, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	client, err := chat.NewClient(m, &chat.ClientOptions{Store: store, Tools: toolspec.Tools(timeTool{}), Uncertified: []string{"getTime"}, System: "Be brief."})
	require.NoError(t, err)
	ask := func(text string) *chat.Response {
		var got []chat.Event
		for ev, err := range client.Stream(t.Context(), "c_1", llm.UserText(text), nil) {
			require.NoError(t, err)
			got = append(got, ev)
		}
		require.NoError(t, chattest.CheckEvents(got))
		r, err := chat.Collect(func(yield func(chat.Event, error) bool) {
			for _, ev := range got {
				if !yield(ev, nil) {
					return
				}
			}
		})
		require.NoError(t, err)
		return r
	}
	r := ask("What time is it in Seoul?")
	assert.Equal(t, "It is 11:04 in 서울.", r.Message.Text())
	assert.Equal(t, conversation.EndCompleted, r.Status)
	assert.Equal(t, 249, r.Usage.Total)

	bodies := s.bodies()
	require.Len(t, bodies, 2)
	for _, body := range bodies {
		assert.Equal(t, "Be brief.", body["instructions"])
		assert.Equal(t, []any{"reasoning.encrypted_content"}, body["include"])
	}
	user := map[string]any{"type": "message", "role": "user", "content": "What time is it in Seoul?"}
	call := []any{map[string]any{"type": "function_call", "call_id": "call_a", "name": "getTime", "arguments": `{"zone":"Asia/Seoul"}`},
		map[string]any{"type": "function_call_output", "call_id": "call_a", "output": "11:04"}}
	thought := map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{map[string]any{"type": "summary_text", "text": "I need the time — 서울."}}, "encrypted_content": "gAAAA="}
	assert.Equal(t, append([]any{user, thought}, call...), bodies[1]["input"])

	assert.Equal(t, "You are welcome.", ask("Thanks.").Message.Text())
	for _, item := range s.bodies()[2]["input"].([]any) {
		assert.NotEqual(t, "reasoning", item.(map[string]any)["type"])
	}
}

// A setting that the server refuses by name is left out, reported, and not sent again.
func TestResponsesRefusedSettings(t *testing.T) {
	for name, c := range map[string]struct {
		refusals []string // bodies of the errors, one for each attempt
		told     []string
		later    []string // settings of the next exchange
		gone     []string
	}{
		"a summary by its name": {[]string{`{"error":{"message":"Your organization must be verified to generate reasoning summaries.","param":"reasoning.summary","code":"unsupported_value"}}`},
			[]string{"reasoning.summary=auto"}, nil, []string{"reasoning"}},
		"a summary in words":    {[]string{`{"error":{"message":"Your organization must be verified to generate reasoning summaries.","param":null}}`}, []string{"reasoning.summary=auto"}, nil, []string{"reasoning"}},
		"what is encrypted":     {[]string{`{"error":{"message":"Encrypted content is not supported with this model."}}`}, []string{`include=["reasoning.encrypted_content"]`}, nil, []string{"include"}},
		"one after another":     {[]string{`{"error":{"message":"Unknown parameter: 'include'.","param":"include"}}`, `{"detail":"Unsupported parameter: max_output_tokens"}`, `{"error":{"message":"no","param":"reasoning"}}`}, []string{`include=["reasoning.encrypted_content"]`, "maxTokens=50", `effort={"summary":"auto"}`}, []string{"maxTokens=50", `effort={"summary":"auto"}`}, []string{"include", "max_output_tokens", "reasoning"}},
		"a part of the setting": {[]string{`{"error":{"message":"bad","param":"include[0]"}}`}, []string{`include=["reasoning.encrypted_content"]`}, nil, []string{"include"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveResponses(t)
			for _, body := range c.refusals {
				s.answers = append(s.answers, refuse(400, body))
			}
			s.answers = append(s.answers, events(says("hello")...), events(says("again")...))
			m := s.model(t, nil)
			most := 50
			ask := func() (told []string) {
				req := question()
				req.Options.MaxTokens = &most
				deltas, err := take(t, m, req)
				require.NoError(t, err)
				for _, d := range deltas {
					if d.Kind == llm.DeltaAdjusted {
						assert.NotEmpty(t, d.Adjusted.Reason)
						told = append(told, d.Adjusted.Name+"="+d.Adjusted.Asked)
					}
				}
				return told
			}
			assert.Equal(t, c.told, ask())
			assert.Equal(t, c.later, ask())
			bodies := s.bodies()
			require.Len(t, bodies, len(c.refusals)+2)
			for _, field := range c.gone {
				assert.Contains(t, bodies[0], field)
				assert.NotContains(t, bodies[len(bodies)-1], field)
			}
		})
	}
	t.Run("nothing to leave out", func(t *testing.T) {
		for _, body := range []string{`{"error":{"message":"Invalid 'tools[0].name'","param":"tools[0].name"}}`, `{"error":{"message":"the temperature is too high"}}`,
			`{"error":{"message":"my_include is no include_thing","param":""}}`, `7`} {
			s := serveResponses(t, refuse(400, body))
			_, err := take(t, s.model(t, nil), question())
			assert.Equal(t, llm.CodeProviderRejected, llm.CodeOf(err))
			assert.Len(t, s.bodies(), 1)
		}
	})
	t.Run("broken off in between", func(t *testing.T) {
		s := serveResponses(t, refuse(400, `{"error":{"message":"no","param":"include"}}`))
		for d, err := range s.model(t, nil).Generate(t.Context(), question()) {
			require.NoError(t, err)
			assert.Equal(t, "include", d.Adjusted.Name)
			break
		}
		assert.Len(t, s.bodies(), 1)
	})
}
