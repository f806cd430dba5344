package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/openai"
	"github.com/localpass/localpass/toolspec"
)

// answer is one scripted answer of a server.
type answer struct {
	status int // 0: 200
	header map[string]string
	body   string
	cut    bool // the connection breaks at the end
	// pieces returns the size of the next read; nil means as much as fits.
	pieces func() int
}

// server is a transport with scripted answers. It repeats the last one.
type server struct {
	mu      sync.Mutex
	answers []answer
	asked   []map[string]any
	bodies  []string
	headers []http.Header
	open    int // number of open bodies
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.Body != nil {
		raw, _ := io.ReadAll(req.Body)
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			return nil, fmt.Errorf("the request is no JSON: %w: %s", err, raw)
		}
		s.asked, s.bodies = append(s.asked, body), append(s.bodies, string(raw))
	}
	s.headers = append(s.headers, req.Header.Clone())
	a := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	resp := &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req}
	for k, v := range a.header {
		resp.Header.Set(k, v)
	}
	s.open++
	resp.Body = &body{s: s, ctx: req.Context(), in: strings.NewReader(a.body), cut: a.cut, pieces: a.pieces}
	return resp, nil
}

type body struct {
	s      *server
	ctx    context.Context
	in     *strings.Reader
	cut    bool
	pieces func() int
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.pieces != nil {
		p = p[:min(len(p), max(b.pieces(), 1))]
	}
	n, err := b.in.Read(p)
	if err == io.EOF && b.cut {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *body) Close() error {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if !b.closed {
		b.closed = true
		b.s.open--
	}
	return nil
}

// sse returns a stream of chunks.
func sse(pieces ...string) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString("data: " + p + "\n\n")
	}
	return b.String()
}

const done = "[DONE]"

// d returns a chunk with a delta, f a chunk with a finish reason.
func d(delta string) string {
	return `{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

func f(reason string) string {
	return `{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func said(text string) string {
	raw, _ := json.Marshal(text)
	return d(`{"content":` + string(raw) + `}`)
}

// ask returns a model of a scripted server.
func ask(t testing.TB, s *server, opts openai.Options, name string) *openai.Model {
	t.Helper()
	opts.HTTPClient = &http.Client{Transport: s}
	if opts.BaseURL == "" {
		opts.BaseURL = "https://" + "models.test/v1"
	}
	opts.Describe = func(i llm.ModelInfo) llm.ModelInfo { i.ContextTokens = 4096; return i }
	p, err := openai.New(&opts)
	require.NoError(t, err)
	m := openai.ModelFor(p, name)
	return m
}

// result is the result of a stream.
type result struct {
	text, reasoning, refusal string
	calls                    []string // "id name arguments"
	finish                   llm.FinishReason
	usage                    *llm.Usage
	told                     []string
	warned                   []string
	item                     string
	code                     llm.Code // code of the error
	err                      error
}

// tools returns definitions of tools.
func tools(names ...string) []toolspec.Definition {
	defs := make([]toolspec.Definition, len(names))
	for i, n := range names {
		defs[i] = toolspec.Definition{Name: n, Description: "does " + n, InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{}}}`)}
	}
	return defs
}

func request(names ...string) *llm.ModelRequest {
	return &llm.ModelRequest{Messages: []llm.Message{llm.UserText("hello")}, Tools: tools(names...), Turn: "t", Round: 2}
}

// run collects a stream and checks the order of its deltas and of the events that chat
// makes of them.
func run(t testing.TB, m llm.Model, req *llm.ModelRequest) result {
	t.Helper()
	var deltas []llm.Delta
	var r result
	calls := map[string]*strings.Builder{}
	var order []string
	open := ""
	for d, err := range m.Generate(t.Context(), req) {
		if err != nil {
			r.err, r.code = err, llm.CodeOf(err)
			continue
		}
		require.NoError(t, r.err, "a delta after the error")
		require.Empty(t, r.finish, "a delta after the end")
		deltas = append(deltas, d)
		switch d.Kind {
		case llm.DeltaText:
			require.Empty(t, open)
			r.text += d.Text
		case llm.DeltaReasoning:
			require.Empty(t, open)
			r.reasoning += d.Text
		case llm.DeltaRefusal:
			r.refusal += d.Text
		case llm.DeltaToolStart:
			require.Empty(t, open)
			open = d.CallID
			calls[open] = &strings.Builder{}
			calls[open].WriteString(open + " " + d.Name + " ")
			order = append(order, open)
		case llm.DeltaToolArgs:
			require.Equal(t, open, d.CallID)
			calls[open].WriteString(d.Text)
		case llm.DeltaToolEnd:
			require.Equal(t, open, d.CallID)
			open = ""
		case llm.DeltaUsage:
			r.usage = d.Usage
		case llm.DeltaAdjusted:
			r.told = append(r.told, d.Adjusted.Name+":"+d.Adjusted.Used)
		case llm.DeltaWarning:
			r.warned = append(r.warned, d.Name)
		case llm.DeltaFinish:
			r.finish, r.item = d.Finish, d.ItemID
		}
	}
	for _, id := range order {
		r.calls = append(r.calls, calls[id].String())
	}
	if r.err == nil {
		require.NotEmpty(t, r.finish, "no end")
		require.Empty(t, open)
	}
	var events []chat.Event
	for e, err := range chat.NewModelHandler(played(deltas, r.err)).Handle(t.Context(), &chat.Request{Messages: req.Messages}) {
		if err == nil {
			events = append(events, e)
		}
	}
	require.NoError(t, chattest.CheckRound(events))
	return r
}

// played is a model that repeats deltas.
func played(deltas []llm.Delta, end error) llm.Model {
	steps := make([]chattest.Step, 0, len(deltas)+1)
	for _, d := range deltas {
		steps = append(steps, chattest.One(d))
	}
	if end != nil {
		steps = append(steps, chattest.Fail(end))
	}
	return chattest.NewModel(chattest.Steps(steps...))
}

var endOfCalls = f("tool_calls")
