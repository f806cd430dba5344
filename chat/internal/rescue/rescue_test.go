package rescue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/internal/rescue"
	"github.com/localpass/localpass/toolspec"
)

var offered = []toolspec.Definition{
	{Name: "getTime", InputSchema: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"],"additionalProperties":false}`)},
	{Name: "list", InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)},
}

func TestHolder(t *testing.T) {
	const (
		good  = `{"name": "getTime", "arguments": {"zone": "Asia/Seoul"}}`
		zone  = `{"zone": "Asia/Seoul"}`
		other = `{"name": "rm", "arguments": {}}`
	)
	for name, c := range map[string]struct {
		in, rest string
		calls    []string
	}{
		"plain text":               {"It is nine.", "It is nine.", nil},
		"a tag":                    {"<tool_call>" + good + "</tool_call>", "", []string{"getTime", zone}},
		"text around":              {"Let me see. <tool_call>\n" + good + "\n</tool_call> Done.", "Let me see.  Done.", []string{"getTime", zone}},
		"two tags":                 {"<tool_call>" + good + "</tool_call>\n<tool_call>" + `{"name":"list","arguments":{}}` + "</tool_call>", "", []string{"getTime", zone, "list", "{}"}},
		"a tag without an end":     {"<tool_call>" + good, "", []string{"getTime", zone}},
		"a tool nobody offered":    {"<tool_call>" + other + "</tool_call>", "<tool_call>" + other + "</tool_call>", nil},
		"one of two not offered":   {"<tool_call>" + good + other + "</tool_call>", "<tool_call>" + good + other + "</tool_call>", nil},
		"arguments that are wrong": {`<tool_call>{"name":"getTime","arguments":{"zone":5}}</tool_call>`, `<tool_call>{"name":"getTime","arguments":{"zone":5}}</tool_call>`, nil},
		"no arguments":             {`<tool_call>{"name":"list"}</tool_call>`, `<tool_call>{"name":"list"}</tool_call>`, nil},
		"broken JSON":              {`<tool_call>{"name":"list"</tool_call> no`, `<tool_call>{"name":"list"</tool_call> no`, nil},
		"a stray bracket":          {"<tool_call>" + good + "]</tool_call>", "<tool_call>" + good + "]</tool_call>", nil},
		"a fence":                  {"```json\n" + good + "\n```", "", []string{"getTime", zone}},
		"a bare fence":             {"```\n" + good + "\n```\nthat", "that", []string{"getTime", zone}},
		"a fence without an end":   {"```json\n" + good, "", []string{"getTime", zone}},
		"a fence of data":          {"```json\n{\"a\": 1}\n``` so", "```json\n{\"a\": 1}\n``` so", nil},
		"a fence of code":          {"```python\nprint({})\n```\nand <tool_call>" + good + "</tool_call>", "```python\nprint({})\n```\nand ", []string{"getTime", zone}},
		"a call inside of code":    {"```go\n<tool_call>" + good + "</tool_call>\n```", "```go\n<tool_call>" + good + "</tool_call>\n```", nil},
		"a list":                   {`[TOOL_CALLS] [{"name":"list","arguments":{}},` + good + `]`, "", []string{"list", "{}", "getTime", zone}},
		"a list of nothing":        {`[TOOL_CALLS] []`, `[TOOL_CALLS] []`, nil},
		"bare":                     {good, "", []string{"getTime", zone}},
		"bare with parameters":     {`{"name":"getTime","parameters":{"zone":"Asia/Seoul"}}`, "", []string{"getTime", `{"zone":"Asia/Seoul"}`}},
		"bare behind a word":       {"Here: " + good, "Here: " + good, nil},
		"an answer in JSON":        {` {"name": "Ada"}`, ` {"name": "Ada"}`, nil},
		"a function":               {`{"type":"function","function":{"name":"list","arguments":"{}"}}`, "", []string{"list", "{}"}},
		"a smaller than sign":      {"a < b <", "a < b <", nil},
		"half a fence at the end":  {"see ``", "see ``", nil},
		"code in braces":           {"```\n{ x := 1 }\n```\nand <tool_call>" + good + "</tool_call>", "```\n{ x := 1 }\n```\nand ", []string{"getTime", zone}},
		"a brace and a call":       {"{name}: <tool_call>" + good + "</tool_call>\r\n\nso", "{name}: so", []string{"getTime", zone}},
		"a fence in a tag":         {"<tool_call>\n```json\n" + good + "\n```</tool_call>", "<tool_call>\n</tool_call>", []string{"getTime", zone}},
		"an unfinished language":   {"```js", "```js", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, len(c.in) + 1} {
				h := rescue.New(offered)
				var out strings.Builder
				for rest := c.in; rest != ""; {
					n := min(size, len(rest))
					out.WriteString(h.Push(rest[:n]))
					rest = rest[n:]
				}
				text, calls := h.Flush()
				out.WriteString(text)
				var got []string
				for _, call := range calls {
					got = append(got, call.Name, string(call.Arguments))
				}
				assert.Equal(t, c.rest, out.String(), "in pieces of %d", size)
				assert.Equal(t, c.calls, got, "in pieces of %d", size)
			}
		})
	}
}

