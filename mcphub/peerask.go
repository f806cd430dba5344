package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// query is a question to the client, and its outcome.
type query struct {
	key         string // "" if a key is generated
	anticipated bool   // an answer that came first counts
	method      string
	params      []byte // a JSON object, or nil
	need        need

	result json.RawMessage
	err    error

	answer chan reply // capacity 1; for a call that can be parked
	puts   int        // how often it was sent to the client; owned by openQuestions
}

// need is a capability that a client must have declared to be asked.
type need struct {
	what string // a description for people
	able func(c *rpc.Capabilities) bool
	// group and form are the capability as requiredCapabilities spells it: {group: {form:
	// {}}}.
	group, form string
}

var (
	needForm     = need{"questions: it did not declare the capability elicitation with form", func(c *rpc.Capabilities) bool { return c.Form }, "elicitation", "form"}
	needURL      = need{"questions of this kind: it did not declare the capability elicitation with url", func(c *rpc.Capabilities) bool { return c.URL }, "elicitation", "url"}
	needSampling = need{"sampling requests", func(c *rpc.Capabilities) bool { return c.Sampling }, "sampling", ""}
	needTools    = need{"sampling requests with tools", func(c *rpc.Capabilities) bool { return c.SamplingTools }, "sampling", "tools"}
	needRoots    = need{"roots requests", func(c *rpc.Capabilities) bool { return c.Roots }, "roots", ""}
)

// lacksError reports that the client did not declare a capability that a question needs.
type lacksError struct{ need need }

func (e *lacksError) Error() string {
	return fmt.Sprintf("mcphub: the client takes no %s: %v", e.need.what, errors.ErrUnsupported)
}

func (e *lacksError) Is(target error) bool { return target == errors.ErrUnsupported }

// asError returns the protocol error that reports e to a client of 2026-07-28.
func (e *lacksError) asError() *rpc.Error {
	forms := map[string]any{}
	if e.need.form != "" {
		forms[e.need.form] = map[string]any{}
	}
	return &rpc.Error{Code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, Message: "the call needs a capability that the client did not declare: " + e.need.group,
		Data: map[string]any{"requiredCapabilities": map[string]any{e.need.group: forms}}}
}

// askAll asks the client, and fills in the outcome of each question. In a session the
// questions are sent one after another, since they go to the same person; since
// 2026-07-28 all at once.
func (p *peer) askAll(ctx context.Context, queries ...*query) {
	p.mu.Lock()
	x, clock := p.x, p.clock
	p.mu.Unlock()
	open := make([]*query, 0, len(queries))
	for _, q := range queries {
		switch {
		case q.err != nil:
		case !q.need.able(&x.caps):
			q.err = &lacksError{q.need}
		case x.session == nil && p.park == nil && x.task == nil:
			q.err = p.lacks(q.need.what)
		default:
			open = append(open, q)
		}
	}
	if len(open) == 0 {
		return
	}
	asks, end := p.beginAsking()
	if end == nil {
		for _, q := range open {
			q.err = fmt.Errorf("mcphub: a question after the call returned: %w", toolspec.ErrClosed)
		}
		return
	}
	defer end()
	// The question ends with the call and with the hub, even if a tool asks from a
	// goroutine with its own context.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(asks, cancel)()
	if ctx.Value(endsKey{}) == nil {
		defer context.AfterFunc(p.hub.life.closing, cancel)()
	}
	if p.park != nil {
		defer context.AfterFunc(p.park.ctx, cancel)()
		defer clock.Pause()()
		p.park.questions.ask(ctx, open)
		return
	}
	defer context.AfterFunc(x.ctx, cancel)()
	defer clock.Pause()()
	if x.task != nil {
		x.task.askClient(ctx, open)
		return
	}
	if x.out != nil {
		defer newHeartbeat(x.out).stop()
	}
	for _, q := range open {
		within, done := context.WithTimeout(ctx, p.hub.opts.QuestionTimeout)
		q.result, q.err = x.session.requests.ask(within, p.send, q.method, q.params)
		done()
	}
}

func (p *peer) Elicit(ctx context.Context, req *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	if err := p.askAtGate(req); err != nil {
		return nil, err
	}
	q := p.elicitQuery(req)
	p.askAll(ctx, q)
	return q.elicited()
}

func (p *peer) Sample(ctx context.Context, req *toolspec.SampleRequest) (*toolspec.SampleResult, error) {
	q := p.sampleQuery(req)
	p.askAll(ctx, q)
	return q.sampled()
}

func (p *peer) Roots(ctx context.Context) ([]toolspec.Root, error) {
	q := p.rootsQuery()
	p.askAll(ctx, q)
	return q.rooted()
}

