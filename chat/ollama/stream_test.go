package ollama_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/toolspec"
)

func TestAnswers(t *testing.T) {
	frame := func(s string) string { return `{"message":{"role":"assistant",` + s + `},"done":false}` }
	for name, c := range map[string]struct {
		lines []string
		want  result
	}{
		"text": {[]string{hello, text(" world"), bye}, result{text: "Hello world", finish: llm.FinishStop}},
		"thinking, then text": {[]string{frame(`"content":"","thinking":"so"`), frame(`"content":"","thinking":" so"`), hello, bye},
			result{reasoning: "so so", text: "Hello", finish: llm.FinishStop}},
		"both in one frame":          {[]string{frame(`"content":"Hello","thinking":"so"`), bye}, result{reasoning: "so", text: "Hello", finish: llm.FinishStop}},
		"thinking in the text":       {[]string{text("<th"), text("ink>so</think>\n\nHel"), text("lo"), bye}, result{reasoning: "so", text: "Hello", finish: llm.FinishStop}},
		"thinking that does not end": {[]string{text("<think>so"), bye}, result{reasoning: "so", finish: llm.FinishStop}},
		"half a tag at the end":      {[]string{text("<thi"), bye}, result{text: "<thi", finish: llm.FinishStop}},
		"several bytes a character":  {[]string{text("안"), text("녕 😀"), text("é"), bye}, result{text: "안녕 😀é", finish: llm.FinishStop}},
		"escapes":                    {[]string{frame(`"content":"\u003cb\u003e\uc548\ud83d\ude00\n"`), bye}, result{text: "<b>안😀\n", finish: llm.FinishStop}},
		"half a pair":                {[]string{frame(`"content":"a\ud83d"`), bye}, result{text: "a\uFFFD", finish: llm.FinishStop}},
		"a call":                     {[]string{call, bye}, result{calls: []string{"getTime", `{"zone":"Asia/Seoul"}`}, finish: llm.FinishToolCalls}},
		"text, then a call":          {[]string{hello, call, bye}, result{text: "Hello", calls: []string{"getTime", `{"zone":"Asia/Seoul"}`}, finish: llm.FinishToolCalls}},
		"two calls in a frame": {[]string{frame(`"tool_calls":[{"id":"x","function":{"name":"a","arguments":{}}},{"id":"y","function":{"name":"b","arguments":{"n":1.50}}}]`), bye},
			result{calls: []string{"a", "{}", "b", `{"n":1.50}`}, finish: llm.FinishToolCalls}},
		"two frames of calls": {[]string{call, frame(`"tool_calls":[{"id":"y","function":{"name":"b","arguments":{}}}]`), bye},
			result{calls: []string{"getTime", `{"zone":"Asia/Seoul"}`, "b", "{}"}, finish: llm.FinishToolCalls}},
		"a call in the last frame": {[]string{`{"message":{"content":"","tool_calls":[{"id":"x","function":{"name":"a","arguments":{}}}]},"done":true,"done_reason":"stop"}`},
			result{calls: []string{"a", "{}"}, finish: llm.FinishToolCalls}},
		"arguments as text":      {[]string{frame(`"tool_calls":[{"function":{"name":"a","arguments":"{\"n\":1}"}},{"function":{"name":"b","arguments":" "}}]`), bye}, result{calls: []string{"a", `{"n":1}`, "b", "{}"}, finish: llm.FinishToolCalls}},
		"arguments left out":     {[]string{frame(`"tool_calls":[{"function":{"name":"a"}},{"function":{"name":"b","arguments":null}}]`), bye}, result{calls: []string{"a", "{}", "b", "{}"}, finish: llm.FinishToolCalls}},
		"length":                 {[]string{hello, `{"message":{},"done":true,"done_reason":"length"}`}, result{text: "Hello", finish: llm.FinishLength}},
		"length behind a call":   {[]string{call, `{"message":{},"done":true,"done_reason":"length"}`}, result{calls: []string{"getTime", `{"zone":"Asia/Seoul"}`}, finish: llm.FinishToolCalls}},
		"load":                   {[]string{`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`}, result{finish: llm.FinishOther}},
		"unload":                 {[]string{`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"unload"}`}, result{finish: llm.FinishOther}},
		"no reason":              {[]string{hello, `{"done":true}`}, result{text: "Hello", finish: llm.FinishOther}},
		"blank lines":            {[]string{"", hello, "  \r", bye, ""}, result{text: "Hello", finish: llm.FinishStop}},
		"more behind the end":    {[]string{hello, bye, text("more"), `{"error":"late"}`}, result{text: "Hello", finish: llm.FinishStop}},
		"an error that is empty": {[]string{`{"message":{"content":"Hello"},"error":null}`, bye}, result{text: "Hello", finish: llm.FinishStop}},
		"nothing at all":         {[]string{bye}, result{finish: llm.FinishStop}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, says(c.lines...), "tools")
			r := generate(t, modelOf(t, s, ollama.Options{}), question())
			require.NoError(t, r.err)
			assert.Equal(t, c.want.text, r.text)
			assert.Equal(t, c.want.reasoning, r.reasoning)
			assert.Equal(t, c.want.calls, r.calls)
			assert.Equal(t, c.want.finish, r.finish)
		})
	}
}

