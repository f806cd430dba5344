package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/clock"
)

// runningTurns holds the running turns of this client, by conversation. Without a store,
// only this prevents two turns of one conversation from running at the same time.
type runningTurns struct {
	mu   sync.Mutex
	turn map[string]*Turn // a nil Turn has not begun yet
}

// reserve records that a turn of a conversation is about to run. The error is ErrBusy.
func (r *runningTurns) reserve(convID string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, busy := r.turn[convID]; busy {
		return fmt.Errorf("%w: conversation %s", llm.ErrBusy, convID)
	}
	r.turn[convID] = nil
	return nil
}

func (r *runningTurns) set(convID string, t *Turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn[convID] = t
}

func (r *runningTurns) remove(convID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.turn, convID)
}

// get returns the running turn of a conversation, or nil.
func (r *runningTurns) get(convID string) *Turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turn[convID]
}

// lease is a turn's exclusive hold on its conversation: while it lasts, no other turn of
// the conversation runs, here or in another program.
type lease struct {
	store   conversation.Store // nil: the lease applies only within this client
	running *runningTurns
	clock   clock.Clock
	log     *slog.Logger
	owner   string        // the client
	lasts   time.Duration // after each renewal

	turn string // id of the turn
	conv string // id of the conversation
	held bool
}

// claim acquires the conversation for the turn. change may refuse, and may change the
// conversation in the same write.
func (l *lease) claim(ctx context.Context, convID string, change func(*conversation.Conversation) error) (*conversation.Conversation, error) {
	l.conv = convID
	return l.store.Update(ctx, convID, func(conv *conversation.Conversation) error {
		if err := change(conv); err != nil {
			return err
		}
		conv.Running = &conversation.RunningTurn{ID: l.turn, Owner: l.owner, Until: l.clock.Now().Add(l.lasts)}
		return conv.Move(conversation.StatusStreaming)
	})
}

// owns reports whether this turn, in this program, holds a conversation.
func (l *lease) owns(conv *conversation.Conversation) bool {
	return conv.Running != nil && conv.Running.ID == l.turn && conv.Running.Owner == l.owner
}

// errTaken says that another program now holds the conversation of a turn.
var errTaken = errors.New("chat: the conversation was taken over")

// renew renews the lease until ctx ends, and then closes done. It calls lost if the
// conversation was taken over or deleted, because two turns must not work on one
// conversation.
func (l *lease) renew(ctx context.Context, lost func()) (done chan struct{}) {
	done = make(chan struct{})
	if l.store == nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(l.lasts / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			_, err := l.store.Update(ctx, l.conv, func(conv *conversation.Conversation) error {
				if !l.owns(conv) || conv.Running.Paused {
					return errTaken
				}
				conv.Running.Until = l.clock.Now().Add(l.lasts)
				return nil
			})
			if errors.Is(err, errTaken) || errors.Is(err, llm.ErrNotFound) {
				lost()
				l.log.Warn("chat: a turn is stopped, because its conversation was taken over or deleted", "conversation", l.conv, "turn", l.turn)
				return
			}
			if err != nil && !isOver(err) {
				l.log.Warn("chat: the lease of a turn could not be renewed", "conversation", l.conv, "turn", l.turn, "error", err)
			}
		}
	}()
	return done
}

// release ends the lease, here and in the store.
func (l *lease) release(ctx context.Context, status conversation.ConversationStatus, record *conversation.TurnRecord, most int) {
	l.running.remove(l.conv)
	l.handBack(ctx, status, record, most)
}

// handBack ends the lease in the store. It sets the status of the conversation, and adds
// the messages of the turn to its count unless the turn waits; messages beyond most are
// deleted with their turns.
func (l *lease) handBack(ctx context.Context, status conversation.ConversationStatus, record *conversation.TurnRecord, most int) {
	if l.store == nil {
		return
	}
	excess := 0
	_, err := l.store.Update(ctx, l.conv, func(conv *conversation.Conversation) error {
		if !l.owns(conv) {
			return nil // another program took it over
		}
		added := len(record.Messages) - 1
		excess = max(conv.Messages+added-most, 0)
		if status == conversation.StatusPaused { // its messages are counted when it ends
			conv.Running.Paused = true
		} else {
			conv.Messages += added
			conv.Running = nil
			conv.Usage.Add(record.Usage)
		}
		return conv.Move(status)
	})
	if err == nil && excess > 0 {
		var removed int
		if removed, err = l.store.Trim(ctx, l.conv, excess); err == nil && removed > 0 {
			_, err = l.store.Update(ctx, l.conv, func(conv *conversation.Conversation) error { conv.Messages -= removed; return nil })
		}
	}
	if err != nil {
		l.log.Warn("chat: the end of a turn could not be stored", "conversation", l.conv, "turn", l.turn, "error", err)
	}
}
