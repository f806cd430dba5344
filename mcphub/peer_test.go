package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

func withToken(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{},"_meta":{"progressToken":"tok ` + strings.Trim(id, `"`) + `"}}}`
}

func chattyMessages(id string) []string {
	var want []string
	for i := 1; i <= 3; i++ {
		want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"tok %s","progress":%d,"total":3,"message":"step %d"}}`, id, i, i),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"chatty","data":{"n": %d}}}`, i))
	}
	return append(want, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[{"type":"text","text":""}]}}`)
}

// Messages that are sent right before a result must arrive, all of them, in
// order, and with their own request: many times over, and from two calls of one
// session at once.
func TestMessagesBeforeResult(t *testing.T) {
	c := serve(t, hubtest.NewHub(t, nil, hubtest.Chatty(t)))
	s := c.open("2025-11-25", `{}`)
	for round := range 50 {
		ids := []string{fmt.Sprint(2 * round), fmt.Sprint(2*round + 1)}
		answers := make(chan answer, 2)
		for _, id := range ids {
			go func() { answers <- s.post(withToken(id, "chatty")) }()
		}
		got := map[string][]string{}
		for range ids {
			a := <-answers
			require.Equal(t, "text/event-stream", a.header.Get("Content-Type"))
			require.Equal(t, "no", a.header.Get("X-Accel-Buffering"))
			require.NotEmpty(t, a.events)
			for _, id := range ids {
				if strings.Contains(a.events[len(a.events)-1], `"id":`+id+`,`) {
					got[id] = a.events
				}
			}
		}
		for _, id := range ids {
			require.Equal(t, chattyMessages(id), got[id])
		}
	}
	for range 50 {
		a := c.modern("7", "tools/call", "chatty", `"name":"chatty","arguments":{}`, `"progressToken":"tok 7","io.modelcontextprotocol/logLevel":"debug"`)
		require.Len(t, a.events, 7)
		require.Equal(t, chattyMessages("7")[:6], a.events[:6])
	}
}

func TestPeerRespectsWhatTheClientWants(t *testing.T) {
	c := serve(t, hubtest.NewHub(t, nil, hubtest.Chatty(t)))
	s := c.open("2025-11-25", `{}`)

	a := s.post(call("1", "chatty", `{}`))
	assert.Len(t, a.events, 4, "no token: no progress")
	assert.Equal(t, 3, strings.Count(a.body, "it sent no progress token"), "and the tool is told so")

	for _, level := range []string{"error", "critical", "alert", "emergency", "debug", "info", "notice", "warning"} {
		require.Equal(t, http.StatusOK, s.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"`+level+`"}}`).status)
		a = s.post(call("2", "chatty", `{}`))
		if level == "error" || level == "critical" || level == "alert" || level == "emergency" {
			assert.Equal(t, "application/json", a.header.Get("Content-Type"), level)
			continue
		}
		assert.Len(t, a.events, 4, level)
	}
	code, _ := rpcErr(t, s.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`).body)
	assert.Equal(t, -32602, code)

	a = s.with("Accept", "application/json").post(withToken("3", "chatty"))
	assert.Equal(t, 6, strings.Count(a.body, "it accepts no event stream"), a.body)

	a = c.modern("1", "tools/call", "chatty", `"name":"chatty"`, "")
	assert.Equal(t, 3, strings.Count(a.body, "it asked for none"), "since 2026-07-28 logs are sent only when asked for: "+a.body)
}

// asking runs do with the peer of each call and returns its text.
func asking(t testing.TB, do func(ctx context.Context, peer toolspec.Peer) string) *studio.Passed {
	return hubtest.ToolDoing(t, "asking", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		return toolspec.TextResult(do(ctx, call.Caller())), nil
	})
}

// converse calls the tool "asking" on an event stream, and answers what the
// server asks with the next of answers. It returns the
// questions and the text of the result.
func converse(t testing.TB, s *httpClient, answers ...string) (questions []string, text string) {
	t.Helper()
	messages, _ := s.stream(s.with("Accept", "text/event-stream").request(http.MethodPost, call(`"c"`, "asking", `{}`)))
	for _, a := range answers {
		q := next(t, messages)
		questions = append(questions, q)
		var m struct{ ID int64 }
		require.NoError(t, json.Unmarshal([]byte(q), &m))
		got := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, a))
		require.Equal(t, http.StatusAccepted, got.status, got.body)
		require.Equal(t, http.StatusBadRequest, s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, a)).status, "an answer counts once")
	}
	last := next(t, messages)
	for !strings.Contains(last, `"result"`) {
		questions = append(questions, last)
		last = next(t, messages)
	}
	return questions, result(t, last)["content"].([]any)[0].(map[string]any)["text"].(string)
}

func show(v any, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func TestPeerElicit(t *testing.T) {
	form := &toolspec.ElicitRequest{Message: "How many?", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
	req := form
	h := hubtest.NewHub(t, nil, asking(t, func(ctx context.Context, peer toolspec.Peer) string { return show(peer.Elicit(ctx, req)) }))
	c := serve(t, h)
	s := c.open("2025-11-25", `{"elicitation":{}}`)

	q, text := converse(t, s, `"result":{"action":"accept","content":{"n":9007199254740993}}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"message":"How many?"}}`, q[0])
	assert.Equal(t, `{"Action":"accept","Content":{"n":9007199254740993}}`, text)
	_, text = converse(t, s, `"result":{"action":"decline","content":{"n":1}}`)
	assert.Equal(t, `{"Action":"decline","Content":null}`, text, "only accept carries content")
	_, text = converse(t, s, `"result":{"action":"cancel"}`)
	assert.Equal(t, `{"Action":"cancel","Content":null}`, text)
	_, text = converse(t, s, `"result":{"action":"maybe"}`)
	assert.Contains(t, text, "unknown action")
	_, text = converse(t, s, `"error":{"code":-32601,"message":"not here"}`)
	assert.Contains(t, text, "not here")
	assert.Contains(t, text, "unsupported")
	_, text = converse(t, s, `"error":7`)
	assert.Contains(t, text, "malformed error")

	req = &toolspec.ElicitRequest{Message: "Sure?"}
	q, _ = converse(t, s, `"result":{"action":"accept"}`)
	assert.Contains(t, q[0], `"requestedSchema":{"type":"object","properties":{}}`)
	req = &toolspec.ElicitRequest{Schema: json.RawMessage(`{`)}
	_, text = converse(t, s)
	assert.Contains(t, text, "must be JSON")

	req = &toolspec.ElicitRequest{Message: "Open it", URL: "https://example.com/a?b"}
	_, text = converse(t, s)
	assert.Contains(t, text, "unsupported", "an empty capability means forms only")
	q, text = converse(t, c.open("2025-11-25", `{"elicitation":{"url":{}}}`), `"result":{"action":"accept"}`)
	assert.Regexp(t, `"params":\{"mode":"url","url":"https://example.com/a\?b","elicitationId":"[0-9a-f]{32}","message":"Open it"\}`, q[0])
	assert.Contains(t, text, "accept")

	req = form
	for name, s := range map[string]*httpClient{
		"url only":      c.open("2025-11-25", `{"elicitation":{"url":{}}}`),
		"no capability": c.open("2025-11-25", `{}`),
	} {
		_, text = converse(t, s)
		assert.Contains(t, text, "unsupported", name)
	}
	a := c.modern("1", "tools/call", "asking", `"name":"asking"`, "")
	assert.Contains(t, a.body, "unsupported", "since 2026-07-28 a server asks between calls, not within one")
	a = c.open("2025-11-25", `{"elicitation":{}}`).with("Accept", "application/json").post(call("1", "asking", `{}`))
	assert.Contains(t, a.body, "unsupported", "a client without streams cannot be asked")
}

func TestPeerSample(t *testing.T) {
	warm := 0.5
	full := &toolspec.SampleRequest{System: "Be brief.", MaxTokens: 10, Temperature: &warm, Stop: []string{"\n", "END"},
		Messages: []toolspec.SampleMessage{{Role: "user", Content: toolspec.Text("Hi")}, {Role: "user", Content: toolspec.Image([]byte("png"), "image/png")}}}
	req := full
	c := serve(t, hubtest.NewHub(t, nil, asking(t, func(ctx context.Context, peer toolspec.Peer) string { return show(peer.Sample(ctx, req)) })))
	s := c.open("2025-06-18", `{"sampling":{}}`)
	q, text := converse(t, s, `"result":{"role":"assistant","content":{"type":"text","text":"Yo"},"model":"m1","stopReason":"endTurn"}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}},`+
		`{"role":"user","content":{"type":"image","data":"cG5n","mimeType":"image/png"}}],"maxTokens":10,"systemPrompt":"Be brief.","temperature":0.5,"stopSequences":["\n","END"]}}`, q[0])
	assert.Contains(t, text, `"Role":"assistant"`)
	assert.Contains(t, text, `"Text":"Yo"`)
	assert.Contains(t, text, `"Model":"m1","StopReason":"endTurn"`)
	_, text = converse(t, s, `"result":{"role":"assistant","content":[{"type":"image","data":"cG5n","mimeType":"image/png"}],"model":"m1"}`)
	assert.Contains(t, text, `"Type":"image"`)
	for _, bad := range []string{`7`, `{"content":7}`, `{"content":{"type":"tool_use"}}`} {
		_, text = converse(t, s, `"result":`+bad)
		assert.Contains(t, text, "error: mcphub: the client", bad)
	}
	req = &toolspec.SampleRequest{}
	_, text = converse(t, s)
	assert.Contains(t, text, "set MaxTokens")
	req = full
	_, text = converse(t, c.open("2025-11-25", `{}`))
	assert.Contains(t, text, "unsupported")
}

func TestPeerRoots(t *testing.T) {
	c := serve(t, hubtest.NewHub(t, nil, asking(t, func(ctx context.Context, peer toolspec.Peer) string { return show(peer.Roots(ctx)) })))
	s := c.open("2024-11-05", `{"roots":{"listChanged":true}}`)
	q, text := converse(t, s, `"result":{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, q[0])
	assert.Equal(t, `[{"URI":"file:///a","Name":"A"},{"URI":"file:///b","Name":""}]`, text)
	_, text = converse(t, s, `"result":{"roots":7}`)
	assert.Contains(t, text, "malformed")
	_, text = converse(t, c.open("2025-11-25", `{}`))
	assert.Contains(t, text, "unsupported")
}