func TestIdsOfCalls(t *testing.T) {
	frame := `{"message":{"tool_calls":[{"function":{"name":"a","arguments":{}}},{"id":"x","function":{"name":"a","arguments":{}}},{"id":"x","function":{"name":"a","arguments":{}}},{"function":{"name":"a","arguments":{}}}]}}`
	s := newServer(t, says(frame, bye), "tools")
	r := generate(t, modelOf(t, s, ollama.Options{}), question())
	require.NoError(t, r.err)
	var ids []string
	for _, d := range r.deltas {
		if d.Kind == llm.DeltaToolStart {
			assert.Equal(t, len(ids), d.Index)
			ids = append(ids, d.CallID)
		}
	}
	assert.Equal(t, []string{"call_t1_1_0", "x", "call_t1_1_2", "call_t1_1_3"}, ids)
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		last string
		want *llm.Usage
	}{
		"counted":          {bye, &llm.Usage{Input: 88, Output: 21, Total: 109}},
		"all in the cache": {`{"done":true,"done_reason":"stop","eval_count":21}`, &llm.Usage{Input: 5, Output: 21, Total: 26, Estimated: true}},
		"not counted":      {`{"done":true,"done_reason":"stop","prompt_eval_count":0,"eval_count":0}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, says(hello, c.last))
			assert.Equal(t, c.want, generate(t, modelOf(t, s, ollama.Options{}), question()).usage)
		})
	}
}

// cutOff sends lines and an incomplete rest, and closes the connection.
func cutOff(rest string, lines ...string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		write(w, lines...)
		fmt.Fprint(w, rest)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func status(code int, body string, header ...string) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		chat      func(http.ResponseWriter, *http.Request, int)
		code      llm.Code
		status    int
		retryable bool
		says      string
		text      string
	}{
		"a cut connection":             {cutOff("", hello), llm.CodeStreamBroken, 0, true, "broke off", "Hello"},
		"an end without the last word": {says(hello), llm.CodeStreamBroken, 0, true, "without its last frame", "Hello"},
		"nothing at all":               {says(), llm.CodeStreamBroken, 0, true, "broke off", ""},
		"half a line":                  {cutOff(`{"message":{"cont`, hello), llm.CodeStreamBroken, 0, true, "half a line", "Hello"},
		"half a line and a clean end": {func(w http.ResponseWriter, _ *http.Request, _ int) { write(w, hello); fmt.Fprint(w, `{"mess`) },
			llm.CodeStreamBroken, 0, true, "half a line", "Hello"},
		"no JSON":                       {says(hello, "<html>"), llm.CodeStreamBroken, 0, true, "not what it should be", "Hello"},
		"an error in the stream":        {says(hello, `{"error":"llama runner process has terminated"}`), llm.CodeUnavailable, 0, true, "terminated", "Hello"},
		"an error with a status":        {says(hello, `{"error":"the input length exceeds the context length","status":400}`), llm.CodeContextOverflow, 400, false, "context", "Hello"},
		"an error that is an object":    {says(hello, `{"error":{"message":"out of memory"}}`), llm.CodeUnavailable, 0, true, "out of memory", "Hello"},
		"an error first":                {says(`{"error":"busy","status":503}`), llm.CodeUnavailable, 503, true, "busy", ""},
		"an empty 503":                  {status(503, ""), llm.CodeUnavailable, 503, true, "", ""},
		"a full queue":                  {status(503, `{"error":"server busy, please try again. maximum pending requests exceeded"}`, "Retry-After", "2"), llm.CodeUnavailable, 503, true, "maximum pending", ""},
		"not found":                     {status(404, `{"error":"model 'm' not found"}`), llm.CodeModelNotFound, 404, false, "pull it first", ""},
		"no tools":                      {status(400, `{"error":"registry.ollama.ai/library/m:latest does not support tools"}`), llm.CodeModelLacksTools, 400, false, "ask without tools", ""},
		"no chat":                       {status(400, `{"error":"\"m\" does not support chat"}`), llm.CodeProviderRejected, 400, false, "does not support chat", ""},
		"sign in":                       {status(401, `{"error":"unauthorized","signin_url":"https://example.com/connect?key=abc"}`), llm.CodeProviderAuth, 401, false, "ollama signin", ""},
		"forbidden":                     {status(403, `{"error":"cloud is disabled"}`), llm.CodeProviderAuth, 403, false, "cloud is disabled", ""},
		"the prompt is too long":        {status(400, `{"error":"the input length exceeds the context length"}`), llm.CodeContextOverflow, 400, false, "", ""},
		"the prompt is too long, other": {status(500, `{"error":"input exceeds maximum context length and cannot be truncated further"}`), llm.CodeContextOverflow, 500, false, "", ""},
		"rate limit":                    {status(429, `{"error":"slow down"}`, "Retry-After", "2"), llm.CodeRateLimited, 429, true, "slow down", ""},
		"too large for the machine":     {status(500, `{"error":"model requires more system memory (9 GiB) than is available (2 GiB)"}`), llm.CodeUnavailable, 500, false, "memory", ""},
		"a page of a proxy":             {status(502, "<html><title>Bad Gateway</title></html>"), llm.CodeUnavailable, 502, true, "Bad Gateway", ""},
		"a page that is fine":           {status(200, "<html>hello</html>"), llm.CodeStreamBroken, 0, true, "", ""},
		"a bad setting":                 {status(400, `{"error":"option \"num_ctx\" must be of type integer"}`), llm.CodeProviderRejected, 400, false, "num_ctx", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, c.chat, "tools")
			r := generate(t, modelOf(t, s, ollama.Options{}), question())
			e := codeOf(t, r.err)
			assert.Equal(t, c.code, e.Code, e)
			assert.Equal(t, c.status, e.HTTPStatus)
			assert.Equal(t, c.retryable, e.Retryable)
			assert.Contains(t, e.Error(), c.says)
			assert.Equal(t, c.text, r.text, "what came before stays")
			assert.NotContains(t, e.Error(), "key=abc")
			if strings.Contains(name, "queue") || name == "rate limit" {
				assert.Equal(t, 2*time.Second, e.RetryAfter)
			}
			if c.says != "" {
				assert.LessOrEqual(t, strings.Count(e.Message, c.says), 1, "a hint is given once")
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	p, err := ollama.New(&ollama.Options{BaseURL: "http://" + ln.Addr().String()})
	require.NoError(t, err)
	_, err = p.Model(t.Context(), "m")
	e := codeOf(t, err)
	assert.Equal(t, llm.CodeUnavailable, e.Code)
	assert.True(t, e.Retryable)
	assert.Contains(t, e.Message, "is Ollama running?")
	_, err = p.Version(t.Context())
	assert.Equal(t, llm.CodeUnavailable, codeOf(t, err).Code)
}

// If the context ends, before or during the answer, the error is that of the context.
func TestCancel(t *testing.T) {
	cause := errors.New("the person pressed stop")
	for name, lines := range map[string][]string{"before the answer": nil, "in the middle": {hello}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			gone := make(chan struct{})
			s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				defer close(gone)
				if lines == nil {
					cancel(cause)
				} else {
					write(w, lines...)
				}
				<-r.Context().Done()
			})
			m := modelOf(t, s, ollama.Options{})
			var last error
			text := ""
			for d, err := range m.Generate(ctx, question()) {
				text += d.Text
				cancel(cause)
				last = err
			}
			require.ErrorIs(t, last, context.Canceled)
			require.ErrorIs(t, last, cause)
			assert.Equal(t, len(lines) > 0, text == "Hello")
			<-gone // the server has noticed
		})
	}
	t.Run("a deadline", func(t *testing.T) {
		s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ int) { write(w, hello); <-r.Context().Done() })
		m := modelOf(t, s, ollama.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		var last error
		for _, err := range m.Generate(ctx, question()) {
			last = err
		}
		require.ErrorIs(t, last, context.DeadlineExceeded)
	})
}

