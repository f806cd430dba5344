package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec"
)

// model is a demonstration model.
type model struct {
	info llm.ModelInfo
	pace time.Duration
	last atomic.Pointer[box] // cached, since most requests have the same tools as the previous one
}

// box returns the tools, prepared for ranking.
func (m *model) box(defs []toolspec.Definition) *box {
	b := m.last.Load()
	if !b.holds(defs) {
		b = newBox(defs)
		m.last.Store(b)
	}
	return b
}

var _ llm.Model = (*model)(nil)

func (m *model) Info() llm.ModelInfo { return m.info }

func (m *model) Generate(ctx context.Context, req *llm.ModelRequest) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		w := &writer{ctx: ctx, pace: m.pace, yield: yield, budget: -1}
		if req.Options.MaxTokens != nil {
			w.budget = *req.Options.MaxTokens
		}
		defer w.close()
		if m.write(w, req) || w.gone {
			return
		}
		yield(llm.Delta{}, w.err)
	}
}

// write writes an answer, and reports whether it is complete.
func (m *model) write(w *writer, req *llm.ModelRequest) bool {
	if w.err = w.ctx.Err(); w.err != nil {
		return false
	}
	for _, a := range ignored(&req.Options) {
		if !w.put(llm.Delta{Kind: llm.DeltaAdjusted, Adjusted: &a}) {
			return false
		}
	}
	question := ""
	for i := range req.Messages {
		if req.Messages[i].Role == llm.RoleUser {
			question, _ = lastText(&req.Messages[i])
		}
	}
	if strings.EqualFold(strings.TrimSpace(question), "fail") {
		w.err = &llm.Error{Code: llm.CodeUnavailable, Provider: ProviderID, Message: "the demonstration was asked to fail"}
		return false
	}
	s := m.decide(req)
	finish := llm.FinishStop
	thoughts := thoughtsFor(s, req.Options.Effort, question)
	whole := w.words(llm.DeltaReasoning, thoughts)
	switch {
	case !whole:
	case len(s.calls) > 0:
		finish = llm.FinishToolCalls
		for i, c := range s.calls {
			if !w.call(req, i, c) {
				return false
			}
		}
	default:
		whole = w.words(llm.DeltaText, cutAt(s.text, req.Options.Stop))
	}
	if w.err != nil || w.gone {
		return false
	}
	if !whole {
		finish = llm.FinishLength
	}
	in := 0
	for i := range req.Messages {
		in += llm.EstimateTokens(&req.Messages[i])
	}
	for i := range req.Tools {
		in += llm.EstimateText(req.Tools[i].Name + req.Tools[i].Description + string(req.Tools[i].InputSchema))
	}
	u := &llm.Usage{Input: in, Output: w.written, Total: in + w.written, Reasoning: w.reasoned, Estimated: true}
	return w.put(llm.Delta{Kind: llm.DeltaUsage, Usage: u}) && w.put(llm.Delta{Kind: llm.DeltaFinish, Finish: finish})
}

// thoughtsFor returns the reasoning to show at an effort.
func thoughtsFor(s *step, effort llm.Effort, question string) string {
	if len(s.thoughts) == 0 {
		s.thoughts = []string{"There is no tool to choose."}
	}
	most := 0
	switch effort {
	case llm.EffortLow:
		most = 1
	case llm.EffortMedium:
		most = 3
	case llm.EffortHigh, llm.EffortMax:
		most = len(s.thoughts)
	case llm.EffortDefault:
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(question)), "think first") {
			most = len(s.thoughts)
		}
	}
	return strings.Join(s.thoughts[:min(most, len(s.thoughts))], "\n")
}

