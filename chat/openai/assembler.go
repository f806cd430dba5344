package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/localpass/localpass/chat/internal/rescue"
	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// assembler converts the chunks of a stream to deltas, such that parts do not interleave,
// calls follow one another, and texts contain only complete characters.
type assembler struct {
	sink  deltaSink
	texts answerTexts
	calls callQueue
	end   responseEnd
}

// deltaSink passes deltas on.
type deltaSink struct {
	emit    func(llm.Delta) bool // returns false to stop
	stopped bool
	open    llm.DeltaKind // kind of the open part
}

// answerTexts assembles the text, the reasoning and the refusal of an answer.
type answerTexts struct {
	think  *wire.Thinking // nil if the text contains no thinking tags
	rescue *rescue.Holder // nil if calls are not searched for in the text
	found  []rescue.Call

	text, reasoning, refusal wire.UTF8

	blank   strings.Builder // white space before the first word
	said    bool            // a non-blank piece of the answer was sent
	refused bool
}

// callQueue assembles the calls of an answer, one after another.
type callQueue struct {
	offered []string // names of the tools on the wire
	names   *names
	newID   func(n int) string

	slots   []*slot
	next    int // index of the first slot that has not ended
	emitted int // number of calls sent

	// Text and reasoning that arrive while a call is being written wait for its end.
	lateText, lateReasoning strings.Builder
}

// responseEnd contains what is sent after the answer.
type responseEnd struct {
	id      string
	finish  string
	usage   []byte
	timings []byte
	details []json.RawMessage
}

// send sends a delta.
func (a *assembler) send(d llm.Delta) {
	if !a.sink.stopped && !a.sink.emit(d) {
		a.sink.stopped = true
	}
}

// addChunk converts one chunk to deltas.
func (a *assembler) addChunk(k *chunk) {
	if a.end.id == "" {
		a.end.id = k.id
	}
	if k.usage != nil {
		a.end.usage = k.usage
	}
	if k.timings != nil {
		a.end.timings = k.timings
	}
	for _, d := range k.details {
		a.end.details = append(a.end.details, json.RawMessage(d))
	}
	if k.reasoning != "" {
		a.thought(a.texts.reasoning.Push(k.reasoning))
	}
	if k.text != "" {
		a.content(a.texts.text.Push(k.text))
	}
	if k.refusal != "" {
		a.settle()
		a.texts.refused = true
		if text := a.texts.refusal.Push(k.refusal); text != "" {
			a.open(llm.DeltaRefusal)
			a.send(llm.Delta{Kind: llm.DeltaRefusal, Text: text})
		}
	}
	for i := range k.calls {
		a.fragment(&k.calls[i])
	}
	if k.finish != "" {
		a.end.finish = k.finish
	}
}

// content handles text of the answer, which may contain thinking tags.
func (a *assembler) content(text string) {
	if a.texts.think == nil {
		a.answer(text)
		return
	}
	reasoning, text := a.texts.think.Push(text)
	a.thought(reasoning)
	a.answer(text)
}

// answer handles text of the answer without thinking tags.
func (a *assembler) answer(text string) {
	if a.texts.rescue != nil {
		text = a.texts.rescue.Push(text)
	}
	a.say(text)
}

// thought sends a piece of reasoning.
func (a *assembler) thought(text string) {
	if text == "" {
		return
	}
	if a.busy() {
		a.calls.lateReasoning.WriteString(text)
		return
	}
	a.open(llm.DeltaReasoning)
	a.send(llm.Delta{Kind: llm.DeltaReasoning, Text: text})
}

// say sends a piece of the answer. White space before the first word is held back until
// that word, since white space before calls is not an answer.
func (a *assembler) say(text string) {
	if text == "" {
		return
	}
	if a.busy() {
		a.calls.lateText.WriteString(text)
		return
	}
	if !a.texts.said {
		if strings.TrimSpace(text) == "" {
			a.texts.blank.WriteString(text)
			return
		}
		a.texts.said = true
		text = a.texts.blank.String() + text
	}
	a.open(llm.DeltaText)
	a.send(llm.Delta{Kind: llm.DeltaText, Text: text})
}

// open begins a part, after sending what is held back of another part.
func (a *assembler) open(kind llm.DeltaKind) {
	if a.sink.open == kind {
		return
	}
	was := a.sink.open
	a.sink.open = kind
	if was == llm.DeltaReasoning {
		if text := a.texts.reasoning.Flush(); text != "" {
			a.send(llm.Delta{Kind: llm.DeltaReasoning, Text: text})
		}
	}
}

