package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/internal/ids"
	"github.com/localpass/localpass/chat/llm"
)

// apply writes an event into the record of the turn, and stores the record where
// something must not be lost: a message that is complete, a call before it runs
// and after it ran.
func (r *turnRun) apply(ctx context.Context, ev Event) {
	now := r.c.clock.Now()
	r.open.follow(ev)
	r.time.follow(ev)
	r.measure(ev, now)
	switch e := ev.(type) {
	case *RoundStarted:
		r.record.Rounds++
		r.finish = ""
		r.dropDraft()
	case *ContextBudget:
		r.record.Budget = &e.Budget
	case *TextDelta:
		r.said = true
		r.write(ctx, e.Text, now)
	case *ModelRetry:
		if e.Reset {
			r.dropDraft()
			r.dropCalls()
			r.said = slices.ContainsFunc(r.record.Messages, func(m conversation.StoredMessage) bool {
				return m.Message.Role == llm.RoleAssistant && m.Message.Text() != ""
			})
		}
	case *ToolCallStarted:
		r.record.Calls = append(r.record.Calls, conversation.StoredToolCall{ItemID: e.CallID, Name: e.Name, Type: llm.TypeFunction, Status: conversation.CallProposed,
			Round: max(r.round, 1), Index: e.Index, Created: now, Updated: now})
	case *ToolCallReady:
		if c := r.record.Call(e.CallID); c != nil {
			c.Arguments, c.Type, c.Server = e.Arguments, cmp.Or(e.CallType, llm.TypeFunction), e.Source.Server
		}
	case *ApprovalRequired:
		r.asked(ctx, e)
	case *ApprovalResolved:
		delete(r.waiting, e.CallID)
		if c := r.record.Call(e.CallID); c != nil && e.Edited != nil {
			c.Edited = e.Edited
		}
	case *ToolCallResult:
		if c := r.record.Call(e.CallID); c != nil {
			c.Result = e.Content
			if e.Result != nil {
				c.Result = e.Result.Text()
				if r.c.opts.Store != nil { // the turn may be resumed
					c.Full, _ = json.Marshal(e.Result)
				}
			}
			if e.IsError {
				c.Error = cmp.Or(string(e.Outcome), "error")
			}
		}
	case *ToolCallUpdate:
		c := r.record.Call(e.CallID)
		if c == nil || c.Move(e.Status, now) != nil {
			return
		}
		if e.Because != "" {
			c.Because = e.Because
		}
		if e.Status == conversation.CallDeclined || e.Status == conversation.CallCancelled {
			_, c.Error = e.Status.Backend(e.Reason)
		}
		if e.Status == conversation.CallInProgress || e.Status.Terminal() {
			r.saveOrWarn(ctx)
		}
	case *MessageCompleted:
		if e.Message == nil {
			return
		}
		r.dropDraft()
		m := e.Message.Clone()
		m.ID, m.TurnID, m.Created = cmp.Or(r.draftID, ids.New("m_", now)), r.id, now
		r.draftID = ""
		e.MessageID = m.ID
		e.Message = &m
		for _, result := range m.Results() { // it is in the message now
			if c := r.record.Call(result.CallID); c != nil {
				c.Full = nil
			}
		}
		for _, call := range m.ToolCalls() {
			if c := r.record.Call(call.ID); c != nil {
				c.MessageID = m.ID
			}
		}
		r.record.Messages = append(r.record.Messages, conversation.StoredMessage{Message: m, Status: e.Status, Model: r.record.Model, Thought: r.thoughtOf(&m), Updated: now})
		r.saveOrWarn(ctx)
	case *GuardSpoke:
		r.guarded(ctx, e)
	case *RoundFinished:
		r.finish = e.Finish
	}
}

// write keeps the text that the model is writing, and stores it from time to time.
func (r *turnRun) write(ctx context.Context, text string, now time.Time) {
	r.draft.WriteString(text)
	r.draftSize += len(text)
	enough := max(draftBytes, r.draft.Len()/8) // each write is of the whole turn
	if r.c.opts.Store == nil || r.draftSize < enough && now.Sub(r.flushed) < draftAfter || now.Before(r.rests) {
		return
	}
	if r.flushed.IsZero() {
		r.flushed = now // the first words are not worth a write of their own
		return
	}
	r.flushed, r.draftSize = now, 0
	if r.draftID == "" {
		r.draftID = ids.New("m_", now)
	}
	r.dropDraftMessage()
	m := llm.AssistantText(r.draft.String())
	m.ID, m.TurnID, m.Round, m.Created = r.draftID, r.id, max(r.round, 1), now
	r.record.Messages = append(r.record.Messages, conversation.StoredMessage{Message: m, Status: conversation.MessageDraft, Updated: now})
	r.saveOrWarn(ctx)
	after := r.c.clock.Now()
	r.rests = after.Add(draftRest * after.Sub(now))
}

