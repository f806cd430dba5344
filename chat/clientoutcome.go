package chat

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// outcome says how the turn ended. failure is nil for one that was stopped, or
// waits.
func (r *turnRun) outcome(ctx context.Context, err error) (conversation.TurnStatus, *llm.Error) {
	var pause *PauseError
	var known *llm.Error
	switch {
	case r.fatal != nil:
		return conversation.EndFailed, r.fatal
	case errors.As(err, &pause):
		return conversation.EndPaused, nil
	case r.stopped, r.turn.Cancelled() != 0 && (err == nil || isOver(err)), ctx.Err() != nil:
		r.finish = llm.FinishCancelled
		return conversation.EndCancelled, nil
	case err == nil && r.finish == llm.FinishRoundLimit, err == nil && r.finish == llm.FinishLength && !r.said:
		return conversation.EndIncomplete, nil
	case err == nil:
		return conversation.EndCompleted, nil
	case errors.Is(context.Cause(r.within), errOverdue):
		known = &llm.Error{Code: llm.CodeBudget, Message: fmt.Sprintf("the turn may take %v", r.turn.Policy().Deadline), Err: err}
	case errors.As(err, &known):
		own := *known
		if own.Err == nil || err != error(known) {
			own.Err = err
			if err == error(known) {
				own.Err = nil
			}
		}
		known = &own
	default:
		known = &llm.Error{Code: llm.CodeInternal, Err: err}
	}
	if known.Code == llm.CodeBudget {
		r.finish = llm.FinishBudget
	}
	switch known.Code {
	case llm.CodeStreamBroken, llm.CodeProviderTimeout:
		if r.said {
			return conversation.EndIncomplete, known
		}
	case llm.CodeBudget:
		return conversation.EndIncomplete, known
	}
	return conversation.EndFailed, known
}
