package openai_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/leak"
)

// The tests of this file use aimock, a third-party server that .ci/peers/aimock.sh starts
// with testdata/aimock.json. Without its address in the environment they are skipped.
const aimockEnv = "LOCALPASS_AIMOCK"

func aimock(t *testing.T, model string, chaos ...string) *openai.Model {
	t.Helper()
	base := os.Getenv(aimockEnv)
	if base == "" {
		t.Skip(aimockEnv + " names no server: see .ci/peers/aimock.sh")
	}
	leak.Check(t)
	header := http.Header{}
	for _, kind := range chaos {
		header.Set("X-Aimock-Chaos-"+kind, "1")
	}
	p, err := openai.New(&openai.Options{BaseURL: base, Header: header, APIKey: key, API: openai.APIChat, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), model)
	require.NoError(t, err)
	return m.(*openai.Model)
}

func put(text string, names ...string) *llm.ModelRequest {
	return &llm.ModelRequest{Messages: []llm.Message{llm.UserText(text)}, Tools: tools(names...), Turn: "t", Round: 1}
}

func TestAimockText(t *testing.T) {
	r := run(t, aimock(t, "gpt-4o"), put("say something"))
	require.NoError(t, r.err)
	assert.Equal(t, "Grüße aus 서울, and a long enough answer to come in many pieces 😀.", r.text)
	assert.Equal(t, llm.FinishStop, r.finish)
	require.NotNil(t, r.usage)
	assert.Positive(t, r.usage.Output)
}

func TestAimockThinking(t *testing.T) {
	r := run(t, aimock(t, "thinker"), put("think"))
	require.NoError(t, r.err)
	assert.Equal(t, "First I wonder.", r.reasoning)
	assert.Equal(t, "So it is.", r.text)
}

func TestAimockTools(t *testing.T) {
	m := aimock(t, "gpt-4o")
	req := put("what time is it there", "getTime", "getWeather")
	r := run(t, m, req)
	require.NoError(t, r.err)
	assert.Equal(t, []string{`call_time getTime {"zone":"Asia/Seoul"}`, `call_weather getWeather {"city":"서울","days":[1,2,3]}`}, r.calls)
	assert.Equal(t, llm.FinishToolCalls, r.finish)
	req.Round++
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{
			llm.ToolCall{ID: "call_time", Name: "getTime", Arguments: json.RawMessage(`{"zone":"Asia/Seoul"}`)},
			llm.ToolCall{ID: "call_weather", Name: "getWeather", Arguments: json.RawMessage(`{}`)}}},
		llm.ToolResults(llm.ToolResult{CallID: "call_time", Name: "getTime"}, llm.ToolResult{CallID: "call_weather", Name: "getWeather"}))
	r = run(t, m, req)
	require.NoError(t, r.err)
	assert.Equal(t, "Half past nine, and fine.", r.text)
}

func TestAimockFailures(t *testing.T) {
	for name, c := range map[string]struct {
		chaos     []string
		text      string
		code      llm.Code
		retryable bool
	}{
		"rate limit":   {[]string{"Ratelimit"}, "say something", llm.CodeRateLimited, true},
		"server error": {[]string{"Drop"}, "say something", llm.CodeUnavailable, true},
		"malformed":    {[]string{"Malformed"}, "say something", llm.CodeStreamBroken, true},
		"overflow":     {nil, "too long", llm.CodeContextOverflow, false},
		"cut off":      {nil, "cut off", llm.CodeStreamBroken, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, aimock(t, "gpt-4o", c.chaos...), put(c.text))
			require.Error(t, r.err)
			var e *llm.Error
			require.ErrorAs(t, r.err, &e)
			assert.Equal(t, c.code, e.Code, "%v", r.err)
			assert.Equal(t, c.retryable, e.Retryable)
			assert.Equal(t, name == "cut off", r.text != "", "what came before the end is kept")
			if name == "rate limit" {
				assert.Positive(t, e.RetryAfter)
			}
		})
	}
	r := run(t, aimock(t, "gpt-4o", "Disconnect"), put("say something"))
	require.Error(t, r.err)
	assert.Contains(t, []llm.Code{llm.CodeStreamBroken, llm.CodeUnavailable}, r.code)
}

func TestAimockBreakingOff(t *testing.T) {
	m := aimock(t, "gpt-4o")
	for k := 1; ; k++ {
		n := 0
		for _, err := range m.Generate(t.Context(), put("say something")) {
			require.NoError(t, err)
			if n++; n == k {
				break
			}
		}
		if n < k {
			return
		}
	}
}

func TestAimockModels(t *testing.T) {
	base := os.Getenv(aimockEnv)
	if base == "" {
		t.Skip(aimockEnv + " names no server: see .ci/peers/aimock.sh")
	}
	p, err := openai.New(&openai.Options{BaseURL: base})
	require.NoError(t, err)
	models, err := p.Models(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, models)
}
