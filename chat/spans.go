package chat

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/observe/genai"
)

// errorType is the word that a span has for a failure: a code, "cancelled" for what
// was stopped, "timeout" for what ran out of time.
func errorType(err error) string {
	var known *llm.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return string(known.Code)
	case errors.Is(err, context.Canceled):
		return spanCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return string(llm.CodeOf(err))
}

const spanCancelled = "cancelled"

// startSpan begins the span of the turn, the root of all that follows from it.
func (r *turnRun) startSpan(ctx context.Context) context.Context {
	if !r.c.opts.Telemetry.Enabled() {
		return ctx
	}
	ctx, r.span = r.c.opts.Telemetry.StartTurn(ctx, genai.Turn{Agent: r.conv.Preset, ID: r.id, Conversation: r.conv.ID,
		Provider: r.info.Provider, Model: cmp.Or(r.req.Options.Model, r.info.Name), Resumed: r.resumed, Began: r.began})
	return ctx
}

// guarded counts a call that was answered in place of its tool.
func (r *turnRun) guarded(ctx context.Context, e *GuardSpoke) {
	r.c.opts.Telemetry.LoopGuard(ctx, string(e.Outcome))
	r.span.Set(genai.KeyLoopGuard, string(e.Outcome))
	r.span.Note(genai.KeyLoopGuard, genai.KeyOutcome, string(e.Outcome))
}

// endSpan ends the span of the turn, which took as long as its reader is told.
func (r *turnRun) endSpan(ctx context.Context, status conversation.TurnStatus, failure *llm.Error, took time.Duration) {
	if r.span == nil {
		return
	}
	outcome, kind := "ok", ""
	var err error
	switch {
	case failure != nil:
		outcome, kind, err = "error", string(failure.Code), failure
	case status == conversation.EndCancelled:
		outcome, kind = spanCancelled, spanCancelled
	case status == conversation.EndPaused:
		outcome = "paused"
	}
	used := r.turn.Usage()
	r.span.Set(genai.KeyOutcome, outcome)
	r.span.SetInt(genai.KeyLoopRounds, int64(r.record.Rounds))
	r.span.SetInt(genai.KeyLoopToolCalls, int64(len(r.record.Calls)))
	r.span.SetInt(genai.KeyTurnInputTokens, int64(used.Input))
	r.span.SetInt(genai.KeyTurnOutputTokens, int64(used.Output))
	r.span.Lasted(took)
	r.span.End(ctx, kind, err)
	r.span = nil
}

// callSpan is the span of a model call. It sees the events on their way out.
type callSpan struct {
	tel     *genai.Telemetry
	op      *genai.Op
	call    *modelCall
	yield   func(Event, error) bool
	model   string
	begun   bool // the model has started to answer
	whole   bool // the round has ended
	retries int64
	err     error
}

// trace follows the call in a span. end is to be called when the call is over,
// with the context that trace returned.
func (c *modelCall) trace(ctx context.Context) (within context.Context, end func()) {
	s := &callSpan{tel: c.req.Telemetry, call: c, yield: c.out.yield, model: cmp.Or(c.req.Options.Model, c.info.Name)}
	output := "text"
	if c.req.Format != nil {
		output = "json"
	}
	ctx, s.op = s.tel.StartModel(ctx, genai.ModelCall{Provider: c.info.Provider, Model: s.model, Conversation: c.req.Conversation.ID, Round: c.round(), Output: output})
	s.settings(&c.req.Options)
	c.out.yield = func(ev Event, err error) bool {
		s.see(ctx, ev, err)
		return s.yield(ev, err)
	}
	return ctx, func() { s.endSpan(ctx) }
}

func (s *callSpan) settings(o *llm.Options) {
	for _, n := range []struct {
		key   string
		value *float64
	}{{genai.KeyTemperature, o.Temperature}, {genai.KeyTopP, o.TopP}} {
		if n.value != nil {
			s.op.SetFloat(n.key, *n.value)
		}
	}
	for _, n := range []struct {
		key   string
		value *int
	}{{genai.KeyTopK, o.TopK}, {genai.KeyMaxTokens, o.MaxTokens}, {genai.KeySeed, o.Seed}} {
		if n.value != nil {
			s.op.SetInt(n.key, int64(*n.value))
		}
	}
}

func (s *callSpan) see(ctx context.Context, ev Event, err error) {
	s.err = err
	switch e := ev.(type) {
	case *TextDelta, *ReasoningDelta, *RefusalDelta, *ToolCallStarted:
		if !s.begun {
			s.begun = true
			s.op.FirstChunk(ctx)
		}
	case *ModelRetry:
		s.retries++
		s.op.Note(genai.NoteRetry, "", "")
		s.tel.Retried(ctx, s.call.info.Provider, s.model)
	case *UsageReported:
		u := &e.RoundUsage
		s.op.Usage(ctx, genai.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning, Estimated: u.Estimated})
	case *RoundFinished:
		s.whole = true
		if e.Finish != "" {
			s.op.SetStrings(genai.KeyFinishReasons, string(e.Finish))
		}
	}
}

func (s *callSpan) endSpan(ctx context.Context) {
	kind := errorType(s.err)
	if s.err == nil && !s.whole { // the consumer stopped reading, or the model panicked
		kind = spanCancelled
	}
	if s.retries > 0 {
		s.op.SetInt(genai.KeyModelRetries, s.retries)
	}
	if kind == string(llm.CodeStreamBroken) {
		s.tel.Broken(ctx, s.call.info.Provider, s.model)
	}
	s.op.End(ctx, kind, s.err)
}
