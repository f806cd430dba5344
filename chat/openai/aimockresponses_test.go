package openai_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// The answers of aimock, a third-party server. Fixtures are matched by the text of the
// question.
const peerFixtures = `{"fixtures":[
	{"match":{"userMessage":"responses: the clocks of Seoul and Tokyo","hasToolResult":false},
	 "response":{"reasoning":"I need both — 서울 and 東京.","toolCalls":[{"name":"getTime","arguments":"{\"zone\":\"Asia/Seoul\"}"},{"name":"getTime","arguments":"{\"zone\":\"Asia/Tokyo\"}"}]}},
	{"match":{"userMessage":"responses: the clocks of Seoul and Tokyo","hasToolResult":true},"response":{"content":"11:04 in both, 서울 and 東京."}},
	{"match":{"userMessage":"responses: go on"},"response":{"content":"and so on and so on","finishReason":"length","usage":{"input_tokens":5,"output_tokens":6}}},
	{"match":{"userMessage":"responses: hurry"},"response":{"error":{"message":"Slow down","type":"rate_limit_error","code":"rate_limit_exceeded"},"status":429}},
	{"match":{"userMessage":"responses: collapse"},"response":{"error":{"message":"Oh","type":"server_error"},"status":503}}]}`

// TestAimockResponses sends its fixtures to the server.
func TestAimockResponses(t *testing.T) {
	base := os.Getenv(aimockEnv)
	if base == "" {
		t.Skip(aimockEnv + " names no server: see .ci/peers/aimock.sh")
	}
	leak.Check(t)
	resp, err := http.Post(strings.TrimSuffix(base, "/v1")+"/__aimock/fixtures", "application/json", strings.NewReader(peerFixtures))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	model := func(t *testing.T, header ...string) llm.Model {
		t.Helper()
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		client := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(client.CloseIdleConnections)
		p, err := openai.New(&openai.Options{BaseURL: base, APIKey: "sk-local-secret-1", API: openai.APIResponses, Header: h, HTTPClient: client,
			Quirks: &openai.Quirks{Efforts: []string{"low", "medium", "high"}}})
		require.NoError(t, err)
		m, err := p.Model(t.Context(), "gpt-5")
		require.NoError(t, err)
		return m
	}
	say := func(text string) *llm.ModelRequest {
		return &llm.ModelRequest{Messages: []llm.Message{llm.UserText("responses: " + text)}}
	}
	t.Run("turn", func(t *testing.T) {
		store, err := conversation.NewStore(memory.New())
		require.NoError(t, err)
		client, err := chat.NewClient(model(t), &chat.ClientOptions{Store: store, Tools: toolspec.Tools(timeTool{}), Uncertified: []string{"getTime"}})
		require.NoError(t, err)
		var got []chat.Event
		for ev, err := range client.Stream(t.Context(), "", llm.UserText("responses: the clocks of Seoul and Tokyo"), nil) {
			require.NoError(t, err)
			got = append(got, ev)
		}
		require.NoError(t, chattest.CheckEvents(got))
		var said []string
		results, thought := 0, ""
		for _, ev := range got {
			switch e := ev.(type) {
			case *chat.MessageCompleted:
				said = append(said, e.Content)
				thought += e.Message.Reasoning()
			case *chat.ToolCallResult:
				assert.False(t, e.IsError)
				results++
			}
		}
		assert.Equal(t, "11:04 in both, 서울 and 東京.", said[len(said)-1])
		assert.Equal(t, 2, results)
		assert.Contains(t, thought, "I need both — 서울 and 東京.")
	})
	t.Run("cut for its length", func(t *testing.T) {
		deltas, err := take(t, model(t), say("go on"))
		require.NoError(t, err)
		assert.Equal(t, llm.FinishLength, deltas[len(deltas)-1].Finish)
	})
	for name, c := range map[string]struct {
		text, header string
		code         llm.Code
	}{
		"rate":          {"hurry", "", llm.CodeRateLimited},
		"unavailable":   {"collapse", "", llm.CodeUnavailable},
		"chaos: drop":   {"go on", "X-AIMock-Chaos-Drop", llm.CodeUnavailable},
		"chaos: words":  {"go on", "X-AIMock-Chaos-Malformed", llm.CodeStreamBroken},
		"chaos: gone":   {"go on", "X-AIMock-Chaos-Disconnect", llm.CodeUnavailable},
		"chaos: limits": {"go on", "X-AIMock-Chaos-Ratelimit", llm.CodeRateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			var header []string
			if c.header != "" {
				header = []string{c.header, "1.0"}
			}
			_, err := take(t, model(t, header...), say(c.text))
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.code, e.Code, e)
			assert.True(t, e.Retryable)
			if c.code == llm.CodeRateLimited {
				assert.Positive(t, e.RetryAfter)
			}
		})
	}
}
