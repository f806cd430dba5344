package ollama_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/toolspec"
)

// The tests with Live in their names need a real server with the tiny models:
//
//	.ci/ollama run -- go test ./chat/ollama -run Live
//
// LOCALPASS_OLLAMA is its address.

// live returns the address of the server.
func live(t *testing.T) string {
	t.Helper()
	base := os.Getenv("LOCALPASS_OLLAMA")
	if base == "" {
		t.Skip("LOCALPASS_OLLAMA does not name a server with the tiny models: run the test by .ci/ollama run")
	}
	return base
}

// liveModel returns a model of the server.
func liveModel(t *testing.T, name string) llm.Model {
	t.Helper()
	p, err := ollama.New(&ollama.Options{BaseURL: live(t), HTTPClient: ownConnections(t)})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), name)
	require.NoError(t, err)
	return m
}

// liveTool is a tool that returns a text and counts its calls.
type liveTool struct {
	name, schema, says string
	calls              []string
}

func (l *liveTool) Definition() toolspec.Definition {
	return toolspec.Definition{Name: l.name, Description: "Is " + l.name + ".", InputSchema: json.RawMessage(l.schema)}
}

func (l *liveTool) Call(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	l.calls = append(l.calls, string(call.Arguments))
	return toolspec.TextResult(l.says), nil
}

type toolList []toolspec.Tool

func (l toolList) Tools(context.Context) ([]toolspec.Tool, error) { return l, nil }

// liveNames are the names of all tools of these tests, which hold no pass.
var liveNames = []string{"getTime", "add", "next", "put"}

