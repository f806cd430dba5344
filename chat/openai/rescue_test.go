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

func TestCallsAreRescuedFromText(t *testing.T) {
	const one = `call_t_2_0 getTime {"z":"Asia"}`
	object := `{"name":"getTime","arguments":{"z":"Asia"}}`
	for name, c := range map[string]struct {
		text, want string
		calls      []string
	}{
		"tag":                {"Let me see.\n<tool_call>\n" + object + "\n</tool_call>\n", "Let me see.\n", []string{one}},
		"tag not closed":     {"<tool_call>" + object, "", []string{one}},
		"two tags":           {"<tool_call>" + object + "</tool_call>\n<tool_call>{\"name\":\"getWeather\",\"parameters\":\"{}\"}</tool_call>", "", []string{one, "call_t_2_1 getWeather {}"}},
		"list":               {"[TOOL_CALLS] [" + object + `,{"name":"getWeather","arguments":{}}]`, "", []string{one, "call_t_2_1 getWeather {}"}},
		"fence":              {"So:\n```json\n" + object + "\n```\nThat is it.", "So:\nThat is it.", []string{one}},
		"fence without name": {"```\n" + object + "\n```", "", []string{one}},
		"other fence":        {"```go\nfunc f() {}\n```", "```go\nfunc f() {}\n```", nil},
		"fence of JSON":      {"```json\n{\"a\": 1}\n```\nend", "```json\n{\"a\": 1}\n```\nend", nil},
		"fence of a block":   {"```\n{ x := 1 }\n```", "```\n{ x := 1 }\n```", nil},
		"fence not closed":   {"```json\n" + object, "", []string{one}},
		"bare":               {object + "\n", "", []string{one}},
		"within code":        {"```go\n<tool_call>" + object + "</tool_call>\n```", "```go\n<tool_call>" + object + "</tool_call>\n```", nil},
		"not offered":        {`<tool_call>{"name":"other","arguments":{}}</tool_call>`, `<tool_call>{"name":"other","arguments":{}}</tool_call>`, nil},
		"does not fit":       {`<tool_call>{"name":"getTime","arguments":{"z":5}}</tool_call> x`, `<tool_call>{"name":"getTime","arguments":{"z":5}}</tool_call> x`, nil},
		"no arguments":       {`<tool_call>{"name":"getTime"}</tool_call>`, `<tool_call>{"name":"getTime"}</tool_call>`, nil},
		"no JSON":            {`<tool_call>getTime</tool_call>`, `<tool_call>getTime</tool_call>`, nil},
		"a list of none":     {`[TOOL_CALLS] []`, `[TOOL_CALLS] []`, nil},
		"half a mark":        {"a <tool_ and [TOOL and `` and <", "a <tool_ and [TOOL and `` and <", nil},
		"too long":           {"<tool_call>" + strings.Repeat("x", 70_000), "<tool_call>" + strings.Repeat("x", 70_000), nil},
	} {
		t.Run(name, func(t *testing.T) {
			q := openai.QuirksFor("http://localhost:9/v1", "small")
			q.RescueCalls = true
			for _, size := range []int{1, 3, 7, len(c.text)} {
				if size < len(c.text) && len(c.text) > 10_000 {
					continue
				}
				var pieces []string
				for i := 0; i < len(c.text); i += size {
					pieces = append(pieces, said(c.text[i:min(i+size, len(c.text))]))
				}
				s := &server{answers: []answer{{body: sse(append(pieces, f("stop"), done)...)}}}
				got := run(t, ask(t, s, openai.Options{Quirks: &q}, "small"), request("getTime", "getWeather"))
				require.NoError(t, got.err)
				assert.Equal(t, c.want, got.text, "by %d", size)
				assert.Equal(t, c.calls, got.calls)
				assert.Len(t, got.warned, len(c.calls))
				if c.calls != nil {
					assert.Equal(t, llm.FinishToolCalls, got.finish)
				}
			}
		})
	}
	// Off: it is text.
	in := sse(said("<tool_call>"+object+"</tool_call>"), f("stop"), done)
	s := &server{answers: []answer{{body: in}}}
	got := run(t, ask(t, s, openai.Options{}, "m"), request("getTime"))
	assert.Equal(t, "<tool_call>"+object+"</tool_call>", got.text)
	// Together with a real call it is text too.
	q := openai.Quirks{RescueCalls: true}
	s = &server{answers: []answer{{body: sse(said("<tool_call>"+object+"</tool_call>"), call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{}"}}`), f("tool_calls"), done)}}}
	got = run(t, ask(t, s, openai.Options{Quirks: &q}, "m"), request("getTime"))
	assert.Equal(t, []string{"call_a getTime {}"}, got.calls)
	assert.Equal(t, "<tool_call>"+object+"</tool_call>", got.text)
}

func TestProgressOfJSON(t *testing.T) {
	const wrong, part, complete = 0, 1, 2
	for text, want := range map[string]int{
		"": part, " ": part, "{": part, `{"a`: part, `{"a"`: part, `{"a":`: part, `{"a":1`: part, `{"a":1,`: part, `{"a":[`: part, `{"a":[1,{`: part, `"\`: part,
		"{}": complete, ` {"a": [1, "x\"}", true, null]} `: complete, `[]`: complete, `"x"`: complete, "12": complete, `{"a":{}}`: complete,
		"}": wrong, "{{": wrong, "{,": wrong, `{"a",`: wrong, `{"a":1}}`: wrong, `{}{}`: wrong, "[}": wrong, `{"a":1]`: wrong, `{"a" 1`: wrong, "x": wrong, `{1`: wrong, `[1,]`: wrong, `{"a":1,}`: wrong, `[1 2`: wrong,
	} {
		assert.Equal(t, want, openai.ProgressOf(text), "%q", text)
	}
}

func FuzzProgress(f *testing.F) {
	f.Add(`{"a":[1,"\"",{}],"b":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		p := openai.ProgressOf(text)
		if json.Valid([]byte(text)) {
			if p != 2 {
				t.Fatalf("%q is JSON", text)
			}
			for i := range text {
				if openai.ProgressOf(text[:i]) == 0 {
					t.Fatalf("%q may become %q", text[:i], text)
				}
			}
		}
	})
}
