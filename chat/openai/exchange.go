package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"github.com/localpass/localpass/chat/internal/rescue"
	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

const (
	// afterwards is how long a server may take to send the token usage after the finish
	// reason.
	afterwards = 5 * time.Second
	// parting is how long to wait for the end of a complete answer, so that the
	// connection can be reused.
	parting = 50 * time.Millisecond
	// mostCalls is the maximum number of calls in one answer; no real answer has that
	// many.
	mostCalls = 256
)

// warnOmitted is the code of the warning about content that the model does not support.
const warnOmitted = "content_omitted"

// generateChat makes one exchange over Chat Completions.
func (m *Model) generateChat(ctx context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		q, can := m.known(req)
		p, err := m.newPlan(req, &q, can)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, x, err := m.provider.openChat(within, p)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		r := &receiver{provider: m.provider, stream: stream, x: x, cancel: cancel, keepRaw: req.Options.KeepRaw}
		defer r.close()
		r.a = assembler{
			sink:  deltaSink{emit: func(d llm.Delta) bool { return yield(d, nil) }},
			calls: callQueue{names: p.names, newID: madeID(req.Turn, req.Round)},
		}
		for i := range p.tools {
			r.a.calls.offered = append(r.a.calls.offered, p.names.wire(p.tools[i].Name))
		}
		if q.ThinkTags {
			r.a.texts.think = &wire.Thinking{}
		}
		if q.RescueCalls && len(p.tools) > 0 && p.choice.Mode != llm.ToolNone {
			r.a.texts.rescue = rescue.New(p.tools)
		}
		p.announce(&r.a)
		if err := r.receive(ctx); err != nil && !r.a.sink.stopped {
			yield(llm.Delta{}, err)
		}
	}
}

// announce reports the changes to the request.
func (p *plan) announce(a *assembler) {
	for i := range p.adjustments {
		a.send(llm.Delta{Kind: llm.DeltaAdjusted, Adjusted: &p.adjustments[i]})
	}
	if p.omitted > 0 {
		a.send(llm.Delta{Kind: llm.DeltaWarning, Name: warnOmitted, Text: fmt.Sprintf("%d images or files were left out: the model cannot read them", p.omitted)})
	}
}

// openChat sends the request. If the server refuses a setting and names it, openChat
// sends the request again without it.
func (p *Provider) openChat(ctx context.Context, plan *plan) (*goopenai.ChatCompletionStream, *exchange, error) {
	p.refused.leaveOut(plan)
	for repeats := 0; ; repeats++ {
		x := &exchange{body: plan.encode()}
		// The library checks and encodes this request; the doer sends the body of the
		// exchange instead.
		stream, err := p.client.CreateChatCompletionStream(x.with(ctx), goopenai.ChatCompletionRequest{Model: plan.model})
		if err == nil {
			return stream, x, nil
		}
		var known *llm.Error
		if !errors.As(err, &known) {
			if ctx.Err() != nil {
				return nil, nil, err
			}
			return nil, nil, &llm.Error{Code: llm.CodeProviderRejected, Provider: p.id, Err: err}
		}
		if repeats >= mostRepeats || !p.retreatFromImages(plan, known) && !p.refused.retreat(plan, known, x.failure) {
			return nil, nil, plan.explain(known)
		}
	}
}

// receiver receives the answer.
type receiver struct {
	provider *Provider
	stream   *goopenai.ChatCompletionStream
	x        *exchange
	cancel   context.CancelFunc
	keepRaw  bool
	a        assembler
	k        chunk
}

// receive reads chunks until the answer is complete. A stream that simply ends is
// complete if it has sent a finish reason or the end marker.
func (r *receiver) receive(ctx context.Context) error {
	var late *time.Timer
	defer func() {
		if late != nil {
			late.Stop()
		}
	}()
	for !r.a.sink.stopped {
		data, err := r.stream.RecvRaw()
		if err != nil {
			switch {
			case ctx.Err() != nil:
				return wire.TransportError(ctx, r.provider.id, err, true)
			case r.x.done || r.a.end.finish != "":
				r.a.finishAnswer()
				return nil
			}
			return wire.TransportError(ctx, r.provider.id, err, true)
		}
		if err := r.k.read(data, r.a.end.id == ""); err != nil {
			return &llm.Error{Code: llm.CodeStreamBroken, Provider: r.provider.id, Retryable: true, Message: "a piece of the answer cannot be read", Err: err}
		}
		if r.k.failure != nil {
			return wire.StreamError(r.provider.id, []byte(r.provider.redact.String(string(r.k.failure))))
		}
		if r.keepRaw {
			r.a.send(llm.Delta{Kind: llm.DeltaRaw, Raw: json.RawMessage(data)})
		}
		r.a.addChunk(&r.k)
		if len(r.a.calls.slots) > mostCalls {
			return &llm.Error{Code: llm.CodeStreamBroken, Provider: r.provider.id, Message: fmt.Sprintf("the answer has more than %d calls", mostCalls)}
		}
		if failure := failedFinish(r.provider.id, r.a.end.finish); failure != nil {
			return failure
		}
		if r.a.end.finish != "" && late == nil {
			late = time.AfterFunc(afterwards, r.cancel)
		}
	}
	return nil
}

// failedFinish returns an error for a finish reason that means a failure.
func failedFinish(provider, finish string) error {
	switch finish {
	case "error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled", "timeout":
		return &llm.Error{Code: llm.CodeUnavailable, Provider: provider, Retryable: true, Message: "the provider ended the answer: " + finish}
	}
	return nil
}

// close ends the exchange. It waits briefly for the end of a complete one, so that the
// connection can be reused.
func (r *receiver) close() {
	if r.x.done && !r.a.sink.stopped {
		hurry := time.AfterFunc(parting, r.cancel)
		_, _ = io.CopyN(io.Discard, r.x.rest, 1<<10)
		hurry.Stop()
	}
	r.cancel()
	_ = r.stream.Close()
}
