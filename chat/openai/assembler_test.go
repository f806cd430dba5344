package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/testrun"
)

// call returns a chunk with fragments of calls.
func call(fragments ...string) string {
	return d(`{"tool_calls":[` + strings.Join(fragments, ",") + `]}`)
}

// streams returns the forms in which servers send an answer, with the expected results.
func streams() map[string]struct {
	in   string
	want result
} {
	type row = struct {
		in   string
		want result
	}
	const tool = llm.FinishToolCalls
	one := result{calls: []string{`call_a getTime {"z":"Asia"}`}, finish: tool}
	two := result{calls: []string{`call_a getTime {"z":"Asia"}`, `call_b getWeather {}`}, finish: tool}
	made := result{calls: []string{`call_t_2_0 getTime {"z":"Asia"}`}, finish: tool}
	made2 := result{calls: []string{`call_t_2_0 getTime {"z":"Asia"}`, `call_t_2_1 getWeather {}`}, finish: tool}
	twice := result{calls: []string{`call_t_2_0 getTime {"z":"Asia"}`, `call_t_2_1 getTime {"z":"Rome"}`}, finish: tool}
	const (
		start = `{"index":0,"id":"call_a","type":"function","function":{"name":"getTime","arguments":""}}`
		half1 = `{"index":0,"function":{"arguments":"{\"z\":\"As"}}`
		half2 = `{"index":0,"function":{"arguments":"ia\"}"}}`
		next  = `{"index":1,"id":"call_b","type":"function","function":{"name":"getWeather","arguments":"{}"}}`
		whole = `{\"z\":\"Asia\"}`
	)
	return map[string]row{
		"text":          {sse(d(`{"role":"assistant","content":""}`), said("Hel"), said("lo é😀"), f("stop"), done), result{text: "Hello é😀", finish: llm.FinishStop}},
		"appendix":      {sse(d(`{"role":"assistant","content":null}`), call(start), call(half1), call(half2), call(next), f("tool_calls"), done), two},
		"one object":    {`{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi\n","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`, result{text: "Hi\n", finish: llm.FinishStop, usage: &llm.Usage{Input: 3, Output: 1, Total: 4}}},
		"crlf":          {strings.ReplaceAll(sse(said("a"), f("stop"), done), "\n", "\r\n"), result{text: "a", finish: llm.FinishStop}},
		"no blanks":     {"data:" + said("a") + "\ndata:" + f("stop") + "\ndata:[DONE]\n", result{text: "a", finish: llm.FinishStop}},
		"comments":      {": hello\n\n" + sse(said("a")) + strings.Repeat(": keepalive\nevent: x\nid: 3\nretry: 5\n\n", 400) + sse(f("stop"), done), result{text: "a", finish: llm.FinishStop}},
		"no last line":  {sse(said("a")) + "data: " + f("stop"), result{text: "a", finish: llm.FinishStop}},
		"done only":     {sse(said("a"), done), result{text: "a", finish: llm.FinishStop}},
		"finish only":   {sse(said("a"), f("stop")), result{text: "a", finish: llm.FinishStop}},
		"after done":    {sse(said("a"), f("stop"), done, said("no")), result{text: "a", finish: llm.FinishStop}},
		"length":        {sse(said("a"), f("length"), done), result{text: "a", finish: llm.FinishLength}},
		"filtered":      {sse(said("a"), f("content_filter"), done), result{text: "a", finish: llm.FinishContentFilter}},
		"other end":     {sse(said("a"), f("moon"), done), result{text: "a", finish: llm.FinishOther}},
		"refusal":       {sse(d(`{"refusal":"I will "}`), d(`{"refusal":"not."}`), f("stop"), done), result{refusal: "I will not.", finish: llm.FinishRefusal}},
		"nothings":      {sse(`{"choices":[]}`, `{"choices":null}`, `{}`, d("null"), d(`{"content":null}`), d(`{"tool_calls":null}`), said("a"), `{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":""}]}`, f("stop"), done), result{text: "ab", finish: llm.FinishStop}},
		"second choice": {sse(said("a"), f("stop"), done), result{text: "a", finish: llm.FinishStop}},
		"parts":         {sse(d(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"},"b"]}`), f("stop"), done), result{text: "ab", reasoning: "hm", finish: llm.FinishStop}},
		"blanks before": {sse(said("\n\n"), call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`), f("tool_calls"), done), one},
		"blank kept":    {sse(said("\n"), said(" a"), f("stop"), done), result{text: "\n a", finish: llm.FinishStop}},
		// Split characters.
		"half pairs": {sse(d(`{"content":"a\ud83d"}`), d(`{"content":"\ude00b\n\u00e9\"\\\/\b\f\r\t"}`), f("stop"), done), result{text: "a😀b\né\"\\/\b\f\r\t", finish: llm.FinishStop}},
		"lone half":  {sse(d(`{"content":"a\ud83dz\uzzzz"}`), f("stop"), done), result{text: "a\uFFFDz\uFFFDzzzz", finish: llm.FinishStop}},
		"half bytes": {sse(d("{\"content\":\"\xf0\x9f\"}"), d("{\"content\":\"\x98\x80!\"}"), f("stop"), done), result{text: "😀!", finish: llm.FinishStop}},
		// Names of the reasoning member.
		"reasoning_content": {sse(d(`{"reasoning_content":"hm "}`), d(`{"reasoning_content":"so"}`), said("a"), f("stop"), done), result{text: "a", reasoning: "hm so", finish: llm.FinishStop}},
		"reasoning":         {sse(d(`{"reasoning":"hm"}`), said("a"), f("stop"), done), result{text: "a", reasoning: "hm", finish: llm.FinishStop}},
		"both names":        {sse(d(`{"reasoning":"hm","reasoning_content":"hm","content":""}`), said("a"), f("stop"), done), result{text: "a", reasoning: "hm", finish: llm.FinishStop}},
		"details":           {sse(d(`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`), d(`{"reasoning_details":[{"type":"reasoning.summary","summary":"ok"}]}`), said("a"), f("stop"), done), result{text: "a", reasoning: "hmok", finish: llm.FinishStop}},
		"tags":              {sse(said("<thi"), said("nk>hm</th"), said("ink>\n\na <think>"), f("stop"), done), result{text: "a <think>", reasoning: "hm", finish: llm.FinishStop}},
		"tags not closed":   {sse(said("<think>hm"), call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`), f("tool_calls"), done), result{reasoning: "hm", calls: one.calls, finish: tool}},
		// Usage.
		"usage last":       {sse(said("a"), f("stop"), `{"choices":[],"usage":{"prompt_tokens":90,"completion_tokens":24,"total_tokens":114,"prompt_tokens_details":{"cached_tokens":7},"completion_tokens_details":{"reasoning_tokens":5}}}`, done), result{text: "a", finish: llm.FinishStop, usage: &llm.Usage{Input: 90, Output: 24, Total: 114, CacheRead: 7, Reasoning: 5}}},
		"usage each time":  {sse(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, done), result{text: "a", finish: llm.FinishStop, usage: &llm.Usage{Input: 1, Output: 2, Total: 3}}},
		"usage null":       {sse(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null}`, f("stop"), done), result{text: "a", finish: llm.FinishStop}},
		"usage of timings": {sse(said("a"), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":4,"cache_n":2,"predicted_n":3}}`, done), result{text: "a", finish: llm.FinishStop, usage: &llm.Usage{Input: 6, Output: 3, Total: 9, CacheRead: 2}}},
		// Calls.
		"index missing":         {sse(call(`{"id":"call_a","function":{"name":"getTime","arguments":""}}`), call(`{"function":{"arguments":"{\"z\":"}}`), call(`{"id":"call_a","function":{"arguments":"\"Asia\"}"}}`), call(`{"id":"call_b","function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), two},
		"index null":            {sse(call(`{"index":null,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`), f("tool_calls"), done), one},
		"neither index nor id":  {sse(call(`{"function":{"name":"getTime","arguments":"{\"z\":"}}`), call(`{"function":{"arguments":"\"Asia\"}"}}`), call(`{"function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), made2},
		"new name only":         {sse(call(`{"function":{"name":"getTime","arguments":"`+whole+`"}}`, `{"function":{"name":"getTime","arguments":"{\"z\":\"Rome\"}"}}`), f("tool_calls"), done), twice},
		"all of index 0":        {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`, `{"index":0,"id":"call_b","function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), two},
		"index 0 and no id":     {sse(call(`{"index":0,"function":{"name":"getTime","arguments":"`+whole+`"}}`), call(`{"index":0,"function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), made2},
		"index 0, same name":    {sse(call(`{"index":0,"function":{"name":"getTime","arguments":"`+whole+`"}}`), call(`{"index":0,"function":{"name":"getTime","arguments":"{\"z\":\"Rome\"}"}}`), f("tool_calls"), done), twice},
		"an id each time":       {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":""}}`), call(`{"index":0,"id":"call_x","function":{"arguments":"{\"z\":"}}`), call(`{"index":0,"id":"call_y","function":{"name":null,"arguments":"\"Asia\"}"}}`), f("tool_calls"), done), one},
		"id and name each time": {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{\"z\":"}}`), call(`{"index":0,"id":"call_x","function":{"name":"getTime","arguments":"\"Asia\"}"}}`), f("tool_calls"), done), one},
		"an id without index":   {sse(call(`{"function":{"name":"getTime","arguments":"{\"z\":"}}`), call(`{"id":"call_x","function":{"arguments":"\"Asia\"}"}}`), f("tool_calls"), done), made},
		"id missing":            {sse(call(`{"index":0,"function":{"name":"getTime","arguments":"`+whole+`"}}`), call(`{"index":1,"id":"","function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), made2},
		"late id":               {sse(call(`{"index":0,"function":{"name":"getT"}}`), call(`{"index":0,"id":"call_a","function":{"name":"ime","arguments":"`+whole+`"}}`), f("tool_calls"), done), one},
		"name each time":        {sse(call(start), call(`{"index":0,"function":{"name":"getTime","arguments":"{\"z\":"}}`), call(`{"index":0,"function":{"name":"getTime","arguments":"\"Asia\"}"}}`), f("tool_calls"), done), one},
		"name in pieces":        {sse(call(`{"index":0,"id":"call_a","function":{"name":"get"}}`), call(`{"index":0,"function":{"name":"Time"}}`), call(half1), call(half2), f("tool_calls"), done), one},
		"name grows":            {sse(call(`{"index":0,"id":"call_a","function":{"name":"get"}}`), call(`{"index":0,"function":{"name":"getTime"}}`), call(half1), call(half2), f("tool_calls"), done), one},
		"name late":             {sse(call(`{"index":0,"id":"call_a","function":{"arguments":"{\"z\":"}}`), call(`{"index":0,"function":{"name":"getTime","arguments":"\"Asia\"}"}}`), f("tool_calls"), done), one},
		"name of nothing":       {sse(call(`{"index":0,"id":"call_a","function":{"name":"no"}}`), call(`{"index":0,"function":{"name":"Such","arguments":"{}"}}`), f("tool_calls"), done), result{calls: []string{"call_a noSuch {}"}, finish: tool}},
		"name and longer one":   {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime"}}`), call(`{"index":0,"function":{"name":"Zone","arguments":"{}"}}`), f("tool_calls"), done), result{calls: []string{"call_a getTimeZone {}"}, finish: tool}},
		"object arguments":      {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":{"z":"Asia"}}}`), f("tool_calls"), done), one},
		"null arguments":        {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":null}}`), f("tool_calls"), done), result{calls: []string{"call_a getTime "}, finish: tool}},
		"whole each time":       {sse(call(start), call(`{"index":0,"function":{"arguments":"{"}}`), call(`{"index":0,"function":{"arguments":"{\"z\""}}`), call(`{"index":0,"function":{"arguments":"`+whole+`"}}`), call(`{"index":0,"function":{"arguments":"{\"z\""}}`), f("tool_calls"), done), one},
		"whole at the end":      {sse(call(start), call(half1), call(half2), call(`{"index":0,"function":{"arguments":"`+whole+`"}}`), f("tool_calls"), done), one},
		"whole twice":           {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`), call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`), f("tool_calls"), done), one},
		"whole or nested 1":     {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{\"a\":"}}`), call(`{"index":0,"function":{"arguments":"{\"a\":1}"}}`), f("tool_calls"), done), result{calls: []string{`call_a getTime {"a":1}`}, finish: tool}},
		"whole or nested 2":     {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{\"a\":"}}`), call(`{"index":0,"function":{"arguments":"{\"a\":1}"}}`), call(`{"index":0,"function":{"arguments":"}"}}`), f("tool_calls"), done), result{calls: []string{`call_a getTime {"a":{"a":1}}`}, finish: tool}},
		"whole or nested 3":     {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{\"a\":"}}`), call(`{"index":0,"function":{"arguments":"{\"a\":["}}`), call(`{"index":0,"function":{"arguments":"{\"a\":[1]"}}`), call(`{"index":0,"function":{"arguments":"{\"a\":[1]}"}}`), f("tool_calls"), done), result{calls: []string{`call_a getTime {"a":[1]}`}, finish: tool}},
		"whole or nested 4":     {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{\"a\":"}}`), call(`{"index":0,"function":{"arguments":"{\"a\":1}}"}}`), f("tool_calls"), done), result{calls: []string{`call_a getTime {"a":{"a":1}}`}, finish: tool}},
		"interleaved":           {sse(call(start, `{"index":1,"id":"call_b","function":{"name":"getWeather","arguments":""}}`), call(half1), call(`{"index":1,"function":{"arguments":"{"}}`), call(half2), call(`{"index":1,"function":{"arguments":"}"}}`), f("tool_calls"), done), two},
		"index from 1":          {sse(call(`{"index":1,"id":"call_a","function":{"name":"getTime","arguments":"`+whole+`"}}`), call(`{"index":2,"id":"call_b","function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), two},
		"same id":               {sse(call(`{"index":0,"id":"x","function":{"name":"getTime","arguments":"{}"}}`), call(`{"index":1,"id":"x","function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done), result{calls: []string{"x getTime {}", "call_t_2_1 getWeather {}"}, finish: tool}},
		"half a character":      {sse(call(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":"{\"z\":\"\ud83d"}}`), call(`{"index":0,"function":{"arguments":"\ude00\"}"}}`), f("tool_calls"), done), result{calls: []string{`call_a getTime {"z":"😀"}`}, finish: tool}},
		"finish stop":           {sse(call(start), call(half1), call(half2), f("stop"), done), one},
		"finish empty":          {sse(call(start), call(half1), call(half2), f(""), done), one},
		"finish missing":        {sse(call(start), call(half1), call(half2), done), one},
		"finish other":          {sse(call(start), call(half1), call(half2), f("moon"), done), one},
		"calls without calls":   {sse(said("a"), f("tool_calls"), done), result{text: "a", finish: llm.FinishStop}},
		"an empty call":         {sse(call(`{"index":0,"function":{}}`), said("a"), f("stop"), done), result{text: "a", finish: llm.FinishStop}},
		"old form":              {sse(d(`{"function_call":{"name":"getTime","arguments":""}}`), d(`{"function_call":{"arguments":"{\"z\":\"As"}}`), d(`{"function_call":{"arguments":"ia\"}"}}`), f("function_call"), done), made},
		"cut by length":         {sse(call(start), call(half1), f("length"), done), result{calls: []string{`call_a getTime {"z":"As`}, finish: llm.FinishLength}},
		"text, call, text":      {sse(d(`{"reasoning":"r"}`), said("a"), call(start), call(half1), call(half2), said("b"), d(`{"reasoning":"s"}`), f("tool_calls"), done), result{text: "ab", reasoning: "rs", calls: one.calls, finish: tool}},
		"text in a call":        {sse(call(start), call(half1), said("b"), d(`{"reasoning":"s"}`), call(half2), said("\n"), f("tool_calls"), done), result{text: "b\n", reasoning: "s", calls: one.calls, finish: tool}},
	}
}

// check reads a stream in pieces and compares the result.
func check(t *testing.T, in string, want result, pieces func() int) {
	t.Helper()
	s := &server{answers: []answer{{body: in, pieces: pieces}}}
	if strings.HasPrefix(in, "{") {
		s.answers[0].header = map[string]string{"Content-Type": "application/json; charset=utf-8"}
	}
	m := ask(t, s, openai.Options{}, "m")
	got := run(t, m, request("getTime", "getTimeZone", "getWeather"))
	require.NoError(t, got.err)
	want.item = got.item
	require.Equal(t, want, got)
	require.Zero(t, s.open, "a body is open")
}

func TestEveryWayToStream(t *testing.T) {
	for name, c := range streams() {
		t.Run(name, func(t *testing.T) {
			check(t, c.in, c.want, nil)
			check(t, c.in, c.want, func() int { return 1 })
		})
	}
}

func TestStreamsSplitAtEveryByte(t *testing.T) {
	for name, c := range streams() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := testrun.Step(11)
			if len(c.in) > 4<<10 {
				step *= 97 // the long stream repeats itself
			}
			for at := 0; at < len(c.in); at += step {
				next := at
				check(t, c.in, c.want, func() int { n := next; next = len(c.in); return n })
			}
		})
	}
}

func TestBrokenStreams(t *testing.T) {
	for name, c := range map[string]struct {
		in        string
		cut       bool
		code      llm.Code
		retryable bool
		text      string
	}{
		"just ends":             {sse(said("a")), false, llm.CodeStreamBroken, true, "a"},
		"nothing":               {"", false, llm.CodeStreamBroken, true, ""},
		"cut":                   {sse(said("a")), true, llm.CodeStreamBroken, true, "a"},
		"cut in a piece":        {sse(said("a")) + `data: {"choices":[{"delta":{"content":"b`, true, llm.CodeStreamBroken, true, "a"},
		"ends in a piece":       {sse(said("a")) + `data: {"choices":[{"delta":{"content":"b`, false, llm.CodeStreamBroken, true, "a"},
		"malformed":             {sse(said("a"), `{malformed json: <<<`), false, llm.CodeStreamBroken, true, "a"},
		"malformed deeper":      {sse(said("a"), `{"choices":[{"delta":{"content":tru}}]}`), false, llm.CodeStreamBroken, true, "a"},
		"no object":             {sse(said("a"), `"text"`), false, llm.CodeStreamBroken, true, "a"},
		"something after it":    {sse(said("a"), `{} {}`), false, llm.CodeStreamBroken, true, "a"},
		"too deep":              {sse(said("a"), `{"x":`+strings.Repeat("[", 5000)), false, llm.CodeStreamBroken, true, "a"},
		"error":                 {sse(said("a"), `{"error":{"message":"overloaded","type":"server_error"}}`), false, llm.CodeUnavailable, true, "a"},
		"error after a comment": {sse(said("a")) + ": keepalive\n\n" + sse(`{"error":{"message":"slow down","type":"rate_limit_error"}}`), false, llm.CodeRateLimited, true, "a"},
		"error later in it":     {sse(said("a"), `{"id":"x","error":{"message":"m","code":400}}`), false, llm.CodeProviderRejected, false, "a"},
		"error of a choice":     {sse(said("a"), `{"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"code":502,"message":"m"}}]}`), false, llm.CodeUnavailable, true, "a"},
		"error as a reason":     {sse(said("a"), f("error")), false, llm.CodeUnavailable, true, "a"},
		"error without a name":  {sse(said("a")) + "event: error\n" + sse(`{"message":"m","type":"invalid_request_error"}`), false, llm.CodeProviderRejected, false, "a"},
		"error of llama.cpp":    {sse(said("a")) + `error: {"code":500,"message":"m","type":"server_error"}` + "\n\n", false, llm.CodeUnavailable, true, "a"},
		"error of a proxy":      {sse(said("a")) + `{"error":{"message":"m","code":"context_length_exceeded"}}` + "\n", false, llm.CodeContextOverflow, false, "a"},
		"error of one object":   {`{"error":{"message":"m","type":"authentication_error"}}`, false, llm.CodeProviderAuth, false, ""},
		"error that is empty":   {sse(said("a"), `{"error":""}`, `{"error":null}`), false, llm.CodeStreamBroken, true, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range []func() int{nil, func() int { return 1 }} {
				s := &server{answers: []answer{{body: c.in, cut: c.cut, pieces: pieces}}}
				if strings.HasPrefix(c.in, "{") {
					s.answers[0].header = map[string]string{"Content-Type": "application/json"}
				}
				got := run(t, ask(t, s, openai.Options{}, "m"), request("getTime"))
				require.Error(t, got.err)
				assert.Equal(t, c.code, got.code)
				assert.Equal(t, c.text, got.text)
				var e *llm.Error
				require.ErrorAs(t, got.err, &e)
				assert.Equal(t, c.retryable, e.Retryable)
				assert.Equal(t, "openai", e.Provider)
				assert.Zero(t, s.open)
			}
		})
	}
}