func TestThinkIsAskedForOnceMoreWithout(t *testing.T) {
	for name, words := range map[string]string{"level": `think value \"low\" is not supported for this model`, "none": `\"m\" does not support thinking`} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 1 {
					status(400, `{"error":"`+words+`"}`)(w, r, n)
					return
				}
				write(w, hello, bye)
			}, "thinking")
			p := provider(t, s, ollama.Options{})
			req := question()
			req.Options.Effort = llm.EffortHigh
			for range 2 { // the second time the answer is cached
				m, err := p.Model(t.Context(), "m")
				require.NoError(t, err)
				r := generate(t, m, req)
				require.NoError(t, r.err)
				require.Len(t, r.adjusted, 1)
				assert.Equal(t, "effort", r.adjusted[0].Name)
				assert.Equal(t, "high", r.adjusted[0].Asked)
				assert.Empty(t, r.adjusted[0].Used)
			}
			assert.Equal(t, true, s.asked(t, 1)["think"])
			for n := 2; n <= s.count(); n++ {
				assert.NotContains(t, s.asked(t, n), "think")
			}
		})
	}
	t.Run("by the overlay", func(t *testing.T) {
		s := newServer(t, func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				status(400, `{"error":"think value \"low\" is not supported for this model"}`)(w, r, n)
				return
			}
			write(w, hello, bye)
		}, "thinking")
		req := question()
		req.Options.Overlay = []byte(`{"think":"low","top_q":1}`)
		r := generate(t, modelOf(t, s, ollama.Options{}), req)
		require.NoError(t, r.err)
		assert.NotContains(t, s.asked(t, 2), "think")
		assert.Len(t, r.adjusted, 2, "each difference is told once")
	})
	t.Run("it is asked once more, and not again and again", func(t *testing.T) {
		s := newServer(t, status(400, `{"error":"\"m\" does not support thinking"}`), "thinking")
		req := question()
		req.Options.Effort = llm.EffortHigh
		for _, err := range modelOf(t, s, ollama.Options{}).Generate(t.Context(), req) {
			assert.Equal(t, llm.CodeProviderRejected, codeOf(t, err).Code)
		}
		assert.Equal(t, 2, s.count())
	})
}

