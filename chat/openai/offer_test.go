package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
)

// offeredNames returns the names of the tools in a body of either API.
func offeredNames(body map[string]any) (names []string) {
	list, _ := body["tools"].([]any)
	for _, tool := range list {
		tool := tool.(map[string]any)
		if inner, ok := tool["function"].(map[string]any); ok {
			tool = inner
		}
		names = append(names, tool["name"].(string))
	}
	return names
}

// For a server that ignores tool_choice, only the chosen tools are sent.
func TestChoicesWithoutToolChoice(t *testing.T) {
	ollama := openai.Options{BaseURL: "http://localhost:11434/v1"}
	for mode, want := range map[llm.ToolMode]struct{ tools, told []string }{
		llm.ToolAuto:     {[]string{"getTime", "getWeather"}, nil},
		llm.ToolNone:     {nil, []string{"toolChoice:no tool is offered"}},
		llm.ToolRequired: {[]string{"getTime", "getWeather"}, []string{"toolChoice:auto"}},
		llm.ToolNamed:    {[]string{"getWeather"}, []string{"toolChoice:only getWeather is offered"}},
	} {
		for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
			s := &server{answers: []answer{{body: fine}}}
			if api == openai.APIResponses {
				s.answers[0].body = sse(`{"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"ok"}]}]}}`)
			}
			opts := ollama
			opts.API = api
			req := request("getTime", "getWeather")
			req.ToolChoice = llm.ToolChoice{Mode: mode, Name: "getWeather"}
			r := run(t, ask(t, s, opts, "m"), req)
			require.NoError(t, r.err)
			require.Len(t, s.asked, 1)
			assert.Equal(t, want.tools, offeredNames(s.asked[0]), "%s %s", api, mode)
			assert.Equal(t, want.told, r.told, "%s %s", api, mode)
			assert.NotContains(t, s.asked[0], "tool_choice")
			assert.Len(t, req.Tools, 2, "the request is the caller's")
		}
	}
	for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
		s := &server{answers: []answer{{body: fine}}}
		opts := ollama
		opts.API = api
		req := request("getTime")
		req.ToolChoice = llm.ToolChoice{Mode: llm.ToolNamed, Name: "other"}
		r := run(t, ask(t, s, opts, "m"), req)
		assert.Equal(t, llm.CodeInvalidArgument, r.code)
		assert.ErrorContains(t, r.err, `"other"`)
		assert.Empty(t, s.asked)
	}
	body, r := sent(t, ollama, "m", &llm.ModelRequest{Messages: request().Messages, ToolChoice: llm.ToolChoice{Mode: llm.ToolNone}})
	assert.NotContains(t, body, "tools")
	assert.Empty(t, r.told, "without tools there is no choice")
}

// A tool that is not offered is not rescued from the text.
func TestChoiceBoundsTheRescue(t *testing.T) {
	q := openai.QuirksFor("http://localhost:11434/v1", "m")
	q.RescueCalls = true
	printed := `<tool_call>{"name":"getTime","arguments":{}}</tool_call>`
	for _, choice := range []llm.ToolChoice{{Mode: llm.ToolNone}, {Mode: llm.ToolNamed, Name: "getWeather"}} {
		s := &server{answers: []answer{{body: sse(said(printed), f("stop"), done)}}}
		req := request("getTime", "getWeather")
		req.ToolChoice = choice
		r := run(t, ask(t, s, openai.Options{Quirks: &q}, "m"), req)
		require.NoError(t, r.err)
		assert.Equal(t, printed, r.text)
		assert.Empty(t, r.calls)
	}
}

// Schemas are sent unchanged to most servers, and to Ollama in a form that it can read.
func TestToolSchemasThatServersRefuse(t *testing.T) {
	const schema = `{"type":["object","null"],"properties":{"b":true,"a":{"anyOf":[true,{"type":"null"}]},"c":false},"required":["b"]}`
	for base, want := range map[string]string{
		"http://localhost:8000/v1":  schema,
		"http://localhost:11434/v1": `{"type":"object","properties":{"b":{},"a":{"anyOf":[{},{"type":"null"}]}},"required":["b"]}`,
	} {
		for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
			s := &server{answers: []answer{{body: fine}}}
			req := request("put", "get")
			req.Tools[0].InputSchema = json.RawMessage(schema)
			req.Tools[1].InputSchema = nil
			run(t, ask(t, s, openai.Options{BaseURL: base, API: api}, "m"), req)
			require.Len(t, s.bodies, 1)
			assert.Equal(t, 1, strings.Count(s.bodies[0], want), "%s %s: %s", base, api, s.bodies[0])
			assert.Contains(t, s.bodies[0], `"parameters":{"type":"object","properties":{}}`)
			assert.JSONEq(t, schema, string(req.Tools[0].InputSchema), "the request is the caller's")
		}
	}
}
