package chatapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clock"
)

// carryOnAgain is the delay before the API checks again whether a turn still runs
// elsewhere.
const carryOnAgain = 500 * time.Millisecond

// carryOn continues waiting turns as soon as one of their questions is decided, by any
// user and wherever the decision is made. It ends with ctx.
func (a *API) carryOn(ctx context.Context, broker *approval.Broker) {
	a.work.Go(func() { // for decisions made while no program ran, and decisions from now on
		for conv, err := range a.store.List(ctx, conversation.ListQuery{}) {
			if err != nil {
				a.logCarryOn(ctx, "", err)
				return
			}
			if conv.Running != nil {
				a.waitFor(ctx, broker, conv)
			}
		}
	})
	a.work.Go(func() { // for turns that pause later, in other programs too
		for closed := false; ctx.Err() == nil; {
			for rec, err := range broker.Watch(ctx) {
				if err != nil {
					closed = errors.Is(err, approval.ErrClosed)
					a.logCarryOn(ctx, "", err)
					break
				}
				a.decided(ctx, broker, &rec)
			}
			if closed || clock.Sleep(ctx, carryOnAgain) != nil {
				return
			}
		}
	})
}

// waitFor waits for the questions of a turn that was already waiting when the program
// started.
func (a *API) waitFor(ctx context.Context, broker *approval.Broker, conv *conversation.Conversation) {
	turn, err := a.store.Turn(ctx, conv.ID, conv.Turns)
	if err != nil || turn.Status != "" && turn.Status != conversation.EndPaused {
		return
	}
	pending, err := a.client.PendingApprovals(ctx, turn)
	if err != nil {
		return
	}
	for _, id := range pending {
		a.work.Go(func() {
			if rec, err := broker.Wait(ctx, id); err == nil {
				a.decided(ctx, broker, &rec)
			}
		})
	}
}

// decided continues the turn whose approval request the user has decided.
func (a *API) decided(ctx context.Context, broker *approval.Broker, rec *approval.Record) {
	q := &rec.Request
	turn, _, ok := strings.Cut(q.Batch, "/")
	if !ok || q.Conversation == "" || q.Side != approval.SideChat || rec.Status != approval.StatusDecided {
		return
	}
	a.mu.Lock()
	busy := a.carrying[turn]
	if !busy {
		a.carrying[turn] = true
	}
	a.mu.Unlock()
	if busy {
		return
	}
	a.work.Go(func() {
		defer func() {
			a.mu.Lock()
			delete(a.carrying, turn)
			a.mu.Unlock()
		}()
		if err := a.carryOnWith(ctx, broker, q.Conversation, turn, q.ID); err != nil {
			a.logCarryOn(ctx, q.Conversation, err)
		}
	})
}

// carryOnWith waits until the turn is not running anywhere, and resumes it, unless its
// question was used in the meantime or the turn has ended.
func (a *API) carryOnWith(ctx context.Context, broker *approval.Broker, conversation, turn, question string) error {
	for ctx.Err() == nil {
		rec, err := broker.Get(ctx, question)
		if err != nil || rec.Status != approval.StatusDecided {
			return err // the question was used: the turn runs
		}
		conv, err := a.store.Get(ctx, conversation)
		switch {
		case errors.Is(err, llm.ErrNotFound):
			return nil
		case err != nil:
			return err
		case conv.Running == nil || conv.Running.ID != turn:
			return nil
		}
		if t, ok := a.turns.Find(turn); ok && t.Status() == "" {
			select {
			case <-t.Done(): // the turn may have paused just before the decision came
			case <-ctx.Done():
			}
			continue
		}
		wait := conv.Running.Until.Sub(a.clock.Now())
		if conv.Running.Paused || wait <= 0 {
			opts := &chat.TurnOptions{Principal: conv.Principal}
			if opts.Model, err = a.modelOfTurn(ctx, conv); err != nil {
				return err
			}
			_, err = a.turns.Resume(ctx, conversation, opts, "")
			switch {
			case err == nil:
				a.changed(ctx, conversation)
				return nil
			case errors.Is(err, ErrClosed), errors.Is(err, llm.ErrNotFound):
				return nil
			case !errors.Is(err, llm.ErrBusy) && !errors.Is(err, ErrTurnLimit):
				return err
			}
			wait = carryOnAgain
		}
		_ = clock.Sleep(ctx, min(wait, max(a.client.Options().Lease, carryOnAgain))) // the loop checks ctx
	}
	return nil
}

func (a *API) logCarryOn(ctx context.Context, conversation string, err error) {
	if ctx.Err() == nil && !errors.Is(err, approval.ErrClosed) {
		a.opts.Logger.Warn("chatapi: a turn whose question was decided does not go on: resume it", "conversation", conversation, "error", fmt.Sprint(err))
	}
}