// dropDraft drops the unfinished message: it is now complete, or void.
func (r *turnRun) dropDraft() {
	r.dropDraftMessage()
	r.draft.Reset()
	r.draftSize, r.flushed = 0, time.Time{}
}

func (r *turnRun) dropDraftMessage() {
	if n := len(r.record.Messages) - 1; n >= 0 && r.record.Messages[n].Status == conversation.MessageDraft {
		r.record.Messages = r.record.Messages[:n]
	}
}

// dropCalls drops the calls of a round that starts again.
func (r *turnRun) dropCalls() {
	n := len(r.record.Calls)
	for n > 0 && r.record.Calls[n-1].Status == conversation.CallProposed {
		n--
	}
	r.record.Calls = r.record.Calls[:n]
}

// close makes the record a history that another turn can follow: no message is a
// draft, and every call has a result.
func (r *turnRun) close(failure *llm.Error) {
	now := r.c.clock.Now()
	if text := r.draft.String(); text != "" {
		r.dropDraftMessage()
		m := llm.AssistantText(text)
		m.ID, m.TurnID, m.Round, m.Created = cmp.Or(r.draftID, ids.New("m_", now)), r.id, max(r.round, 1), now
		r.record.Messages = append(r.record.Messages, conversation.StoredMessage{Message: m, Status: conversation.MessagePartial, Updated: now})
		r.draft.Reset()
	}
	for i := range r.record.Messages { // of a program that was killed while it was written
		if m := &r.record.Messages[i]; m.Status == conversation.MessageDraft {
			m.Status = conversation.MessagePartial
		}
	}
	for i := range r.record.Calls {
		c := &r.record.Calls[i]
		switch c.Status {
		case conversation.CallInProgress:
			c.Status, c.Error, c.Updated = conversation.CallFailed, string(llm.OutcomeInterrupted), now
		case conversation.CallProposed, conversation.CallAwaiting:
			c.Status, c.Error, c.Updated = conversation.CallCancelled, string(llm.OutcomeCancelled), now
		}
	}
	r.record.AnswerOpenCalls(now)
	if n := len(r.record.Messages) - 1; failure != nil && r.record.Messages[n].Message.Role != llm.RoleAssistant {
		// The history says why there is no answer.
		m := llm.Message{ID: ids.New("m_", now), TurnID: r.id, Role: llm.RoleAssistant, Round: max(r.round, 1), Created: now}
		r.record.Messages = append(r.record.Messages, conversation.StoredMessage{Message: m, Status: conversation.MessageError, Updated: now})
	}
}

// save stores the record.
func (r *turnRun) save(ctx context.Context) error {
	if r.c.opts.Store == nil {
		return nil
	}
	r.record.Events = max(r.record.Events, r.seq)
	if err := r.c.opts.Store.SaveTurn(ctx, r.record); err != nil {
		return &llm.Error{Code: llm.CodeStore, Message: "the turn cannot be stored", Err: err}
	}
	return nil
}

// saveOrWarn stores the record. If that fails the turn continues, and the reader gets
// one warning. What was not stored is stored at the end.
func (r *turnRun) saveOrWarn(ctx context.Context) {
	if r.c.opts.Store == nil {
		return
	}
	err := r.save(context.WithoutCancel(ctx))
	if err == nil {
		return
	}
	r.c.opts.Telemetry.Log().Warn("chat: a turn could not be stored", "conversation", r.conv.ID, "turn", r.id, "error", err)
	if r.c.opts.StrictStore {
		r.fatal = &llm.Error{Code: llm.CodeStore, Message: "the turn could not be stored", Err: err}
		r.turn.Cancel(CancelNow)
		return
	}
	r.unsaved = true
}

// tellUnsaved sends one warning that storing failed. It comes after the event that
// was to be stored.
func (r *turnRun) tellUnsaved() {
	if r.unsaved && !r.warned {
		r.warned = true
		r.send(&Warned{Warning: Warning{Code: WarnArchive, Message: "the conversation cannot be stored at the moment"}})
	}
}
