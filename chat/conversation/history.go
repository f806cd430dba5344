package conversation

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/chat/internal/ids"
	"github.com/localpass/localpass/chat/internal/toolmessage"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// History returns the messages of a turn as a model may see them: complete messages, and
// interrupted messages with content. A call whose result was not stored, because the
// program ended or the store failed, gets a result that says that its effect is unknown.
func (t *TurnRecord) History() []llm.Message {
	out := make([]llm.Message, 0, len(t.Messages))
	var open []llm.ToolCall
	for i := range t.Messages {
		m := &t.Messages[i]
		if len(open) > 0 && m.Message.Role != llm.RoleTool {
			out = append(out, llm.ToolResults(t.Results(open)...))
		}
		open = nil
		switch m.Status {
		case MessageDraft:
		case MessageFinal:
			if len(m.Message.Parts) > 0 { // an empty answer is left out
				out, open = append(out, m.Message), m.Message.ToolCalls()
			}
		case MessagePartial, MessageError:
			if m.Message.Text() != "" {
				out = append(out, m.Message)
			}
		}
	}
	if len(open) > 0 {
		out = append(out, llm.ToolResults(t.Results(open)...))
	}
	return out
}

// AnswerOpenCalls adds a message with the results of the last message's calls, if it has
// any, so that the turn passes [llm.CheckHistory]. A call without a stored result gets
// one that says that it was not run or that its effect is unknown. now is the time of the
// message.
func (t *TurnRecord) AnswerOpenCalls(now time.Time) {
	n := len(t.Messages) - 1
	if n < 0 || t.Messages[n].Message.Role != llm.RoleAssistant {
		return
	}
	calls := t.Messages[n].Message.ToolCalls()
	if len(calls) == 0 {
		return
	}
	m := llm.ToolResults(t.Results(calls)...)
	m.ID, m.TurnID, m.Round, m.Created = ids.New("m_", now), t.ID, t.Messages[n].Message.Round, now
	t.Messages = append(t.Messages, StoredMessage{Message: m, Status: MessageFinal, Updated: now})
}

// Results returns a result for each call, in order: the stored result, or one that says
// that the call was not run or that its effect is unknown.
func (t *TurnRecord) Results(calls []llm.ToolCall) []llm.ToolResult {
	out := make([]llm.ToolResult, len(calls))
	for i, c := range calls {
		if known, ok := t.Result(c.ID); ok {
			out[i] = known
			continue
		}
		outcome, text := llm.OutcomeCancelled, toolmessage.NotRun(c.Name)
		if stored := t.Call(c.ID); stored != nil && (stored.Status == CallInProgress || stored.Error == string(llm.OutcomeInterrupted)) {
			outcome, text = llm.OutcomeInterrupted, toolmessage.Interrupted(c.Name)
		}
		out[i] = llm.ToolResult{CallID: c.ID, Name: c.Name, IsError: true, Outcome: outcome,
			Content: []toolspec.Content{toolspec.Text(text)}}
	}
	return out
}

// Result returns the whole result of the newest call with an id. ok is false if the call
// has not ended, or if its result is stored in a message instead.
func (t *TurnRecord) Result(id string) (r llm.ToolResult, ok bool) {
	c := t.Call(id)
	if c == nil || !c.Status.Terminal() || len(c.Full) == 0 {
		return llm.ToolResult{}, false
	}
	if json.Unmarshal(c.Full, &r) != nil || r.CallID != id {
		return llm.ToolResult{}, false
	}
	return r, true
}