// liveTools returns the tools that the models call.
func liveTools() (list toolList, getTime, add, next *liveTool) {
	getTime = &liveTool{name: "getTime", schema: `{"type":"object","properties":{"zone":{"type":"string","minLength":3}},"required":["zone"],"additionalProperties":false}`, says: "9:00"}
	add = &liveTool{name: "add", schema: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}`, says: "42"}
	next = &liveTool{name: "next", schema: `{"type":"object","properties":{"after":{"type":"integer"}}}`, says: "and on"}
	return toolList{getTime, add, next}, getTime, add, next
}

// ownConnections returns a client whose connections end with the test.
func ownConnections(t *testing.T) *http.Client {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// turn runs a turn and checks the order of its events.
func turn(t *testing.T, client *chat.Client, question string, opts *chat.TurnOptions) ([]chat.Event, *chat.Response, error) {
	t.Helper()
	var events []chat.Event
	var last error
	c := chat.NewCollector()
	for ev, err := range client.Stream(t.Context(), "", llm.UserText(question), opts) {
		if err != nil {
			last = err
			continue
		}
		c.Add(ev)
		events = append(events, ev)
	}
	require.NoError(t, chattest.CheckEvents(events))
	return events, c.Response(), last
}

func liveClient(t *testing.T, model string, opts chat.ClientOptions) *chat.Client {
	t.Helper()
	client, err := chat.NewClient(liveModel(t, model), &opts)
	require.NoError(t, err)
	return client
}

func TestLiveProvider(t *testing.T) {
	p, err := ollama.New(&ollama.Options{BaseURL: live(t)})
	require.NoError(t, err)
	v, err := p.Version(t.Context())
	require.NoError(t, err)
	assert.Regexp(t, `^\d+\.\d+\.\d+`, v)
	list, err := p.Models(t.Context())
	require.NoError(t, err)
	can := map[string]llm.Capabilities{}
	for _, m := range list {
		assert.Equal(t, 8192, m.ContextTokens)
		can[strings.TrimSuffix(m.Name, ":latest")] = m.Capabilities
	}
	assert.NotContains(t, can, tinymodel.ModelEmbed)
	assert.False(t, can[tinymodel.ModelPlain].Tools)
	assert.True(t, can[tinymodel.ModelTools].Tools)
	assert.False(t, can[tinymodel.ModelTools].Thinking)
	assert.True(t, can[tinymodel.ModelThinking].Thinking)

	_, err = p.Model(t.Context(), "no-such-model")
	e := codeOf(t, err)
	assert.Equal(t, llm.CodeModelNotFound, e.Code)
	assert.Equal(t, 404, e.HTTPStatus)
	_, err = p.Model(t.Context(), tinymodel.ModelEmbed)
	assert.Equal(t, llm.CodeProviderRejected, codeOf(t, err).Code)

	big, err := ollama.New(&ollama.Options{BaseURL: live(t), NumCtx: 1 << 20})
	require.NoError(t, err)
	m, err := big.Model(t.Context(), tinymodel.ModelPlain)
	require.NoError(t, err)
	assert.Equal(t, 16384, m.Info().ContextTokens, "no more than the model was made for")
}

func TestLiveText(t *testing.T) {
	client := liveClient(t, tinymodel.ModelPlain, chat.ClientOptions{System: "Be brief."})
	for ask, want := range map[string]string{tinymodel.AskHello: tinymodel.SayHello, tinymodel.AskUTF8: tinymodel.SayUTF8, "what?": tinymodel.SayOther} {
		events, r, err := turn(t, client, ask, nil)
		require.NoError(t, err)
		assert.Equal(t, want, r.Text())
		assert.Equal(t, llm.FinishStop, r.Finish)
		assert.Positive(t, r.Usage.Input)
		assert.Positive(t, r.Usage.Output)
		assert.Equal(t, r.Usage.Input+r.Usage.Output, r.Usage.Total)
		assert.False(t, r.Usage.Estimated)
		pieces := 0
		for _, ev := range events {
			if d, ok := ev.(*chat.TextDelta); ok {
				pieces++
				assert.NotContains(t, d.Text, "\uFFFD")
			}
		}
		assert.Greater(t, pieces, 1, "it streams")
	}
}

func TestLiveThinking(t *testing.T) {
	for effort, want := range map[llm.Effort]string{llm.EffortDefault: tinymodel.ThinkWhy, llm.EffortHigh: tinymodel.ThinkWhy, llm.EffortOff: ""} {
		_, r, err := turn(t, liveClient(t, tinymodel.ModelThinking, chat.ClientOptions{}), tinymodel.AskWhy, &chat.TurnOptions{Effort: effort})
		require.NoError(t, err)
		assert.Equal(t, tinymodel.SayBecause, r.Text())
		assert.Equal(t, want, r.Message.Reasoning(), effort)
	}
	events, r, err := turn(t, liveClient(t, tinymodel.ModelPlain, chat.ClientOptions{}), tinymodel.AskWhy, &chat.TurnOptions{Effort: llm.EffortHigh})
	require.NoError(t, err)
	assert.Equal(t, tinymodel.SayBecause, r.Text())
	told := false
	for _, ev := range events {
		if o, ok := ev.(*chat.OptionIgnored); ok {
			told = told || o.Name == "effort"
		}
	}
	assert.True(t, told)

	// A refused setting is left out in a second request.
	req := question(llm.UserText(tinymodel.AskWhy))
	req.Options.Overlay = json.RawMessage(`{"think":"low"}`)
	d := generate(t, liveModel(t, tinymodel.ModelThinking), req)
	require.NoError(t, d.err)
	assert.Equal(t, tinymodel.SayBecause, d.text)
	require.Len(t, d.adjusted, 1)
}

func TestLiveLength(t *testing.T) {
	_, r, err := turn(t, liveClient(t, tinymodel.ModelPlain, chat.ClientOptions{}), tinymodel.AskLong, &chat.TurnOptions{Options: &llm.Options{MaxTokens: ptr(12)}})
	require.NoError(t, err)
	assert.Equal(t, llm.FinishLength, r.Finish)
	assert.True(t, strings.HasPrefix(r.Text(), "one two three"))

	// The context ends the answer too: the server does not drop its beginning.
	p, err := ollama.New(&ollama.Options{BaseURL: live(t), NumCtx: 128})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), tinymodel.ModelPlain)
	require.NoError(t, err)
	d := generate(t, m, question(llm.UserText(tinymodel.AskLong)))
	require.NoError(t, d.err)
	assert.Equal(t, llm.FinishLength, d.finish)
	assert.LessOrEqual(t, d.usage.Total, 129)
}

func TestLiveOverflow(t *testing.T) {
	p, err := ollama.New(&ollama.Options{BaseURL: live(t), NumCtx: 256})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), tinymodel.ModelPlain)
	require.NoError(t, err)
	assert.Equal(t, 256, m.Info().ContextTokens)
	r := generate(t, m, question(llm.UserText("first"), llm.AssistantText(strings.Repeat("lorem ipsum ", 200)), llm.UserText(tinymodel.AskHello)))
	e := codeOf(t, r.err)
	assert.Equal(t, llm.CodeContextOverflow, e.Code)
	assert.False(t, e.Retryable)
}

func TestLiveFormat(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"people":{"type":"integer"}},"required":["city","people"],"additionalProperties":false}`)
	for _, name := range []string{tinymodel.ModelPlain, tinymodel.ModelThinking} {
		_, r, err := turn(t, liveClient(t, name, chat.ClientOptions{}), tinymodel.AskJSON, &chat.TurnOptions{Format: &llm.OutputFormat{Name: "place", Schema: schema}})
		require.NoError(t, err)
		assert.JSONEq(t, tinymodel.SayJSON, r.Text())
	}
	// A model with tools still answers in the required form.
	tools, _, _, _ := liveTools()
	_, r, err := turn(t, liveClient(t, tinymodel.ModelTools, chat.ClientOptions{Uncertified: liveNames, Tools: tools}), tinymodel.AskJSON, &chat.TurnOptions{Format: &llm.OutputFormat{Name: "place", Schema: schema}})
	require.NoError(t, err)
	assert.JSONEq(t, tinymodel.SayJSON, r.Text())
}

// lockedTool is a tool that several turns may call at once.
type lockedTool struct {
	*liveTool
	mu sync.Mutex
}

func (l *lockedTool) Call(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.liveTool.Call(ctx, call)
}
