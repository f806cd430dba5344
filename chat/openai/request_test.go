package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/toolspec"
)

var fine = sse(said("ok"), f("stop"), done)

// sent makes one exchange and returns its request and what was told.
func sent(t *testing.T, opts openai.Options, model string, req *chat.ModelRequest) (map[string]any, result) {
	t.Helper()
	s := &server{answers: []answer{{body: fine}}}
	r := run(t, ask(t, s, opts, model), req)
	require.NoError(t, r.err)
	require.Len(t, s.asked, 1)
	return s.asked[0], r
}

func ptr[T any](v T) *T { return &v }

func TestRequestSendsZeros(t *testing.T) {
	req := request()
	req.Options = chat.Options{Temperature: ptr(0.0), TopP: ptr(0.0), FrequencyPenalty: ptr(0.0), PresencePenalty: ptr(0.0), Seed: ptr(0), TopK: ptr(0), MaxTokens: ptr(7), Stop: []string{"</s>"}}
	body, r := sent(t, openai.Options{BaseURL: "http://localhost:8000/v1"}, "qwen3", req)
	for _, field := range []string{"temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "top_k"} {
		assert.Equal(t, 0.0, body[field], field)
	}
	assert.Equal(t, 7.0, body["max_tokens"])
	assert.Equal(t, []any{"</s>"}, body["stop"])
	assert.Equal(t, true, body["stream"])
	assert.Equal(t, map[string]any{"include_usage": true}, body["stream_options"])
	assert.NotContains(t, body, "tools")
	assert.NotContains(t, body, "tool_choice")
	assert.Empty(t, r.told)
}

func TestReasoningModelsLoseTheirSampling(t *testing.T) {
	for _, model := range []string{"o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.1", "gpt-5.9", "gpt-6.1-sol", "openai/gpt-5"} {
		req := request()
		req.Options = chat.Options{Temperature: ptr(0.2), TopP: ptr(1.0), FrequencyPenalty: ptr(0.5), TopK: ptr(3), MaxTokens: ptr(50)}
		body, r := sent(t, openai.Options{BaseURL: openai.DefaultBaseURL}, model, req)
		assert.ElementsMatch(t, []string{"temperature:", "frequencyPenalty:", "topK:"}, r.told, model)
		assert.NotContains(t, body, "temperature")
		assert.NotContains(t, body, "top_p")
		assert.Equal(t, 50.0, body["max_completion_tokens"], model)
		assert.NotContains(t, body, "max_tokens")
	}
	req := request()
	req.Options.Temperature = ptr(0.2)
	body, r := sent(t, openai.Options{BaseURL: openai.DefaultBaseURL}, "gpt-4o", req)
	assert.Equal(t, 0.2, body["temperature"])
	assert.Empty(t, r.told)
}