// ignored returns an adjustment for each setting that has no effect here.
func ignored(o *llm.Options) (all []llm.Adjustment) {
	add := func(name, asked string) {
		all = append(all, llm.Adjustment{Name: name, Asked: asked, Reason: "the demonstration follows rules, and samples nothing"})
	}
	for _, f := range []struct {
		name  string
		value *float64
	}{{"temperature", o.Temperature}, {"topP", o.TopP}, {"frequencyPenalty", o.FrequencyPenalty}, {"presencePenalty", o.PresencePenalty}} {
		if f.value != nil {
			add(f.name, strconv.FormatFloat(*f.value, 'g', -1, 64))
		}
	}
	for _, n := range []struct {
		name  string
		value *int
	}{{"topK", o.TopK}, {"seed", o.Seed}} {
		if n.value != nil {
			add(n.name, strconv.Itoa(*n.value))
		}
	}
	if len(o.Overlay) > 0 && string(o.Overlay) != "{}" && json.Valid(o.Overlay) {
		add("overlay", clip.Bytes(string(o.Overlay), 80))
	}
	return all
}

// cutAt cuts a text before the first stop sequence in it.
func cutAt(text string, stops []string) string {
	for _, stop := range stops {
		if at := strings.Index(text, stop); at >= 0 && stop != "" {
			text = text[:at]
		}
	}
	return text
}

// writer sends deltas, word by word.
type writer struct {
	ctx      context.Context
	pace     time.Duration
	timer    *time.Timer
	yield    func(llm.Delta, error) bool
	budget   int // in tokens; negative means no limit
	written  int // tokens
	reasoned int // tokens of reasoning, included in written
	gone     bool
	err      error
}

func (w *writer) close() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// put sends a delta, and reports whether to continue.
func (w *writer) put(d llm.Delta) bool {
	if w.err = w.ctx.Err(); w.err != nil {
		return false
	}
	w.gone = !w.yield(d, nil)
	return !w.gone
}

// wait waits for the time between two words.
func (w *writer) wait() bool {
	if w.pace <= 0 {
		return true
	}
	if w.timer == nil {
		w.timer = time.NewTimer(w.pace)
	} else {
		w.timer.Reset(w.pace)
	}
	select {
	case <-w.timer.C:
		return true
	case <-w.ctx.Done():
		w.err = w.ctx.Err()
		return false
	}
}

// words writes a text. It returns false if the token limit, the context or the reader
// ended it.
func (w *writer) words(kind llm.DeltaKind, text string) bool {
	text = strings.ToValidUTF8(text, "\ufffd")
	before := w.written
	for n := 0; text != ""; n++ {
		end := strings.IndexAny(strings.TrimLeft(text, " \n"), " \n")
		if end < 0 {
			end = len(text)
		} else {
			end += len(text) - len(strings.TrimLeft(text, " \n"))
		}
		cost := llm.EstimateText(text[:end])
		if w.budget >= 0 && w.written+cost > w.budget {
			return false
		}
		if n > 0 && !w.wait() || !w.put(llm.Delta{Kind: kind, Text: text[:end]}) {
			return false
		}
		w.written += cost
		text = text[end:]
	}
	if kind == llm.DeltaReasoning {
		w.reasoned += w.written - before
	}
	return true
}

// pieceBytes is the size of the pieces in which the arguments of a call are sent.
const pieceBytes = 12

func (w *writer) call(req *llm.ModelRequest, index int, c call) bool {
	id := fmt.Sprintf("call_%s_%d_%d", req.Turn, req.Round, index)
	if !w.put(llm.Delta{Kind: llm.DeltaToolStart, Index: index, CallID: id, Name: c.name}) {
		return false
	}
	for rest := string(c.arguments); rest != ""; {
		end := min(pieceBytes, len(rest))
		for end < len(rest) && !utf8.RuneStart(rest[end]) {
			end++
		}
		if !w.wait() || !w.put(llm.Delta{Kind: llm.DeltaToolArgs, Index: index, CallID: id, Text: rest[:end]}) {
			return false
		}
		rest = rest[end:]
	}
	w.written += llm.EstimateText(c.name + string(c.arguments))
	return w.put(llm.Delta{Kind: llm.DeltaToolEnd, Index: index, CallID: id})
}
