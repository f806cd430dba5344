package chat

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

// Recover finds conversations whose program ended in the middle of a turn, and returns
// their ids. A conversation that waits for a decision becomes PAUSED; any other becomes
// INCOMPLETE, and everything open in it is closed. [Client.Resume] continues both. Turns
// of running programs are not changed; a killed program counts as running until its lease
// has expired.
func (c *Client) Recover(ctx context.Context) (paused, incomplete []string, err error) {
	if c.opts.Store == nil {
		return nil, nil, nil
	}
	var failed []error
	for conv, err := range c.opts.Store.List(ctx, conversation.ListQuery{}) {
		if err != nil {
			return paused, incomplete, err
		}
		if conv.Status != conversation.StatusStreaming || conv.Running == nil || conv.Running.Until.After(c.clock.Now()) {
			continue
		}
		waits, err := c.recover(ctx, conv)
		switch {
		case err != nil:
			failed = append(failed, err)
		case waits:
			paused = append(paused, conv.ID)
		default:
			incomplete = append(incomplete, conv.ID)
		}
	}
	return paused, incomplete, errors.Join(failed...)
}

func (c *Client) recover(ctx context.Context, conv *conversation.Conversation) (waits bool, err error) {
	added, next := 0, conversation.StatusIncomplete
	turn, err := c.opts.Store.Turn(ctx, conv.ID, conv.Turns)
	switch {
	case errors.Is(err, llm.ErrNotFound): // it ended before it had started
	case err != nil:
		return false, err
	case turn.Status != "" && turn.Status != conversation.EndPaused: // it had ended, but its conversation was not updated
		added, next = len(turn.Messages)-1, turn.Status.Conversation()
	default:
		cp, err := c.waiting(ctx, turn)
		if waits = err == nil && cp != nil; !waits {
			if added, err = c.closeLost(ctx, turn); err != nil {
				return false, err
			}
		}
	}
	lost := conv.Running.ID
	_, err = c.opts.Store.Update(ctx, conv.ID, func(conv *conversation.Conversation) error {
		if conv.Running == nil || conv.Running.ID != lost || conv.Running.Until.After(c.clock.Now()) {
			return fmt.Errorf("%w: turn %s was taken up meanwhile", llm.ErrBusy, lost)
		}
		if waits {
			conv.Running.Paused = true
			return conv.Move(conversation.StatusPaused)
		}
		conv.Messages += added
		conv.Running = nil
		return conv.Move(next)
	})
	return waits, err
}

// closeLost closes a turn whose program has ended, and returns how many messages the turn
// has in addition to its question.
func (c *Client) closeLost(ctx context.Context, turn *conversation.TurnRecord) (added int, err error) {
	(&turnRecord{TurnRecord: turn}).close(c.clock.Now(), false)
	turn.Status, turn.Finish, turn.Ended = conversation.EndIncomplete, llm.FinishCancelled, c.clock.Now()
	return len(turn.Messages) - 1, c.opts.Store.SaveTurn(ctx, turn)
}

// abandon closes a turn that was never resumed, because its conversation continues
// without it. Such a turn may be stored as paused, if its conversation could not be. A turn that cannot be closed is treated as closed when it is read.
func (c *Client) abandon(ctx context.Context, convID string, seq int) {
	turn, err := c.opts.Store.Turn(ctx, convID, seq)
	if err == nil && (turn.Status == "" || turn.Status == conversation.EndPaused) {
		var added int
		if added, err = c.closeLost(ctx, turn); err == nil {
			_, err = c.opts.Store.Update(ctx, convID, func(conv *conversation.Conversation) error { conv.Messages += added; return nil })
		}
		if err == nil {
			err = c.opts.Store.DeleteCheckpoint(ctx, convID, turn.ID)
		}
	}
	if err != nil && !errors.Is(err, llm.ErrNotFound) {
		c.log().Warn("chat: a turn whose program is gone could not be closed", "conversation", convID, "seq", seq, "error", err)
	}
}