func TestEffortBecomesWhatTheModelLists(t *testing.T) {
	for _, c := range []struct {
		base, model string
		effort      chat.Effort
		want        any
		told        []string
	}{
		{"", "gpt-5", chat.EffortDefault, nil, nil},
		{"", "gpt-5", chat.EffortOff, "minimal", []string{"effort:minimal"}},
		{"", "gpt-5", chat.EffortLow, "low", nil},
		{"", "gpt-5", chat.EffortMax, "high", []string{"effort:high"}},
		{"", "gpt-5.1", chat.EffortOff, "none", nil},
		{"", "gpt-5.1", chat.EffortMax, "high", []string{"effort:high"}},
		{"", "gpt-5.4", chat.EffortMax, "xhigh", []string{"effort:xhigh"}},
		{"", "gpt-6-sol", chat.EffortMax, "max", nil},
		{"", "gpt-6-astra", chat.EffortOff, nil, []string{"effort:"}},
		{"", "o3", chat.EffortOff, nil, []string{"effort:"}},
		{"", "o3", chat.EffortMedium, "medium", nil},
		{"", "gpt-5.2-chat-latest", chat.EffortHigh, "medium", []string{"effort:medium"}},
		{"", "gpt-5.2-chat-latest", chat.EffortLow, nil, []string{"effort:"}},
		{"", "gpt-4o", chat.EffortHigh, nil, []string{"effort:"}},
		{"", "new-model", chat.EffortHigh, "high", nil},
		{"", "new-model", chat.EffortMax, "high", []string{"effort:high"}},
		{"http://localhost:8000/v1", "qwen3", chat.EffortHigh, nil, []string{"effort:"}},
		{"http://localhost:8000/v1", "openai/gpt-oss-20b", chat.EffortHigh, "high", nil},
		{"https://openrouter.ai/api/v1", "openai/gpt-5.1", chat.EffortOff, "none", nil},
	} {
		if c.base == "" {
			c.base = openai.DefaultBaseURL
		}
		req := request()
		req.Options.Effort = c.effort
		body, r := sent(t, openai.Options{BaseURL: c.base}, c.model, req)
		assert.Equal(t, c.want, body["reasoning_effort"], "%s %s", c.model, c.effort)
		assert.Equal(t, c.told, r.told, "%s %s", c.model, c.effort)
	}
	q := openai.QuirksFor("http://localhost:8000/v1", "qwen3")
	q.ThinkingSwitch = true
	req := request()
	req.Options.Effort = chat.EffortOff
	body, r := sent(t, openai.Options{BaseURL: "http://localhost:8000/v1", Quirks: &q}, "qwen3", req)
	assert.Equal(t, map[string]any{"enable_thinking": false}, body["chat_template_kwargs"])
	assert.Empty(t, r.told)
}

func TestToolsAndChoices(t *testing.T) {
	base := openai.Options{BaseURL: openai.DefaultBaseURL}
	for mode, want := range map[chat.ToolMode]any{
		chat.ToolAuto: nil, chat.ToolNone: "none", chat.ToolRequired: "required",
		chat.ToolNamed: map[string]any{"type": "function", "function": map[string]any{"name": "getTime"}},
	} {
		req := request("getTime")
		req.ToolChoice = chat.ToolChoice{Mode: mode, Name: "getTime"}
		body, _ := sent(t, base, "gpt-4o", req)
		assert.Equal(t, want, body["tool_choice"], mode)
		if mode == chat.ToolNone {
			assert.NotContains(t, body, "parallel_tool_calls")
		} else {
			assert.Equal(t, true, body["parallel_tool_calls"])
		}
		require.Len(t, body["tools"], 1)
		tool := body["tools"].([]any)[0].(map[string]any)
		assert.Equal(t, "function", tool["type"])
		assert.Equal(t, "getTime", tool["function"].(map[string]any)["name"])
		assert.Contains(t, tool["function"].(map[string]any)["parameters"], "properties")
	}
	req := request()
	req.ToolChoice.Mode = chat.ToolRequired
	body, _ := sent(t, base, "gpt-4o", req)
	assert.NotContains(t, body, "tool_choice", "without tools there is no choice")
}

func TestNamesThatTheWireDoesNotTake(t *testing.T) {
	long := strings.Repeat("n", 100)
	s := &server{}
	req := request("files.read", "files_read", long)
	req.Tools[0].InputSchema = nil
	req.Messages = append(req.Messages,
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: "1", Name: "files.read", Arguments: json.RawMessage("{}")}}},
		chat.ToolResults(chat.ToolResult{CallID: "1", Name: "files.read"}))
	s.answers = []answer{{body: fine}}
	m := ask(t, s, openai.Options{}, "m")
	run(t, m, req)
	var names []string
	for _, tool := range s.asked[0]["tools"].([]any) {
		name := tool.(map[string]any)["function"].(map[string]any)["name"].(string)
		assert.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, name)
		assert.NotContains(t, names, name)
		names = append(names, name)
	}
	past := s.asked[0]["messages"].([]any)[1].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)
	assert.Equal(t, names[0], past["function"].(map[string]any)["name"])
	s.answers = []answer{{body: sse(call(`{"index":0,"id":"a","function":{"name":"`+names[0]+`","arguments":"{}"}}`, `{"index":1,"id":"b","function":{"name":"`+names[2]+`","arguments":"{}"}}`), f("tool_calls"), done)}}
	got := run(t, m, req)
	assert.Equal(t, []string{"a files.read {}", "b " + long + " {}"}, got.calls)
}

