package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/internal/wire"
)

// generateResponses makes one exchange over the Responses API.
func (m *Model) generateResponses(ctx context.Context, req *chat.ModelRequest) iter.Seq2[chat.Delta, error] {
	return func(yield func(chat.Delta, error) bool) {
		if err := m.responses(ctx, req, yield); err != nil {
			yield(chat.Delta{}, err)
		}
	}
}

// responses is the exchange. An error is for the consumer, who still listens.
func (m *Model) responses(ctx context.Context, req *chat.ModelRequest, yield func(chat.Delta, error) bool) error {
	p := m.provider
	q := m.quirksOf(req)
	t := responsesTraits{provider: p.id, model: m.name(req), vision: m.info.Capabilities.Vision, parallel: m.info.Capabilities.ParallelTools,
		reasons: len(q.Efforts) > 0, fixed: q.FixedSampling}
	effort, lower := effortFor(req.Options.Effort, q.Efforts)
	t.effort = effort
	body, told, err := responsesRequest(req, t)
	if err != nil {
		return err
	}
	if lower != nil {
		told = append(told, *lower)
	}
	told = append(told, p.not.apply(t.model, body)...)
	for i := range told {
		if !yield(chat.Delta{Kind: chat.DeltaAdjusted, Adjusted: &told[i]}, nil) {
			return nil
		}
	}
	stream, err := p.openResponses(ctx, t.model, body, yield)
	if stream == nil {
		return err
	}
	defer stream.Close()
	a := &responsesAssembler{provider: p.id, model: t.model, turn: req.Turn, round: req.Round, raw: req.Options.KeepRaw, yield: yield}
	for !a.over() {
		line, err := stream.RecvRaw()
		switch {
		case errors.Is(err, io.EOF):
			return a.broken(errors.New("the stream ended without an end"))
		case err != nil:
			return p.masked(wire.TransportError(ctx, p.id, err, true))
		}
		if err := a.take(line); err != nil {
			if a.stopped {
				return nil
			}
			return p.masked(err)
		}
	}
	return nil
}

// openResponses makes the request. What the server refuses by name is left out,
// and the request made again: before the first word nothing is lost by it. Without
// a stream and an error the consumer broke off.
func (p *Provider) openResponses(ctx context.Context, model string, body map[string]json.RawMessage, yield func(chat.Delta, error) bool) (*goopenai.ResponseStream, error) {
	for {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, &chat.Error{Code: chat.CodeInternal, Provider: p.id, Err: err}
		}
		x := &exchange{body: raw}
		stream, err := p.client.CreateResponseStream(x.with(ctx), goopenai.CreateResponseRequest{})
		if err == nil {
			return stream, nil
		}
		s, ok := refusedSetting(err, x.failure, body)
		if !ok {
			return nil, p.masked(wire.TransportError(ctx, p.id, err, false))
		}
		asked, _ := without(body, s.field) // each time one less: this ends
		p.not.add(model, s.field)
		told := s.adjustment(asked)
		if !yield(chat.Delta{Kind: chat.DeltaAdjusted, Adjusted: &told}, nil) {
			return nil, nil
		}
	}
}

// masked takes the secrets of the options out of an error: a server may repeat
// them anywhere.
func (p *Provider) masked(err error) error {
	var e *chat.Error
	if errors.As(err, &e) {
		e.Message = p.redact.String(e.Message)
	}
	return err
}