func TestPeerQuestionEndsWithItsContext(t *testing.T) {
	asked := make(chan struct{})
	h := hubtest.NewHub(t, nil, asking(t, func(ctx context.Context, peer toolspec.Peer) string {
		_, err := peer.Roots(hubtest.Timed{Context: ctx, Up: asked})
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Sprint("wrong error: ", err)
		}
		return "gave up"
	}))
	s := serve(t, h).open("2025-11-25", `{"roots":{}}`)
	messages, _ := s.stream(s.with("Accept", "text/event-stream").request(http.MethodPost, call(`"c"`, "asking", `{}`)))
	assert.Contains(t, next(t, messages), `"method":"roots/list"`)
	close(asked)
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no longer needed"}}`, next(t, messages), "and the client is told")
	assert.Contains(t, next(t, messages), "gave up")
}

func TestPeerQuestionEndsWithTheSession(t *testing.T) {
	h := hubtest.NewHub(t, nil, asking(t, func(_ context.Context, peer toolspec.Peer) string {
		_, err := peer.Roots(context.Background())
		return fmt.Sprint(errors.Is(err, toolspec.ErrClosed) || errors.Is(err, context.Canceled))
	}))
	s := serve(t, h).open("2025-11-25", `{"roots":{}}`)
	messages, _ := s.stream(s.request(http.MethodPost, call("1", "asking", `{}`)))
	next(t, messages)
	s.do(s.request(http.MethodDelete, ""))
	m := next(t, messages)
	if strings.Contains(m, "notifications/cancelled") {
		m = next(t, messages)
	}
	assert.Contains(t, m, "true")
}

