package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/testrun"
)

// openCall returns the first chunk of a call; goOn returns one with more arguments.
func openCall(index int, id, name string) string {
	return call(fmt.Sprintf(`{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}`, index, id, name))
}

func goOn(index int, args string) string {
	return call(fmt.Sprintf(`{"index":%d,"function":{"arguments":%q}}`, index, args))
}

// Streams of servers with unusual faults.
func TestAdversarialStreams(t *testing.T) {
	const tool = llm.FinishToolCalls
	for name, c := range map[string]struct {
		in   string
		want result
	}{
		// Text that looks like the protocol.
		"the wire as text":   {sse(said("data: [DONE]\n\ndata: {\"error\":{}}\n"), said("}]}"), f("stop"), done), result{text: "data: [DONE]\n\ndata: {\"error\":{}}\n}]}", finish: llm.FinishStop}},
		"quotes and slashes": {sse(said(`\`), said(`"`), said(`\\"`), said(`\u0041`), f("stop"), done), result{text: `\"\\"\u0041`, finish: llm.FinishStop}},
		"a member twice":     {sse(`{"choices":[{"index":0,"delta":{"content":"a"}}],"choices":[{"index":0,"delta":{"content":"b"}}]}`, f("stop"), done), result{text: "b", finish: llm.FinishStop}},
		"a deep member":      {sse(`{"x":`+strings.Repeat("[", 300)+strings.Repeat("]", 300)+`,"choices":[{"index":0,"delta":{"content":"a"}}]}`, f("stop"), done), result{text: "a", finish: llm.FinishStop}},
		"marks of nothing":   {sse(said("\ufeff"), said("a\u0000b"), said("\u200b"), f("stop"), done), result{text: "\ufeffa\u0000b\u200b", finish: llm.FinishStop}},
		"tags in a call":     {sse(openCall(0, "call_a", "getTime"), goOn(0, `{"z":"<think>x</think>"}`), f("tool_calls"), done), result{calls: []string{`call_a getTime {"z":"<think>x</think>"}`}, finish: tool}},
		"a tag in pieces":    {sse(said("<"), said("t"), said("hink"), said(">"), said("hm"), said("<"), said("/"), said("think>"), said("so"), f("stop"), done), result{text: "so", reasoning: "hm", finish: llm.FinishStop}},
		"a tag that is none": {sse(said("<thin"), said("g> a <b"), f("stop"), done), result{text: "<thing> a <b", finish: llm.FinishStop}},
		// Arguments that look like something else.
		"an object in a text": {sse(openCall(0, "call_a", "getTime"), goOn(0, `{"z":"{\"z\":\"`), goOn(0, `{\"z\":\"`), goOn(0, `x\"}"}`), f("tool_calls"), done),
			result{calls: []string{`call_a getTime {"z":"{\"z\":\"{\"z\":\"x\"}"}`}, finish: tool}},
		"the same piece twice": {sse(openCall(0, "call_a", "getTime"), goOn(0, `{"z":"`), goOn(0, `ha`), goOn(0, `ha`), goOn(0, `ha`), goOn(0, `"}`), f("tool_calls"), done),
			result{calls: []string{`call_a getTime {"z":"hahaha"}`}, finish: tool}},
		"one byte at a time": {sse(append(append([]string{openCall(0, "call_a", "getTime")}, bytewise(`{"z":"{{\"{\"","a":[{},{}]}`)...), f("tool_calls"), done)...),
			result{calls: []string{`call_a getTime {"z":"{{\"{\"","a":[{},{}]}`}, finish: tool}},
		"blank arguments": {sse(openCall(0, "call_a", "getTime"), goOn(0, " "), goOn(0, "\n"), f("tool_calls"), done), result{calls: []string{"call_a getTime  \n"}, finish: tool}},
		// Interleaved calls.
		"three at once, backwards": {sse(openCall(2, "call_c", "getTime"), openCall(1, "call_b", "getTime"), openCall(0, "call_a", "getTime"), goOn(0, `{"z":"a"}`), goOn(1, `{"z":"b"}`), goOn(2, `{"z":"c"}`), f("tool_calls"), done),
			result{calls: []string{`call_c getTime {"z":"c"}`, `call_b getTime {"z":"b"}`, `call_a getTime {"z":"a"}`}, finish: tool}},
		"the same call twice": {sse(openCall(0, "call_a", "getTime"), goOn(0, `{"z":"x"}`), openCall(1, "call_b", "getTime"), goOn(1, `{"z":"x"}`), f("tool_calls"), done),
			result{calls: []string{`call_a getTime {"z":"x"}`, `call_b getTime {"z":"x"}`}, finish: tool}},
		"text between and after": {sse(said("I look. "), openCall(0, "call_a", "getTime"), goOn(0, `{"z":`), said("aside "), goOn(0, `"x"}`), said("after"), openCall(1, "call_b", "getWeather"), goOn(1, `{}`), f("tool_calls"), done),
			result{text: "I look. aside after", calls: []string{`call_a getTime {"z":"x"}`, `call_b getWeather {}`}, finish: tool}},
		"an index of a billion": {sse(call(`{"index":999999999,"id":"call_a","function":{"name":"getTime","arguments":"{}"}}`), call(`{"index":-3,"id":"call_b","function":{"name":"getWeather","arguments":"{}"}}`), f("tool_calls"), done),
			result{calls: []string{`call_a getTime {}`, `call_b getWeather {}`}, finish: tool}},
		// Ends.
		"two ends":       {sse(said("a"), f("stop"), f("tool_calls"), done), result{text: "a", finish: llm.FinishStop}},
		"text after":     {sse(said("a"), f("stop"), said("b"), done), result{text: "ab", finish: llm.FinishStop}},
		"usage is wrong": {sse(said("a"), f("stop"), `{"choices":[],"usage":{"prompt_tokens":"many","completion_tokens":-3}}`, done), result{text: "a", finish: llm.FinishStop}},
	} {
		t.Run(name, func(t *testing.T) {
			q := openai.Quirks{ThinkTags: true}
			s := &server{answers: []answer{{body: c.in}}}
			got := run(t, ask(t, s, openai.Options{Quirks: &q}, "m"), request("getTime", "getWeather"))
			require.NoError(t, got.err)
			got.item = ""
			assert.Equal(t, c.want, got)
			s = &server{answers: []answer{{body: c.in, pieces: func() int { return 1 }}}}
			again := run(t, ask(t, s, openai.Options{Quirks: &q}, "m"), request("getTime", "getWeather"))
			again.item = ""
			assert.Equal(t, got, again, "byte by byte")
			assert.Zero(t, s.open)
		})
	}
}

func bytewise(args string) (pieces []string) {
	for i := range len(args) {
		pieces = append(pieces, goOn(0, args[i:i+1]))
	}
	return pieces
}

// An answer that ends within a call is reported as cut off, since a repaired call would
// be another call.
func TestAdversarialEndsWithinCalls(t *testing.T) {
	half := []string{openCall(0, "call_a", "getTime"), goOn(0, `{"z": "/a`)}
	for finish, want := range map[string]llm.FinishReason{"length": llm.FinishLength, "content_filter": llm.FinishContentFilter} {
		s := &server{answers: []answer{{body: sse(append(half, f(finish), done)...)}}}
		got := run(t, ask(t, s, openai.Options{}, "m"), request("getTime"))
		require.NoError(t, got.err)
		assert.Equal(t, want, got.finish, "the tool loop knows by it not to run the call")
	}
	for _, finish := range []string{"error", "abort", "aborted", "cancelled", "timeout"} {
		s := &server{answers: []answer{{body: sse(append(half, f(finish), done)...)}}}
		got := run(t, ask(t, s, openai.Options{}, "m"), request("getTime"))
		assert.Equal(t, llm.CodeUnavailable, got.code, finish)
	}
	s := &server{answers: []answer{{body: sse(half...), cut: true}}}
	assert.Equal(t, llm.CodeStreamBroken, run(t, ask(t, s, openai.Options{}, "m"), request("getTime")).code)
}

// The time for a long answer in small pieces is proportional to its length, for every
// form.
func TestAdversarialLengths(t *testing.T) {
	n := 20_000 / testrun.Step(10)
	long := `{"z":"` + strings.Repeat("word ", n) + `"}`
	pieces := func(make func(piece string) string) []string {
		out := []string{openCall(0, "call_a", "getTime")}
		for i := 0; i < len(long); i += 5 {
			out = append(out, make(long[i:min(i+5, len(long))]))
		}
		return append(out, f("tool_calls"), done)
	}
	text := make([]string, n)
	for i := range text {
		text[i] = said("<a `b [T")
	}
	for name, c := range map[string]struct {
		q    openai.Quirks
		in   []string
		want string // of the arguments
	}{
		"plain": {openai.Quirks{}, pieces(func(p string) string { return goOn(0, p) }), long},
		"name each time": {openai.Quirks{}, pieces(func(p string) string {
			return call(fmt.Sprintf(`{"index":0,"function":{"name":"getTime","arguments":%q}}`, p))
		}), long},
		"id and name each time": {openai.Quirks{}, pieces(func(p string) string {
			return call(fmt.Sprintf(`{"index":0,"id":"call_a","function":{"name":"getTime","arguments":%q}}`, p))
		}), long},
		"no index": {openai.Quirks{}, pieces(func(p string) string {
			return call(fmt.Sprintf(`{"id":"call_a","function":{"name":"getTime","arguments":%q}}`, p))
		}), long},
		"two at once": {openai.Quirks{}, append([]string{openCall(0, "call_a", "getTime"), openCall(1, "call_b", "getTime"), goOn(1, `{}`)}, pieces(func(p string) string { return goOn(0, p) })[1:]...), long},
		"aside":       {openai.Quirks{}, append(append([]string{openCall(0, "call_a", "getTime"), goOn(0, `{"z":`)}, text...), goOn(0, `1}`), f("tool_calls"), done), `{"z":1}`},
		"marks":       {openai.Quirks{ThinkTags: true, RescueCalls: true}, append(append([]string{}, text...), f("stop"), done), ""},
		"a fence":     {openai.Quirks{RescueCalls: true}, append(append([]string{said("```json\n[")}, repeated(said(`{"name":"x"},`), n/4)...), f("stop"), done), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{answers: []answer{{body: sse(c.in...)}}}
			began := time.Now()
			deltas := 0
			var args strings.Builder
			for d, err := range ask(t, s, openai.Options{Quirks: &c.q}, "m").Generate(t.Context(), request("getTime")) {
				require.NoError(t, err)
				deltas++
				if d.Kind == llm.DeltaToolArgs && d.CallID == "call_a" {
					args.WriteString(d.Text)
				}
			}
			took := time.Since(began)
			t.Logf("%d deltas in %v", deltas, took)
			assert.Equal(t, c.want, args.String())
			assert.Less(t, took, time.Minute, "work that grows with the square of the pieces")
		})
	}
}

func repeated(piece string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = piece
	}
	return out
}

// A very long answer in one JSON text.
func TestAdversarialWholeAnswer(t *testing.T) {
	long := strings.Repeat("가나다 ", 100_000)
	raw, err := json.Marshal(long)
	require.NoError(t, err)
	s := &server{answers: []answer{{header: map[string]string{"Content-Type": "application/json"}, body: `{"choices":[{"index":0,"message":{"content":` + string(raw) + `},"finish_reason":"stop"}]}`}}}
	got := run(t, ask(t, s, openai.Options{}, "m"), request())
	require.NoError(t, got.err)
	assert.Equal(t, long, got.text)
}
