package chat

import (
	"context"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// openRound is what the events of a turn have opened and not yet closed.
type openRound struct {
	round   bool
	message bool
	part    EventType       // of the part that is open; empty: none
	owed    *ToolCallResult // whose last state has not been told
}

// follow updates the state by an event.
func (o *openRound) follow(ev Event) {
	switch e := ev.(type) {
	case *RoundStarted:
		*o = openRound{round: true}
	case *RoundFinished:
		*o = openRound{}
	case *TextDelta, *ReasoningDelta, *RefusalDelta:
		o.message, o.part = true, ev.Type()
	case *TextEnd, *ReasoningEnd:
		o.part = ""
	case *ToolCallStarted:
		o.message, o.part = true, ""
	case *ToolCallResult:
		o.owed = e
	case *ToolCallUpdate:
		o.owed = nil
	case *ModelRetry:
		if e.Reset {
			o.message, o.part = false, ""
		}
	case *MessageCompleted:
		if e.Role == llm.RoleAssistant {
			o.message, o.part = false, ""
		}
	}
}

// shut sends the events that close what a failed turn left open, so that a reader
// finds each part, message, call and round closed.
func (r *turnRun) shut(ctx context.Context) {
	if !r.open.round || r.stopped {
		return
	}
	emit := func(ev Event) {
		if !r.stopped {
			r.apply(ctx, ev)
			r.send(ev)
		}
	}
	if e := r.open.owed; e != nil {
		emit(&ToolCallUpdate{CallID: e.CallID, Status: conversation.OutcomeStatus(e.Outcome, e.IsError)})
	}
	switch r.open.part {
	case EventTextDelta:
		emit(&TextEnd{})
	case EventReasoningDelta:
		emit(&ReasoningEnd{})
	}
	if r.open.message {
		text := r.draft.String()
		m := llm.Message{Role: llm.RoleAssistant, Round: max(r.round, 1), TurnID: r.id}
		if text != "" {
			m.Parts = []llm.Part{llm.Text{Text: text}}
		}
		emit(&MessageCompleted{Role: llm.RoleAssistant, Content: text, Status: conversation.MessagePartial, Message: &m})
	}
	for i := range r.record.Calls {
		c := r.record.Calls[i]
		if c.Status.Terminal() || c.Round != max(r.round, 1) {
			continue
		}
		outcome, status, notice := llm.OutcomeCancelled, conversation.CallCancelled, ToolMessageNotRun
		if c.Status == conversation.CallInProgress {
			outcome, status, notice = llm.OutcomeInterrupted, conversation.CallFailed, llm.OutcomeInterrupted
		}
		text := English(ToolMessage{Outcome: notice, Tool: c.Name})
		result := &llm.ToolResult{CallID: c.ItemID, Name: c.Name, IsError: true, Outcome: outcome, Content: []toolspec.Content{toolspec.Text(text)}}
		emit(&ToolCallResult{CallID: c.ItemID, IsError: true, Outcome: outcome, Content: text, Bytes: len(text), Result: result})
		emit(&ToolCallUpdate{CallID: c.ItemID, Status: status, Reason: string(outcome)})
	}
	emit(&RoundFinished{Finish: r.finish})
}

// allowance is the time that a turn may take, without the time that people take to
// answer.
type allowance struct {
	timer  *time.Timer // nil: there is no limit
	left   time.Duration
	since  time.Time
	asking int
}

// start begins to count, or, where asking people are waited for already, when they
// have answered.
func (a *allowance) start(limit time.Duration, asking int, over func()) {
	if limit <= 0 {
		return
	}
	a.left, a.since, a.timer, a.asking = limit, time.Now(), time.AfterFunc(limit, over), asking
	if asking > 0 {
		a.timer.Stop()
	}
}

func (a *allowance) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// follow stops the clock while a person is asked.
func (a *allowance) follow(ev Event) {
	if a.timer == nil {
		return
	}
	before := a.asking
	switch e := ev.(type) {
	case *ApprovalRequired, *InteractionRequired:
		a.asking++
	case *ApprovalResolved, *InteractionResolved:
		a.asking = max(a.asking-1, 0)
	case *ToolCallUpdate:
		if e.Status == conversation.CallInProgress {
			a.asking = 0
		}
	case *RoundFinished:
		a.asking = 0
	}
	switch {
	case before == 0 && a.asking > 0:
		if a.timer.Stop() {
			a.left -= time.Since(a.since)
		}
	case before > 0 && a.asking == 0:
		a.since = time.Now()
		a.timer.Reset(a.left)
	}
}