// settle ends the text before a call: it sends what is held back.
func (a *assembler) settle() {
	if text := a.texts.text.Flush(); text != "" {
		a.content(text)
	}
	if a.texts.think != nil {
		reasoning, text := a.texts.think.Flush()
		a.thought(reasoning)
		a.answer(text)
	}
	if a.texts.rescue != nil {
		text, found := a.texts.rescue.Flush()
		a.texts.found = append(a.texts.found, found...)
		a.say(text)
	}
	if text := a.texts.reasoning.Flush(); text != "" {
		a.thought(text)
	}
}

// busy reports whether a call is being written. It ends a call that is complete.
func (a *assembler) busy() bool {
	if a.calls.next < len(a.calls.slots) {
		a.pump(false)
		for a.calls.next == len(a.calls.slots)-1 && a.calls.slots[a.calls.next].started && a.calls.slots[a.calls.next].complete() {
			a.endCall(a.calls.slots[a.calls.next])
		}
	}
	if a.calls.next < len(a.calls.slots) {
		return true
	}
	a.catchUp()
	return false
}

// catchUp sends the text and reasoning that have waited for the end of a call.
func (a *assembler) catchUp() {
	reasoning, text := a.calls.lateReasoning.String(), a.calls.lateText.String()
	a.calls.lateReasoning.Reset()
	a.calls.lateText.Reset()
	a.thought(reasoning)
	if strings.TrimSpace(text) != "" {
		a.say(text)
	}
}

// finishAnswer sends what is left, and the finish reason.
func (a *assembler) finishAnswer() {
	a.settle()
	if text := a.texts.refusal.Flush(); text != "" {
		a.open(llm.DeltaRefusal)
		a.send(llm.Delta{Kind: llm.DeltaRefusal, Text: text})
	}
	a.pump(true)
	a.catchUp()
	a.rescued()
	if u := usageOf(a.end.usage, a.end.timings); u != nil {
		a.send(llm.Delta{Kind: llm.DeltaUsage, Usage: u})
	}
	if len(a.end.details) > 0 {
		if raw, err := json.Marshal(a.end.details); err == nil {
			a.send(llm.Delta{Kind: llm.DeltaState, Provider: map[string]json.RawMessage{stateDetails: raw}})
		}
	}
	a.send(llm.Delta{Kind: llm.DeltaFinish, Finish: a.reason(), ItemID: a.end.id})
}

// reason returns the finish reason. It corrects servers that end calls with the reason of
// a text, or report calls if there are none.
func (a *assembler) reason() llm.FinishReason {
	var r llm.FinishReason
	switch a.end.finish {
	case "", "stop", "end_turn", "eos", "stop_sequence", "tool_calls", "function_call", "tool_use":
		r = llm.FinishStop
	case "length", "max_tokens", "model_length":
		return llm.FinishLength
	case "content_filter", "sensitive", "safety":
		return llm.FinishContentFilter
	default:
		r = llm.FinishOther
	}
	switch {
	case a.calls.emitted > 0:
		return llm.FinishToolCalls
	case a.texts.refused && r == llm.FinishStop:
		return llm.FinishRefusal
	}
	return r
}

// usageOf reads the token usage, nil if there is none.
func usageOf(usage, timings []byte) *llm.Usage {
	var u struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
		CacheHit   int `json:"prompt_cache_hit_tokens"`     // DeepSeek
		CacheMade  int `json:"cache_creation_input_tokens"` // LiteLLM
		In         struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"` // OpenRouter
		} `json:"prompt_tokens_details"`
		Out struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if len(usage) > 0 && json.Unmarshal(usage, &u) == nil && (u.Prompt > 0 || u.Completion > 0 || u.Total > 0) {
		return &llm.Usage{Input: u.Prompt, Output: u.Completion, Total: max(u.Total, u.Prompt+u.Completion), Reasoning: u.Out.Reasoning,
			CacheRead: max(u.In.Cached, u.CacheHit), CacheWrite: max(u.In.Written, u.CacheMade)}
	}
	var t struct {
		Prompt    int `json:"prompt_n"`
		Cached    int `json:"cache_n"`
		Predicted int `json:"predicted_n"`
	}
	if len(timings) > 0 && json.Unmarshal(timings, &t) == nil && t.Predicted > 0 {
		return &llm.Usage{Input: t.Prompt + t.Cached, Output: t.Predicted, Total: t.Prompt + t.Cached + t.Predicted, CacheRead: t.Cached}
	}
	return nil
}

// madeID returns a function that creates ids for calls without one.
func madeID(turn string, round int) func(n int) string {
	return func(n int) string {
		if turn == "" {
			turn = "x"
		}
		return fmt.Sprintf("call_%s_%d_%d", turn, max(round, 1), n)
	}
}