func TestFormats(t *testing.T) {
	schema := &chat.OutputFormat{Name: "city", Schema: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`), Strict: true}
	for _, c := range []struct {
		base   string
		format *chat.OutputFormat
		want   string
		told   []string
	}{
		{openai.DefaultBaseURL, schema, `{"type":"json_schema","json_schema":{"name":"city","schema":{"type":"object","properties":{"b":{},"a":{}}},"strict":true}}`, nil},
		{openai.DefaultBaseURL, &chat.OutputFormat{}, `{"type":"json_object"}`, nil},
		{"http://localhost:1234/v1", &chat.OutputFormat{}, `{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},"strict":false}}`, nil},
		{"https://api.deepseek.com", schema, `{"type":"json_object"}`, []string{"format:any JSON object"}},
	} {
		req := request()
		req.Format = c.format
		body, r := sent(t, openai.Options{BaseURL: c.base}, "m", req)
		got, _ := json.Marshal(body["response_format"])
		assert.JSONEq(t, c.want, string(got))
		assert.Equal(t, c.told, r.told)
	}
}

func TestMessages(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n0000")
	history := []chat.Message{
		chat.SystemText("be brief"), chat.SystemText(""),
		{Role: chat.RoleSummary, Parts: []chat.Part{chat.Text{Text: "before"}}},
		{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "<look> & see"}, chat.Image{Data: png, Detail: "low"}, chat.Image{URL: "https://" + "pictures.test/a.png"}}},
		{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Reasoning{Text: "old"}, chat.Text{Text: "a"}, chat.Text{Text: "b"}}},
		chat.UserText(""),
		{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Refusal{Text: "no"}}},
		chat.UserText("now"),
		{Role: chat.RoleAssistant, Provider: map[string]json.RawMessage{"reasoning_details": json.RawMessage(`[{"type":"x"}]`)}, Parts: []chat.Part{chat.Reasoning{Text: "new"},
			chat.ToolCall{ID: "1", Name: "getTime"}, chat.ToolCall{ID: "2", Name: "look", Arguments: json.RawMessage(`{"z": "<a>"}`)}}},
		chat.ToolResults(
			chat.ToolResult{CallID: "1", Name: "getTime"},
			chat.ToolResult{CallID: "2", Name: "look", Content: []toolspec.Content{toolspec.Text("seen"), {Type: toolspec.ContentImage, Data: png, MIMEType: "image/png"}, {Type: toolspec.ContentAudio}, {Type: toolspec.ContentLink, Name: "n", URI: "u"}, {Type: toolspec.ContentResource, URI: "r", Data: []byte{1}}}}),
		{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Reasoning{Text: "nothing else"}}},
	}
	s := &server{answers: []answer{{body: fine}}}
	run(t, ask(t, s, openai.Options{BaseURL: openai.DefaultBaseURL}, "gpt-4o"), &chat.ModelRequest{Messages: history})
	assert.Contains(t, s.bodies[0], "<look> & see", "not escaped for HTML")
	got, err := json.Marshal(s.asked[0]["messages"])
	require.NoError(t, err)
	const picture = `data:image/png;base64,iVBORw0KGgowMDAw`
	assert.JSONEq(t, `[
		{"role":"system","content":"be brief"},
		{"role":"system","content":"before"},
		{"role":"user","content":[{"type":"text","text":"<look> & see"},{"type":"image_url","image_url":{"url":"`+picture+`","detail":"low"}},{"type":"image_url","image_url":{"url":"https://`+`pictures.test/a.png"}}]},
		{"role":"assistant","content":"ab"},
		{"role":"user","content":"(no text)"},
		{"role":"assistant","content":null,"refusal":"no"},
		{"role":"user","content":"now"},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"getTime","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"look","arguments":"{\"z\": \"<a>\"}"}}]},
		{"role":"tool","tool_call_id":"1","content":"(no output)"},
		{"role":"tool","tool_call_id":"2","content":"seen\n[the picture follows]\n[audio omitted: this model cannot read it]\nn u\n[binary file r omitted: this model cannot read it]"},
		{"role":"user","content":[{"type":"text","text":"Pictures that the tool look gave:"},{"type":"image_url","image_url":{"url":"`+picture+`"}}]}
	]`, string(got))
	reasoning := func(base string, policy chat.ReturnReasoning) []string {
		q := openai.QuirksFor(base, "m")
		q.ReturnReasoning = policy
		body, r := sent(t, openai.Options{BaseURL: base, Quirks: &q}, "m", &chat.ModelRequest{Messages: history})
		assert.Equal(t, []string{"content_omitted"}, r.warned, "this model sees nothing")
		var found []string
		for _, m := range body["messages"].([]any) {
			for _, field := range []string{"reasoning_content", "reasoning"} {
				if text, ok := m.(map[string]any)[field].(string); ok {
					found = append(found, field+" "+text)
				}
			}
			if m.(map[string]any)["reasoning_details"] != nil {
				found = append(found, "details")
			}
		}
		return found
	}
	assert.Nil(t, reasoning("http://localhost:9/v1", chat.ReasoningNever))
	assert.Equal(t, []string{"reasoning_content new", "details"}, reasoning("https://api.deepseek.com", chat.ReasoningSameTurn))
	assert.Equal(t, []string{"reasoning_content old", "reasoning_content new", "details"}, reasoning("http://localhost:9/v1", chat.ReasoningAlways))
	assert.Equal(t, []string{"reasoning new", "details"}, reasoning("https://openrouter.ai/api/v1", chat.ReasoningSameTurn))
}

func TestResultsOfStructureAndNoMessage(t *testing.T) {
	body, _ := sent(t, openai.Options{}, "m", &chat.ModelRequest{Messages: []chat.Message{chat.UserText("a"),
		{Role: chat.RoleAssistant, Parts: []chat.Part{chat.ToolCall{ID: "1", Name: "x", Arguments: json.RawMessage("{"), Problem: "p"}, chat.Refusal{Text: "no"}}},
		chat.ToolResults(chat.ToolResult{CallID: "1", Name: "x", Structured: json.RawMessage(`{"a":1}`)})}})
	got, _ := json.Marshal(body["messages"])
	assert.JSONEq(t, `[{"role":"user","content":"a"},{"role":"assistant","content":"no","tool_calls":[{"id":"1","type":"function","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"{\"a\":1}"}]`, string(got))
	s := &server{answers: []answer{{body: fine}}}
	r := run(t, ask(t, s, openai.Options{}, "m"), &chat.ModelRequest{})
	assert.Equal(t, chat.CodeInvalidArgument, r.code)
	req := request("t")
	req.Tools[0].InputSchema = json.RawMessage("{")
	assert.Equal(t, chat.CodeInvalidArgument, run(t, ask(t, s, openai.Options{}, "m"), req).code)
}

func TestOverlayAndOtherModel(t *testing.T) {
	req := request("getTime")
	req.Options = chat.Options{Model: "gpt-5", Temperature: ptr(0.5), Overlay: json.RawMessage(`{"serviceTier":"flex","messages":[],"seed":"x","model":"gpt-5-mini","mirostat":2}`)}
	body, r := sent(t, openai.Options{BaseURL: openai.DefaultBaseURL}, "gpt-4o", req)
	assert.Equal(t, "flex", body["service_tier"])
	assert.Equal(t, "gpt-5-mini", body["model"])
	assert.Equal(t, 2.0, body["mirostat"])
	assert.Len(t, body["messages"], 1)
	assert.ElementsMatch(t, []string{"temperature:", "messages:", "seed:"}, r.told)
}

func TestRefusedSettingsAreLeftOut(t *testing.T) {
	refuse := func(body string) answer {
		return answer{status: http.StatusBadRequest, header: map[string]string{"Content-Type": "application/json"}, body: body}
	}
	for name, c := range map[string]struct {
		options  chat.Options
		refusals []string
		gone     []string
		told     []string
		again    []string // what is told the next time
	}{
		"usage":       {chat.Options{}, []string{`{"error":{"message":"Unknown parameter: 'stream_options.include_usage'.","param":"stream_options.include_usage"}}`}, []string{"stream_options"}, []string{"stream_options:"}, nil},
		"usage words": {chat.Options{}, []string{`{"detail":"include_usage: extra fields not permitted"}`}, []string{"stream_options"}, []string{"stream_options:"}, nil},
		"both": {chat.Options{}, []string{`{"message":"unsupported stream_options"}`, `{"message":"Extra inputs are not permitted: ('body', 'parallel_tool_calls')"}`},
			[]string{"stream_options", "parallel_tool_calls"}, []string{"stream_options:", "parallel_tool_calls:"}, nil},
		"temperature": {chat.Options{Temperature: ptr(0.3)}, []string{`{"error":{"message":"'temperature' is not supported with this model","param":"temperature"}}`}, []string{"temperature"}, []string{"temperature:"}, []string{"temperature:"}},
		"a value":     {chat.Options{Seed: ptr(-5)}, []string{`{"error":{"message":"seed must be positive","param":"seed"}}`}, []string{"seed"}, []string{"seed:"}, []string{}},
		"max tokens":  {chat.Options{MaxTokens: ptr(5)}, []string{`{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`}, []string{"max_tokens"}, nil, nil},
		"both max": {chat.Options{MaxTokens: ptr(5)}, []string{`{"error":{"message":"Unsupported: 'max_tokens'"}}`, `{"error":{"message":"Unsupported: 'max_completion_tokens'"}}`},
			[]string{"max_tokens", "max_completion_tokens"}, []string{"maxTokens:"}, []string{"maxTokens:"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{}
			for _, body := range c.refusals {
				s.answers = append(s.answers, refuse(body))
			}
			s.answers = append(s.answers, answer{body: fine})
			m := ask(t, s, openai.Options{BaseURL: "http://localhost:8000/v1"}, "m")
			req := request("getTime")
			req.Options = c.options
			r := run(t, m, req)
			require.NoError(t, r.err)
			require.Len(t, s.asked, len(c.refusals)+1)
			last := s.asked[len(s.asked)-1]
			for _, field := range c.gone {
				assert.NotContains(t, last, field)
			}
			if name == "max tokens" {
				assert.Equal(t, 5.0, last["max_completion_tokens"])
			}
			assert.Equal(t, c.told, r.told)
			asked := len(s.asked)
			r = run(t, m, req)
			require.NoError(t, r.err)
			assert.Len(t, s.asked, asked+1, "it is not asked for again")
			if c.again != nil && len(c.again) == 0 {
				c.again = nil
			}
			assert.Equal(t, c.again, r.told)
			assert.Zero(t, s.open)
		})
	}
	none := &server{answers: []answer{refuse(`{"error":{"message":"tool_choice is not supported"}}`), {body: fine}}}
	req := request("getTime")
	req.ToolChoice.Mode = chat.ToolNone
	require.NoError(t, run(t, ask(t, none, openai.Options{}, "m"), req).err)
	assert.NotContains(t, none.asked[1], "tools", "or the model could call them")

	for _, body := range []string{`{"error":{"message":"the messages are bad, stop it","param":"messages[0]"}}`, `{"error":{"message":"no seed, no stop and no temperature"}}`, `{"error":{"message":"temperature","param":"tools[0].name"}}`} {
		s := &server{answers: []answer{refuse(body)}}
		req := request("getTime")
		req.Options = chat.Options{Temperature: ptr(0.3), Stop: []string{"x"}, Seed: ptr(1)}
		assert.Equal(t, chat.CodeProviderRejected, run(t, ask(t, s, openai.Options{}, "m"), req).code)
		assert.Len(t, s.asked, 1, body)
	}
}