func TestPeerIsDeadAfterItsCall(t *testing.T) {
	peers := make(chan toolspec.Peer, 1)
	h := hubtest.NewHub(t, nil, hubtest.ToolDoing(t, "leaks", func(_ context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		peers <- call.Peer
		return toolspec.TextResult("ok"), nil
	}))
	s := serve(t, h).open("2025-11-25", `{"roots":{},"elicitation":{},"sampling":{}}`)
	s.post(withToken("1", "leaks"))
	peer, ctx := <-peers, t.Context()
	assert.ErrorIs(t, peer.Progress(ctx, toolspec.Progress{Done: 1}), toolspec.ErrClosed)
	assert.ErrorIs(t, peer.Log(ctx, toolspec.LogMessage{Level: "error"}), toolspec.ErrClosed)
	_, err := peer.Roots(ctx)
	assert.ErrorIs(t, err, toolspec.ErrClosed)
	_, err = peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "?"})
	assert.ErrorIs(t, err, toolspec.ErrClosed)
	_, err = peer.Sample(ctx, &toolspec.SampleRequest{MaxTokens: 1})
	assert.ErrorIs(t, err, toolspec.ErrClosed)
}

func TestPeerRefusesNonsense(t *testing.T) {
	h := hubtest.NewHub(t, nil, hubtest.ToolDoing(t, "nonsense", func(ctx context.Context, call *toolspec.Call) (*toolspec.Result, error) {
		dead, cancel := context.WithCancel(ctx)
		cancel()
		p := call.Peer
		for want, err := range map[string]error{
			"no number":        p.Progress(ctx, toolspec.Progress{Done: math.NaN()}),
			"is no number":     p.Progress(ctx, toolspec.Progress{Done: 1, Total: math.Inf(1)}),
			"no log level":     p.Log(ctx, toolspec.LogMessage{Level: "loud"}),
			"must be JSON":     p.Log(ctx, toolspec.LogMessage{Level: "error", Data: json.RawMessage(`{`)}),
			"canceled":         p.Progress(dead, toolspec.Progress{Done: 1}),
			"context canceled": p.Log(dead, toolspec.LogMessage{Level: "error"}),
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				return nil, fmt.Errorf("%q: %v", want, err)
			}
		}
		if err := p.Progress(ctx, toolspec.Progress{Done: 2}); err != nil {
			return nil, err
		}
		if err := p.Progress(ctx, toolspec.Progress{Done: 2}); err == nil || !strings.Contains(err.Error(), "must grow") {
			return nil, fmt.Errorf("grow: %v", err)
		}
		return toolspec.TextResult("fine"), p.Log(ctx, toolspec.LogMessage{Level: "error"})
	}))
	a := serve(t, h).open("2025-11-25", `{}`).post(withToken("1", "nonsense"))
	require.Len(t, a.events, 3, a.body)
	assert.Contains(t, a.events[1], `"data":null`)
	assert.Contains(t, a.events[2], "fine")
}

// A tool that is called in process has nobody to reach unless its caller says
// so.
func TestPeerInProcess(t *testing.T) {
	h := hubtest.NewHub(t, &mcphub.Options{}, asking(t, func(ctx context.Context, peer toolspec.Peer) string {
		_, err := peer.Roots(ctx)
		return fmt.Sprint(errors.Is(err, errors.ErrUnsupported))
	}))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	r, err := tools[0].Call(t.Context(), &toolspec.Call{})
	require.NoError(t, err)
	assert.Equal(t, "true", r.Text())
}