// Ask sends all questions in one round if the protocol version allows it.
func (p *peer) Ask(ctx context.Context, questions []toolspec.Question) []toolspec.Answer {
	queries := make([]*query, len(questions))
	for i := range questions {
		question := &questions[i]
		switch err := question.Check(); {
		case err != nil:
			queries[i] = &query{err: err}
		case question.Elicit != nil:
			queries[i] = p.elicitQuery(question.Elicit)
		case question.Sample != nil:
			queries[i] = p.sampleQuery(question.Sample)
		default:
			queries[i] = p.rootsQuery()
		}
		queries[i].key, queries[i].anticipated = question.Key, question.Anticipated
	}
	p.askAll(ctx, queries...)
	answers := make([]toolspec.Answer, len(questions))
	for i, q := range queries {
		a := &answers[i]
		switch {
		case q.err != nil:
			a.Err = q.err
		case questions[i].Elicit != nil:
			a.Elicit, a.Err = q.elicited()
		case questions[i].Sample != nil:
			a.Sample, a.Err = q.sampled()
		default:
			a.Roots, a.Err = q.rooted()
		}
	}
	return answers
}

func (p *peer) elicitQuery(req *toolspec.ElicitRequest) *query {
	q := &query{method: rpc.MethodElicit, need: needForm}
	b := []byte(`{`)
	if req.URL != "" {
		q.need = needURL
		b = rpc.AppendString(append(b, `"mode":"url","url":`...), req.URL)
		if !p.waitingRequest().modern { // this version no longer has elicitation ids
			b = rpc.AppendField(b, "elicitationId", clock.Clock{}.ID())
		}
	} else {
		schema := req.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		} else if !rpc.ValidJSON(schema) {
			q.err = errors.New("mcphub: the schema of a question must be JSON")
			return q
		}
		b = rpc.AppendRaw(append(b, `"requestedSchema":`...), schema)
	}
	q.params = append(rpc.AppendString(append(b, `,"message":`...), req.Message), '}')
	return q
}

func (q *query) elicited() (*toolspec.ElicitResult, error) {
	if q.err != nil {
		return nil, q.err
	}
	answer := rpc.ParseElicited(q.result)
	switch answer.Action {
	case toolspec.ElicitAccept:
		return &answer, nil
	case toolspec.ElicitDecline, toolspec.ElicitCancel:
		answer.Content = nil // only accept carries content
		return &answer, nil
	}
	return nil, fmt.Errorf("mcphub: the client answered a question with the unknown action %q", answer.Action)
}

func (p *peer) sampleQuery(req *toolspec.SampleRequest) *query {
	q := &query{method: rpc.MethodSample, need: needSampling}
	if req.MaxTokens <= 0 {
		q.err = errors.New("mcphub: a sampling request must say how many tokens it may take: set MaxTokens")
		return q
	}
	version := p.waitingRequest().version
	b := []byte(`{"messages":[`)
	for _, m := range req.Messages {
		b = rpc.AppendString(append(rpc.Comma(b), `{"role":`...), m.Role)
		b = append(rpc.AppendContent(append(b, `,"content":`...), &m.Content, version), '}')
	}
	b = strconv.AppendInt(append(b, `],"maxTokens":`...), int64(req.MaxTokens), 10)
	b = rpc.AppendField(b, "systemPrompt", req.System)
	if req.Temperature != nil && !rpc.IsInfOrNaN(*req.Temperature) {
		b = rpc.AppendNumber(append(b, `,"temperature":`...), *req.Temperature)
	}
	if len(req.Stop) > 0 {
		b = rpc.AppendStrings(append(b, `,"stopSequences":`...), req.Stop)
	}
	q.params = append(b, '}')
	return q
}

func (q *query) sampled() (*toolspec.SampleResult, error) {
	if q.err != nil {
		return nil, q.err
	}
	var answer struct {
		Role, Model, StopReason string
		Content                 json.RawMessage
	}
	if err := json.Unmarshal(q.result, &answer); err != nil {
		return nil, fmt.Errorf("mcphub: the client's completion is malformed: %w", err)
	}
	content, err := rpc.ParseContent(answer.Content)
	if err != nil {
		return nil, fmt.Errorf("mcphub: the client's completion: %w", err)
	}
	return &toolspec.SampleResult{SampleMessage: toolspec.SampleMessage{Role: answer.Role, Content: content},
		Model: answer.Model, StopReason: answer.StopReason}, nil
}

func (p *peer) rootsQuery() *query { return &query{method: rpc.MethodRoots, need: needRoots} }

func (q *query) rooted() ([]toolspec.Root, error) {
	if q.err != nil {
		return nil, q.err
	}
	var answer struct {
		Roots []struct{ URI, Name string }
	}
	if err := json.Unmarshal(q.result, &answer); err != nil {
		return nil, fmt.Errorf("mcphub: the client's list of roots is malformed: %w", err)
	}
	roots := make([]toolspec.Root, len(answer.Roots))
	for i, r := range answer.Roots {
		roots[i] = toolspec.Root{URI: r.URI, Name: r.Name}
	}
	return roots, nil
}