func TestWholeAnswersWithTools(t *testing.T) {
	whole := `{"message":{"role":"assistant","content":"Let me see.","thinking":"hm","tool_calls":[{"id":"x","function":{"name":"getTime","arguments":{"zone":"UTC"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4}`
	s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) { fmt.Fprint(w, whole) }, "tools", "thinking")
	m := modelOf(t, s, ollama.Options{Quirks: map[string]ollama.Quirks{"m": {WholeToolAnswers: true}}})
	assert.False(t, m.Info().Capabilities.StreamWithTools)
	req := question()
	req.Tools = []toolspec.Definition{getTime()}
	r := generate(t, m, req)
	require.NoError(t, r.err)
	assert.Equal(t, false, s.asked(t, 1)["stream"])
	assert.Equal(t, "hm", r.reasoning)
	assert.Equal(t, "Let me see.", r.text)
	assert.Equal(t, []string{"getTime", `{"zone":"UTC"}`}, r.calls)
	assert.Equal(t, &llm.Usage{Input: 3, Output: 4, Total: 7}, r.usage)
	for range m.Generate(t.Context(), question()) {
		break
	}
	assert.Equal(t, true, s.asked(t, s.count())["stream"], "without tools it streams")
}

func TestRescue(t *testing.T) {
	printed := `<tool_call>{"name":"getTime","arguments":{"zone":"Asia/Seoul"}}</tool_call>`
	s := newServer(t, says(text("So: "), text(printed[:20]), text(printed[20:]), bye), "tools")
	req := question()
	req.Tools = []toolspec.Definition{getTime()}
	r := generate(t, modelOf(t, s, ollama.Options{}), req)
	require.NoError(t, r.err)
	assert.Equal(t, "So: "+printed, r.text, "not unless it is asked for")
	r = generate(t, modelOf(t, s, ollama.Options{Quirks: map[string]ollama.Quirks{"": {}, "m:": {RescueToolCalls: true}}}), req)
	require.NoError(t, r.err)
	assert.Equal(t, "So: ", r.text)
	assert.Equal(t, []string{"getTime", `{"zone":"Asia/Seoul"}`}, r.calls)
	assert.Equal(t, []string{"rescued_tool_call"}, r.warnings)
	assert.Equal(t, llm.FinishToolCalls, r.finish)
	s.show["qwen2.5-coder:7b"] = describe("completion", "tools")
	known, err := provider(t, s, ollama.Options{}).Model(t.Context(), "qwen2.5-coder:7b")
	require.NoError(t, err)
	assert.Equal(t, []string{"rescued_tool_call"}, generate(t, known, req).warnings, "a model that is known for it")

	s.chat = says(text("So: "+printed), call, bye)
	r = generate(t, known, req)
	require.NoError(t, r.err)
	assert.Equal(t, []string{"getTime", `{"zone":"Asia/Seoul"}`}, r.calls, "beside a call that came as such it is text")
	assert.Equal(t, "So: "+printed, r.text)
	assert.Empty(t, r.warnings)
}

