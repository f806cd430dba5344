package chat

import (
	"time"

	"github.com/localpass/localpass/chat/llm"
)

// measure notes how long the model took: until it began to speak, and to think.
func (r *turnRun) measure(ev Event, now time.Time) {
	switch e := ev.(type) {
	case *RoundStarted:
		r.thought = nil
	case *ModelRetry:
		if e.Reset {
			r.thought = nil
		}
	case *ReasoningEnd:
		r.thought = append(r.thought, e.Millis)
	}
	if r.record.FirstMillis != 0 {
		return
	}
	switch ev.(type) {
	case *ReasoningDelta, *TextDelta, *RefusalDelta, *ToolCallStarted:
		r.record.FirstMillis = max(now.Sub(r.began).Milliseconds(), 1)
	}
}

// thoughtOf is how long the stretches of reasoning took that a message holds.
func (r *turnRun) thoughtOf(m *llm.Message) []int64 {
	if m.Role != llm.RoleAssistant {
		return nil
	}
	n := 0
	for _, p := range m.Parts {
		if t, ok := p.(llm.Reasoning); ok && t.Text != "" {
			n++
		}
	}
	took := r.thought
	r.thought = nil
	if n != len(took) { // an advisor replaced the message
		return nil
	}
	return took
}
