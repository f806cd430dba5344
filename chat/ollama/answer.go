package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/localpass/localpass/chat/internal/rescue"
	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// answer converts the frames of one exchange to deltas.
type answer struct {
	b     *builder
	body  io.ReadCloser
	yield func(llm.Delta, error) bool

	tags    wire.Thinking // for models that write their thinking into the text
	thought bool          // the server sends thinking separately
	rescuer *rescue.Holder
	found   []rescue.Call
	calls   int
	ids     map[string]bool
	finish  llm.FinishReason
	usage   *llm.Usage
	stopped bool // the consumer has stopped reading
	done    bool // the last frame was read
}

func newAnswer(b *builder, resp *http.Response) *answer {
	a := &answer{b: b, body: resp.Body}
	if b.model.quirks.RescueToolCalls && len(b.body.Tools) > 0 {
		a.rescuer = rescue.New(b.req.Tools)
	}
	return a
}

func (a *answer) out(d llm.Delta) bool {
	if !a.stopped && !a.yield(d, nil) {
		a.stopped = true
	}
	return !a.stopped
}

// run reads all frames. It returns nil with stopped set if the consumer stopped reading.
func (a *answer) run() error {
	for i := range a.b.adjusted {
		if !a.out(llm.Delta{Kind: llm.DeltaAdjusted, Adjusted: &a.b.adjusted[i]}) {
			return nil
		}
	}
	for _, why := range a.b.omitted {
		if !a.out(llm.Delta{Kind: llm.DeltaWarning, Name: warnImageOmitted, Text: why}) {
			return nil
		}
	}
	in := newFrames(a.body)
	var f frame
	for !a.done {
		line, err := in.next(&f)
		if err != nil {
			return a.cut(err)
		}
		if len(f.Error) > 0 && !bytes.Equal(f.Error, []byte("null")) {
			return wire.StreamError(a.b.model.p.opts.ID, line)
		}
		if a.b.req.Options.KeepRaw && !a.out(llm.Delta{Kind: llm.DeltaRaw, Raw: bytes.Clone(line)}) {
			return nil
		}
		if !a.addFrame(&f) {
			return nil
		}
	}
	a.last()
	return nil
}

// cut returns the error for a body that ends before the last frame.
func (a *answer) cut(err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("the server ended the answer without its last frame")
	}
	return a.b.model.p.broken(err)
}

// addFrame converts a frame to deltas, and reports whether to continue.
func (a *answer) addFrame(f *frame) bool {
	m := &f.Message
	if m.Thinking != "" {
		a.thought = true
		if !a.out(llm.Delta{Kind: llm.DeltaReasoning, Text: m.Thinking}) {
			return false
		}
	}
	if m.Content != "" && !a.text(m.Content) {
		return false
	}
	if len(m.ToolCalls) > 0 {
		if !a.flush() {
			return false
		}
		for i := range m.ToolCalls {
			c := &m.ToolCalls[i]
			if !a.call(c.ID, c.Function.Name, callArguments(c.Function.Arguments)) {
				return false
			}
		}
	}
	if f.Done {
		a.done = true
		a.finish = finishOf(f.DoneReason)
		a.usage = a.count(f)
	}
	return true
}

// text handles a piece of the answer, and reports whether to continue.
func (a *answer) text(s string) bool {
	if !a.thought {
		reasoning, said := a.tags.Push(s)
		if reasoning != "" && !a.out(llm.Delta{Kind: llm.DeltaReasoning, Text: reasoning}) {
			return false
		}
		s = said
	}
	return a.say(s)
}

func (a *answer) say(s string) bool {
	if a.rescuer != nil {
		s = a.rescuer.Push(s)
	}
	return s == "" || a.out(llm.Delta{Kind: llm.DeltaText, Text: s})
}

// flush sends text that was held back, since no further text belongs to it.
func (a *answer) flush() bool {
	reasoning, said := a.tags.Flush()
	if reasoning != "" && !a.out(llm.Delta{Kind: llm.DeltaReasoning, Text: reasoning}) || !a.say(said) {
		return false
	}
	if a.rescuer == nil {
		return true
	}
	text, found := a.rescuer.Flush()
	a.found = append(a.found, found...)
	return text == "" || a.out(llm.Delta{Kind: llm.DeltaText, Text: text})
}

// rescued sends the calls that the model printed as text. If the server also sent regular
// calls, the printed ones stay text, since the model may have made the same calls twice.
func (a *answer) rescued() bool {
	made := a.calls > 0
	for _, c := range a.found {
		if made {
			if c.Block != "" && !a.out(llm.Delta{Kind: llm.DeltaText, Text: c.Block}) {
				return false
			}
			continue
		}
		if !a.out(llm.Delta{Kind: llm.DeltaWarning, Name: warnRescued, Text: fmt.Sprintf("the model printed its call of %s as text", c.Name)}) ||
			!a.call("", c.Name, string(c.Arguments)) {
			return false
		}
	}
	return true
}

// last sends the final deltas of the answer.
func (a *answer) last() {
	if !a.flush() || !a.rescued() {
		return
	}
	if a.usage != nil && !a.out(llm.Delta{Kind: llm.DeltaUsage, Usage: a.usage}) {
		return
	}
	if a.calls > 0 { // the server reports the same reason for calls and text, and sends only complete calls
		a.finish = llm.FinishToolCalls
	}
	a.out(llm.Delta{Kind: llm.DeltaFinish, Finish: a.finish})
}

// call sends one call; calls are always complete.
func (a *answer) call(id, name, arguments string) bool {
	n := a.calls
	a.calls++
	if id == "" || a.ids[id] {
		for i := n; id == "" || a.ids[id]; i++ {
			id = fmt.Sprintf("call_%s_%d_%d", a.b.req.Turn, max(a.b.req.Round, 1), i)
		}
	}
	if a.ids == nil {
		a.ids = map[string]bool{}
	}
	a.ids[id] = true
	return a.out(llm.Delta{Kind: llm.DeltaToolStart, CallID: id, Name: name, Index: n}) &&
		a.out(llm.Delta{Kind: llm.DeltaToolArgs, CallID: id, Text: arguments, Index: n}) &&
		a.out(llm.Delta{Kind: llm.DeltaToolEnd, CallID: id, Index: n})
}

// callArguments returns arguments as text. Ollama sends an object; compatible servers may
// send the object as text.
func callArguments(raw json.RawMessage) string {
	var text string
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return "{}"
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		if strings.TrimSpace(text) == "" {
			return "{}"
		}
		return text
	}
	return string(raw)
}

func finishOf(reason string) llm.FinishReason {
	switch reason {
	case "stop":
		return llm.FinishStop
	case "length":
		return llm.FinishLength
	}
	return llm.FinishOther // load, unload, or nothing
}

// count returns the usage in the last frame. If the server counts nothing, the caller
// estimates the usage. The server may not count a prompt that was entirely in its cache.
func (a *answer) count(f *frame) *llm.Usage {
	if f.PromptEvalCount <= 0 && f.EvalCount <= 0 {
		return nil
	}
	u := &llm.Usage{Input: max(f.PromptEvalCount, 0), Output: max(f.EvalCount, 0)}
	if u.Input == 0 {
		for i := range a.b.req.Messages {
			u.Input += llm.EstimateTokens(&a.b.req.Messages[i])
		}
		u.Estimated = true
	}
	u.Total = u.Input + u.Output
	return u
}
