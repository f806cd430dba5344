package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

func summaryDelta(index, part int, id, text string) string {
	return fmt.Sprintf(`{"type":"response.reasoning_summary_text.delta","output_index":%d,"item_id":%q,"summary_index":%d,"delta":%q}`, index, id, part, text)
}

func TestResponsesReasoning(t *testing.T) {
	item := `{"type":"reasoning","id":"rs_1","status":"completed","summary":[{"type":"summary_text","text":"First."},{"type":"summary_text","text":"Then."}],"encrypted_content":"QUJD"}`
	got := assemble(t, created, added(0, `{"type":"reasoning","id":"rs_1","summary":[]}`),
		`{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		summaryDelta(0, 0, "rs_1", "Fir"), summaryDelta(0, 0, "rs_1", "st."),
		`{"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,"text":"First."}`,
		`{"type":"response.reasoning_summary_part.done","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"First."}}`,
		summaryDelta(0, 1, "rs_1", "Then."), done(0, item),
		added(1, `{"type":"reasoning","id":"rs_2","summary":[]}`), done(1, `{"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"REVG"}`),
		done(2, messageItem("msg_1", "So.")), done(3, `{"type":"reasoning","id":"rs_3","summary":[{"type":"summary_text","text":"Plain."}],"encrypted_content":null}`),
		done(4, `{"type":"reasoning","id":"rs_4","summary":[{"type":"summary_text","text":"More."}]}`),
		done(5, callItem("fc_1", "call_a", "f", "{}")), completed(""))
	require.NoError(t, got.err)
	parts := got.message.Parts
	require.Len(t, parts, 5)
	first := parts[0].(llm.Reasoning)
	assert.Equal(t, "First.\n\nThen.", first.Text)
	assert.JSONEq(t, `{"model":"m","item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"First."},{"type":"summary_text","text":"Then."}],"encrypted_content":"QUJD"}}`,
		string(first.Provider["openai"]))
	hidden := parts[1].(llm.Reasoning)
	assert.Empty(t, hidden.Text)
	assert.Contains(t, string(hidden.Provider["openai"]), `"REVG"`)
	assert.Equal(t, llm.Text{Text: "So."}, parts[2])
	assert.Equal(t, llm.Reasoning{Text: "Plain.\n\nMore."}, parts[3], "the provider keeps nothing, and could not read what has no contents")
	assert.Equal(t, llm.PartToolCall, parts[4].Kind())

	t.Run("as it is", func(t *testing.T) {
		got := assemble(t, `{"type":"response.reasoning_text.delta","item_id":"rs_1","output_index":0,"content_index":0,"delta":"hm"}`,
			summaryDelta(0, 0, "rs_1", "It says hm."), // another form of the same text
			`{"type":"response.reasoning_text.done","item_id":"rs_1","output_index":0,"content_index":0,"text":"hm, yes"}`,
			done(0, `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"It says hm."}],"content":[{"type":"reasoning_text","text":"hm, yes"}]}`),
			done(1, messageItem("msg_1", "So.")), completed(""))
		require.NoError(t, got.err)
		assert.Equal(t, "hm, yes", got.message.Reasoning())
		var state reasoningState
		require.NoError(t, json.Unmarshal(got.message.Parts[0].(llm.Reasoning).Provider["openai"], &state))
		assert.JSONEq(t, `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"It says hm."}],"content":[{"type":"reasoning_text","text":"hm, yes"}]}`, string(state.Item))
	})
}

func TestResponsesRefusal(t *testing.T) {
	for name, events := range map[string][]string{
		"streamed": {added(0, `{"type":"message","id":"m"}`), `{"type":"response.refusal.delta","output_index":0,"item_id":"m","content_index":0,"delta":"I will "}`,
			`{"type":"response.refusal.delta","output_index":0,"item_id":"m","content_index":0,"delta":"not."}`,
			`{"type":"response.refusal.done","output_index":0,"item_id":"m","content_index":0,"refusal":"I will not."}`, completed("")},
		"whole": {done(0, `{"type":"message","id":"m","content":[{"type":"refusal","refusal":"I will not."}]}`), completed("")},
	} {
		t.Run(name, func(t *testing.T) {
			got := assemble(t, events...)
			require.NoError(t, got.err)
			assert.Equal(t, []llm.Part{llm.Refusal{Text: "I will not."}}, got.message.Parts)
			assert.Equal(t, llm.FinishRefusal, got.finish)
		})
	}
}

// The parts of a message are sent in order, for any order of its events.
func TestResponsesSeveralParts(t *testing.T) {
	part := func(kind string, index int, more string) string {
		return fmt.Sprintf(`{"type":"response.output_text.%s","output_index":0,"item_id":"m","content_index":%d,%s}`, kind, index, more)
	}
	got := assemble(t, added(0, `{"type":"message","id":"m"}`), part("delta", 0, `"delta":"a"`), part("delta", 1, `"delta":"x"`), part("delta", 0, `"delta":"b"`),
		part("delta", 1, `"delta":"y"`), part("done", 0, `"text":"ab"`), part("delta", 1, `"delta":"z"`), part("done", 1, `"text":"xyz!"`), completed(""))
	require.NoError(t, got.err)
	assert.Equal(t, "abxyz!", got.message.Text())
}

func TestResponsesIncomplete(t *testing.T) {
	end := func(reason string) string {
		return fmt.Sprintf(`{"type":"response.incomplete","response":{"id":"r","status":"incomplete","incomplete_details":{"reason":%q},"usage":{"input_tokens":3,"output_tokens":4}}}`, reason)
	}
	text := []string{added(0, `{"type":"message","id":"m"}`), textDelta(0, "m", "half")}
	for reason, want := range map[string]llm.FinishReason{"max_output_tokens": llm.FinishLength, "content_filter": llm.FinishContentFilter, "something": llm.FinishOther, "": llm.FinishLength} {
		got := assemble(t, append(text, end(reason))...)
		require.NoError(t, got.err)
		assert.Equal(t, want, got.finish)
		assert.Equal(t, "half", got.message.Text())
		assert.Equal(t, 7, got.usage.Total)
	}
	for name, events := range map[string][]string{
		"within a call": {added(0, `{"id":"fc_1","type":"function_call","call_id":"call_a","name":"f"}`), argsDelta(0, "fc_1", `{"path": "/a`), end("max_output_tokens")},
		"with its half": {added(0, `{"id":"fc_1","type":"function_call","call_id":"call_a","name":"f"}`),
			done(0, `{"id":"fc_1","type":"function_call","call_id":"call_a","name":"f","arguments":"{\"path\": \"/a","status":"incomplete"}`), end("max_output_tokens")},
		"before its arguments": {added(0, `{"id":"fc_1","type":"function_call","call_id":"call_a","name":"f"}`), end("max_output_tokens")},
	} {
		t.Run(name, func(t *testing.T) {
			got := assemble(t, events...)
			require.NoError(t, got.err)
			assert.Equal(t, llm.FinishLength, got.finish, "the tool loop answers the call then, and does not run it")
			require.Len(t, got.message.ToolCalls(), 1)
		})
	}
	got := assemble(t, append(text, argsDelta(1, "fc_1", `{"a`), end("max_output_tokens"))...)
	require.NoError(t, got.err)
	assert.Empty(t, got.message.ToolCalls(), "half a call without a name")
}

func TestResponsesProviderTools(t *testing.T) {
	got := assemble(t, added(0, `{"type":"web_search_call","id":"ws_1","status":"in_progress"}`), `{"type":"response.web_search_call.searching","output_index":0,"item_id":"ws_1"}`,
		`{"type":"response.mcp_call_arguments.delta","output_index":1,"item_id":"mcp_1","delta":"{"}`, `{"type":"response.code_interpreter_call_code.delta","output_index":2,"delta":"1+1"}`,
		done(0, `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search"}}`),
		added(1, `{"type":"mcp_call","id":"mcp_1","name":"rm"}`), done(1, `{"type":"mcp_call","id":"mcp_1","name":"rm","arguments":"{}","content":7}`), textDelta(2, "m", "found"), completed(""))
	require.NoError(t, got.err)
	assert.Equal(t, []string{llm.WarnProviderTool, llm.WarnProviderTool}, got.warnings)
	assert.Empty(t, got.message.ToolCalls(), "they are not ours to run")
	assert.Equal(t, "found", got.message.Text())
}

func TestResponsesMismatch(t *testing.T) {
	got := assemble(t, textDelta(0, "m", "one thing "), `{"type":"response.output_text.done","output_index":0,"item_id":"m","text":"another thing"}`,
		done(0, messageItem("m", "another thing")), completed(""))
	require.NoError(t, got.err)
	assert.Equal(t, "one thing ", got.message.Text(), "what was shown stays")
	assert.Equal(t, []string{llm.WarnMismatch}, got.warnings)

	got = assemble(t, textDelta(0, "m", "one thing "), done(0, messageItem("m", "one thing")), completed(""))
	assert.Empty(t, got.warnings, "spaces are no difference")
	got = assemble(t, added(0, `{"type":"reasoning","id":"r"}`), textDelta(1, "m", "held back"), done(1, messageItem("m", "held")), completed(""))
	assert.Empty(t, got.warnings)
	assert.Equal(t, "held", got.message.Text(), "what was not shown yet is replaced")
}

func TestResponsesLateEvents(t *testing.T) {
	got := assemble(t, done(0, messageItem("m", "all")), textDelta(0, "m", "late"), `{"type":"response.output_text.done","output_index":0,"item_id":"other","text":"all"}`,
		added(0, `{"type":"message","id":"m"}`), done(0, messageItem("m", "all")), completed(`,"output":[`+messageItem("m", "all")+`]`))
	require.NoError(t, got.err)
	assert.Equal(t, "all", got.message.Text())
	assert.Empty(t, got.warnings)
}

func TestResponsesRaw(t *testing.T) {
	m := &replay{raw: true, events: []string{done(0, messageItem("m", "x")), `{"type":"later"}`, completed("")}}
	for _, err := range m.Generate(t.Context(), nil) {
		require.NoError(t, err)
	}
	var raw []string
	for _, d := range m.deltas {
		if d.Kind == llm.DeltaRaw {
			raw = append(raw, string(d.Raw))
		}
	}
	assert.Equal(t, m.events, raw)
}

// Some servers do not stream.
func TestResponsesWhole(t *testing.T) {
	got := assemble(t, `{"id":"resp_1","object":"response","status":"completed","error":null,"output":[`+messageItem("m", "all at once")+`],"usage":{"input_tokens":1,"output_tokens":2}}`)
	require.NoError(t, got.err)
	assert.Equal(t, "all at once", got.message.Text())
	assert.Equal(t, 3, got.usage.Total)
	got = assemble(t, `{"id":"resp_1","object":"response","status":"failed","error":{"code":"server_error","message":"oh"},"output":[]}`)
	assert.Equal(t, llm.CodeUnavailable, llm.CodeOf(got.err))
}

// A character that is split over two events is joined.
func TestResponsesHalfCharacters(t *testing.T) {
	delta := func(text string) string {
		return `{"type":"response.output_text.delta","output_index":0,"item_id":"m","delta":"` + text + `"}`
	}
	half := "서"
	got := assemble(t, delta("a"+half[:1]), delta(half[1:]+`\ud83d`), delta(`\ude00`), delta(half[:2]), completed(""))
	require.NoError(t, got.err)
	assert.Equal(t, "a서😀\uFFFD\uFFFD", got.message.Text())
	got = assemble(t, delta("a"+half[:1]), done(0, messageItem("m", "a서")), completed(""))
	require.NoError(t, got.err)
	assert.Equal(t, "a서", got.message.Text())
	assert.Empty(t, got.warnings)
}

// Tool names that the API does not accept are translated in both directions.
func TestResponsesToolNames(t *testing.T) {
	tools := newNames([]toolspec.Definition{{Name: "files.read"}})
	var started string
	a := &responsesAssembler{names: tools, yield: func(d llm.Delta, _ error) bool {
		if d.Kind == llm.DeltaToolStart {
			started = d.Name
		}
		return true
	}}
	require.NoError(t, a.addEvent([]byte(done(0, callItem("fc", "c", tools.wire("files.read"), "{}")))))
	assert.Equal(t, "files.read", started)
}

// Excessively large answers end early.
func TestResponsesTooMuch(t *testing.T) {
	const n = mostItems + 2
	many := func(piece string) string { return strings.TrimSuffix(strings.Repeat(piece+",", n), ",") }
	each := func(event func(i int) string) []string {
		events := make([]string, n)
		for i := range events {
			events[i] = event(i)
		}
		return events
	}
	for name, events := range map[string][]string{
		"items":           each(func(i int) string { return added(i, `{"type":"message"}`) }),
		"items by events": each(func(i int) string { return textDelta(i, fmt.Sprint("m", i), "x") }),
		"parts": each(func(i int) string {
			return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":0,"item_id":"m","content_index":%d,"delta":"x"}`, i)
		}),
		"parts of an item": {done(0, `{"type":"message","content":[`+many(`{"type":"output_text","text":"x"}`)+`]}`)},
		"output":           {completed(`,"output":[` + many(`{"type":"message"}`) + `]`)},
	} {
		t.Run(name, func(t *testing.T) {
			got := assemble(t, events...)
			assert.Equal(t, llm.CodeStreamBroken, llm.CodeOf(got.err))
			assert.ErrorIs(t, got.err, errTooMany)
		})
	}
}