func TestHolderGivesUpOnWhatIsTooLong(t *testing.T) {
	for _, open := range []string{"<tool_call>{", "{", "```json\n{", "[TOOL_CALLS]["} {
		h := rescue.New(offered)
		long := open + strings.Repeat(" ", 70<<10) + "end"
		out := h.Push(long)
		assert.NotEmpty(t, out)
		rest, calls := h.Flush()
		assert.Equal(t, long, out+rest)
		assert.Empty(t, calls)
	}
}

func TestText(t *testing.T) {
	for _, text := range []string{"Good day. ", "```go\nf()", "```\n{ x := 1", "```json\n[1,", "{name} is", "<tool_call>getTime", "[TOOL_CALLS]add{", "```\n[[{"} {
		h := rescue.New(offered)
		assert.Equal(t, text, h.Push(text), "text that cannot be a call is not late")
	}
	for _, text := range []string{"```", "```tool_code\n", "```json\n[", "```json\n[ {\n", "{", "{\n\"", "<tool_call>\n<", "[TOOL_CALLS] "} {
		h := rescue.New(offered)
		assert.Empty(t, h.Push(text), text)
		rest, calls := h.Flush()
		assert.Equal(t, text, rest)
		assert.Empty(t, calls)
	}
}

// Together with real calls, a printed call is text.
func TestBlock(t *testing.T) {
	const one = `{"name":"list","arguments":{}}`
	h := rescue.New([]toolspec.Definition{{Name: "list"}})
	assert.Equal(t, "So: ", h.Push("So: <tool_call>"+one+one+"</tool_call>\n```tool_code\n"+one))
	rest, calls := h.Flush()
	assert.Empty(t, rest)
	require.Len(t, calls, 3, "a tool without a schema takes any object")
	assert.Equal(t, "<tool_call>"+one+one+"</tool_call>", calls[0].Block)
	assert.Empty(t, calls[1].Block)
	assert.Equal(t, "```tool_code\n"+one, calls[2].Block)
	assert.Equal(t, "on", h.Push("\non"), "after a part it goes on")
	rest, calls = h.Flush()
	assert.Empty(t, rest)
	assert.Empty(t, calls)
}

// The result does not depend on how the text is split, and text without a call is not
// lost.
func FuzzHolder(f *testing.F) {
	f.Add("x <tool_call>{\"name\":\"list\",\"arguments\":{}}</tool_call> y", uint8(3))
	f.Add("```json\n{\"name\":\"list\",\"arguments\":{}}\n```", uint8(1))
	f.Add("[TOOL_CALLS] [{\"name\":\"list\",\"arguments\":{}}]", uint8(5))
	f.Fuzz(func(t *testing.T, in string, size uint8) {
		if len(in) > 8<<10 {
			t.Skip()
		}
		whole := rescue.New(offered)
		text := whole.Push(in)
		rest, calls := whole.Flush()
		text += rest
		if len(calls) == 0 {
			require.Equal(t, in, text)
		}
		h := rescue.New(offered)
		got := ""
		for left := in; left != ""; {
			n := min(int(size)+1, len(left))
			got += h.Push(left[:n])
			left = left[n:]
		}
		rest, again := h.Flush()
		require.Equal(t, text, got+rest)
		require.Equal(t, calls, again)
	})
}

// A text of 16 MB that is full of possible beginnings takes linear time.
func TestHolderTakesLongTexts(t *testing.T) {
	for name, text := range map[string]string{
		"fences":       strings.Repeat("```", 1<<20),
		"code":         strings.Repeat("```js\nx```", 300_000),
		"tags":         strings.Repeat("<tool_call>", 300_000),
		"tags of code": strings.Repeat(`<tool_call>{"`, 100_000),
		"lists":        strings.Repeat("[TOOL_CALLS]", 300_000),
		"braces":       strings.Repeat("{", 1<<22),
		"late braces":  strings.Repeat(" ", 500_000) + "x" + strings.Repeat("{", 500_000),
		"brackets":     strings.Repeat("<[`", 1<<20),
	} {
		start := time.Now()
		h := rescue.New(offered)
		said := h.Push(text)
		rest, calls := h.Flush()
		assert.Empty(t, calls, name)
		assert.Equal(t, len(text), len(said)+len(rest), name)
		assert.Less(t, time.Since(start), 2*time.Minute, name)
	}

	// A large schema is read once, not for each call.
	var all []string
	for i := range 5_000 {
		all = append(all, fmt.Sprintf(`"d%d":{"type":"string"}`, i))
	}
	h := rescue.New([]toolspec.Definition{{Name: "f", InputSchema: json.RawMessage(`{"type":"object","$defs":{` + strings.Join(all, ",") + `}}`)}})
	start := time.Now()
	h.Push(`<tool_call>` + strings.Repeat(`{"name":"f","arguments":{}}`, 1_000) + `</tool_call>`)
	_, calls := h.Flush()
	assert.Len(t, calls, 1_000)
	assert.Less(t, time.Since(start), 2*time.Minute)
}
