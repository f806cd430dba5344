package main

import (
	"errors"
	"slices"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// outcome records how a turn ended, for the exit code.
type outcome struct {
	finished *chat.TurnFinished
	failed   *chat.TurnFailed
	err      error // why the turn could not start, or failed
	refused  bool  // a call was not approved
	broken   bool  // the last result was a tool failure
}

// add records an event.
func (o *outcome) add(ev chat.Event) {
	switch e := ev.(type) {
	case *chat.ToolCallResult:
		o.refused = o.refused || e.Outcome == llm.OutcomeDeclined
		o.broken = e.IsError && e.Outcome != llm.OutcomeDeclined
	case *chat.TextDelta:
		o.broken = false
	case *chat.TurnFailed:
		o.failed = e
	case *chat.TurnFinished:
		o.finished = e
	}
}

// code returns the exit code.
func (o *outcome) code() int {
	limits := []llm.FinishReason{llm.FinishRoundLimit, llm.FinishBudget, llm.FinishLength}
	switch {
	case o.finished == nil && errors.Is(o.err, approval.ErrUnavailable):
		return exitRefused
	case o.finished == nil:
		return exitFailed
	case o.finished.Status == conversation.EndCancelled:
		return exitInterrupted
	case o.finished.Status == conversation.EndPaused:
		return exitRefused
	case o.failed != nil && (o.failed.Code == llm.CodeBudget || o.failed.Code == llm.CodeContextOverflow),
		o.finished.Status != conversation.EndFailed && slices.Contains(limits, o.finished.Finish):
		return exitLimit
	case o.broken && (o.failed == nil || o.failed.Code == llm.CodeInternal):
		return exitTool
	case o.failed != nil || o.finished.Status != conversation.EndCompleted:
		return exitFailed
	case o.refused:
		return exitRefused
	}
	return exitOK
}