func TestRaw(t *testing.T) {
	s := newServer(t, says(hello, bye))
	req := question()
	req.Options.KeepRaw = true
	var raw []string
	for _, d := range generate(t, modelOf(t, s, ollama.Options{}), req).deltas {
		if d.Kind == llm.DeltaRaw {
			raw = append(raw, string(d.Raw))
		}
	}
	assert.Equal(t, []string{hello, bye}, raw)
}

func TestAnotherModelByTheOptions(t *testing.T) {
	s := newServer(t, says(hello, bye), "tools")
	s.show["small:1b"] = describe("completion")
	req := question()
	req.Options.Model = "small:1b"
	require.NoError(t, generate(t, modelOf(t, s, ollama.Options{}), req).err)
	assert.Equal(t, "small:1b", s.asked(t, 1)["model"])
	req.Tools = []toolspec.Definition{getTime()}
	assert.Equal(t, llm.CodeModelLacksTools, codeOf(t, generate(t, modelOf(t, s, ollama.Options{}), req).err).Code)
	req.Options.Model = "gone"
	e := codeOf(t, generate(t, modelOf(t, s, ollama.Options{}), req).err)
	assert.Equal(t, llm.CodeModelNotFound, e.Code)
	assert.Equal(t, 1, strings.Count(e.Message, "pull it first"))
}
