package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
)

// outlet is where the messages that belong to one request go: the event stream
// that answers a POST, or the one output of stdio.
type outlet interface {
	// send writes one message. When it returns the message stands before
	// anything that is sent later, the answer included.
	send(message []byte) error
	// alive writes something that is no message, so that whoever stands between
	// does not take a quiet connection for a dead one.
	alive() error
}

// peer reaches back to the client that made one call.
type peer struct {
	x *exchange

	mu       sync.Mutex
	dead     bool
	progress bool // at least one was sent
	done     float64
	gate     gatePhase
}

var _ toolspec.Peer = (*peer)(nil)

// die ends the peer with its call.
func (p *peer) die() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
}

// send writes one message of the call. It holds the lock while it writes, so
// that nothing of a call can come after its end.
func (p *peer) send(message []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(message)
}

func (p *peer) write(message []byte) error {
	if p.dead {
		return fmt.Errorf("mcphub: a message after the call returned: %w", toolspec.ErrClosed)
	}
	if p.x.out == nil {
		return p.lacks("messages before an answer: it accepts no event stream")
	}
	return p.x.out.send(message)
}

func (p *peer) lacks(what string) error {
	return fmt.Errorf("mcphub: the client takes no %s: %w", what, errors.ErrUnsupported)
}

func (p *peer) Progress(ctx context.Context, progress toolspec.Progress) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.x.msg.progressToken == nil {
		return p.lacks("progress: it sent no progress token")
	}
	if unreal(progress.Done) || unreal(progress.Total) {
		return fmt.Errorf("mcphub: progress %v of %v is no number", progress.Done, progress.Total)
	}
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), p.x.msg.progressToken...)
	b = appendNumber(append(b, `,"progress":`...), progress.Done)
	if progress.Total > 0 {
		b = appendNumber(append(b, `,"total":`...), progress.Total)
	}
	b = append(appendField(b, "message", progress.Message), "}}"...)

	// Under the lock, so that two goroutines of a tool cannot overtake each
	// other between the check and the write.
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.progress && progress.Done <= p.done {
		return fmt.Errorf("mcphub: progress must grow: %v comes after %v", progress.Done, p.done)
	}
	if err := p.write(b); err != nil {
		return err
	}
	p.progress, p.done = true, progress.Done
	return nil
}

func unreal(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }

func (p *peer) Log(ctx context.Context, m toolspec.LogMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	level := parseLevel(m.Level)
	switch {
	case level == logNone:
		return fmt.Errorf("mcphub: %q is no log level: use debug, info, notice, warning, error, critical, alert or emergency", m.Level)
	case len(m.Data) > 0 && !validJSON(m.Data):
		return errors.New("mcphub: the data of a log message must be JSON")
	case p.x.level == logNone:
		return p.lacks("log messages: it asked for none")
	case level < p.x.level:
		return nil
	}
	b := appendString([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":`), m.Level)
	b = append(appendField(b, "logger", m.Logger), `,"data":`...)
	if len(m.Data) == 0 {
		b = append(b, "null"...)
	}
	return p.send(append(appendRaw(b, m.Data), "}}"...))
}

// ask sends a request to the client on behalf of the call. Since 2026-07-28
// there are no such requests: a server then asks by ending the call with
// questions and being called again, which a Peer, that waits in the middle of a
// running tool, cannot do.
func (p *peer) ask(ctx context.Context, what string, able bool, method string, params []byte) (json.RawMessage, error) {
	if p.x.task == nil && p.x.session == nil || !able {
		return nil, p.lacks(what)
	}
	// The question ends with the call, also for a tool that asks from a
	// goroutine with a context of its own.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.x.ctx, cancel)()
	if p.x.task != nil {
		return p.x.task.ask(ctx, method, params)
	}
	return p.x.session.ask(ctx, p.send, method, params)
}

func (p *peer) Elicit(ctx context.Context, req *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	if err := p.askAtGate(req); err != nil {
		return nil, err
	}
	able, b := p.x.caps.form, []byte(`{`)
	if req.URL != "" {
		able = p.x.caps.url
		b = append(b, `"mode":"url","url":`...)
		b = appendString(b, req.URL)
		b = appendField(b, "elicitationId", clock.Clock{}.ID())
	} else {
		schema := req.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		} else if !validJSON(schema) {
			return nil, errors.New("mcphub: the schema of a question must be JSON")
		}
		b = appendRaw(append(b, `"requestedSchema":`...), schema)
	}
	b = appendString(append(b, `,"message":`...), req.Message)
	raw, err := p.ask(ctx, "questions of this kind", able, string(mcp.MethodElicitationCreate), append(b, '}'))
	if err != nil {
		return nil, err
	}
	answer := parseElicited(raw)
	switch answer.Action {
	case toolspec.ElicitAccept:
		return &answer, nil
	case toolspec.ElicitDecline, toolspec.ElicitCancel:
		answer.Content = nil // only accept carries content
		return &answer, nil
	}
	return nil, fmt.Errorf("mcphub: the client answered a question with the unknown action %q", answer.Action)
}

func (p *peer) Sample(ctx context.Context, req *toolspec.SampleRequest) (*toolspec.SampleResult, error) {
	if req.MaxTokens <= 0 {
		return nil, errors.New("mcphub: a sampling request must say how many tokens it may take: set MaxTokens")
	}
	b := []byte(`{"messages":[`)
	for i, m := range req.Messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(b, `{"role":`...), m.Role)
		b = append(appendContent(append(b, `,"content":`...), &m.Content, p.x.version), '}')
	}
	b = strconv.AppendInt(append(b, `],"maxTokens":`...), int64(req.MaxTokens), 10)
	b = appendField(b, "systemPrompt", req.System)
	if req.Temperature != nil && !unreal(*req.Temperature) {
		b = appendNumber(append(b, `,"temperature":`...), *req.Temperature)
	}
	if len(req.Stop) > 0 {
		b = appendStrings(append(b, `,"stopSequences":`...), req.Stop)
	}
	raw, err := p.ask(ctx, "sampling requests", p.x.caps.sampling, string(mcp.MethodSamplingCreateMessage), append(b, '}'))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Role, Model, StopReason string
		Content                 json.RawMessage
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("mcphub: the client's completion is malformed: %w", err)
	}
	content, err := parseContent(answer.Content)
	if err != nil {
		return nil, err
	}
	return &toolspec.SampleResult{SampleMessage: toolspec.SampleMessage{Role: answer.Role, Content: content},
		Model: answer.Model, StopReason: answer.StopReason}, nil
}

func (p *peer) Roots(ctx context.Context) ([]toolspec.Root, error) {
	raw, err := p.ask(ctx, "roots requests", p.x.caps.roots, string(mcp.MethodListRoots), nil)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Roots []struct{ URI, Name string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("mcphub: the client's list of roots is malformed: %w", err)
	}
	roots := make([]toolspec.Root, len(answer.Roots))
	for i, r := range answer.Roots {
		roots[i] = toolspec.Root{URI: r.URI, Name: r.Name}
	}
	return roots, nil
}
