package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/internal/ids"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/observe/genai"
)

// turnRun is one turn of a client, from the question to its end.
type turnRun struct {
	c     *Client
	id    string
	opts  *TurnOptions
	model llm.Model
	info  llm.ModelInfo
	conv  *conversation.Conversation
	turn  *Turn
	req   *Request
	began time.Time
	yield func(Event, error) bool

	record   *conversation.TurnRecord
	seq      int64
	round    int
	finish   llm.FinishReason
	taken    bool // the turn holds the conversation
	stopped  bool // the consumer stopped reading
	yielding bool // the consumer's code is running
	resumed  bool
	open     openRound
	time     allowance
	within   context.Context   // of the turn, while it runs
	span     *genai.Op         // nil: there is no telemetry
	said     bool              // text has come
	unsaved  bool              // storing failed
	warned   bool              // that storing failed
	fatal    *llm.Error        // the turn could not be stored, and had to be
	waiting  map[string]string // approvals that are asked for, by call
	offered  []string          // of a resumed round: the names of its tools
	thought  []int64           // how long the stretches of reasoning of this round took, in ms

	draft     strings.Builder // of the message that is being written
	draftID   string
	draftSize int
	flushed   time.Time
	rests     time.Time // until when the draft is not stored again
}

// claimConversation marks the conversation as held by this turn. It creates the
// conversation if there is none.
func (r *turnRun) claimConversation(ctx context.Context, id string, question *llm.Message, now time.Time) error {
	c := r.c
	question.ID, question.TurnID, question.Created = ids.New("m_", now), r.id, now
	r.record = &conversation.TurnRecord{ID: r.id, Seq: 1, Provider: r.info.Provider, Model: r.info.Name, Started: now,
		Messages: []conversation.StoredMessage{{Message: *question, Status: conversation.MessageFinal, Updated: now}}}
	if c.Running(id) { // also where its lease could not be renewed
		return fmt.Errorf("%w: conversation %s", llm.ErrBusy, id)
	}
	if c.opts.Store == nil {
		if id == "" {
			id = ids.New("c_", now)
		}
		r.conv = &conversation.Conversation{ID: id, Status: conversation.StatusStreaming}
		r.record.Conversation = id
		return c.markRunning(id, nil)
	}
	if id == "" || !c.exists(ctx, id) {
		conv := &conversation.Conversation{ID: id, Title: conversation.TitleOf(question), Principal: r.opts.Principal}
		if err := c.opts.Store.Create(ctx, conv); err != nil && !errors.Is(err, conversation.ErrConflict) {
			return &llm.Error{Code: llm.CodeStore, Message: "the conversation cannot be created", Err: err}
		}
		id = conv.ID
	}
	lost := 0
	conv, err := c.opts.Store.Update(ctx, id, func(conv *conversation.Conversation) error {
		lost = 0
		if !conv.BelongsTo(r.opts.Principal) {
			return fmt.Errorf("%w: conversation %s", llm.ErrNotFound, id) // do not tell that it is another principal's
		}
		if conv.Provider != "" && conv.Provider != r.info.Provider {
			return fmt.Errorf("%w: it was begun with %q, and this client speaks to %q: fork it to go on", llm.ErrProviderLocked, conv.Provider, r.info.Provider)
		}
		if busy := conv.Running; busy != nil {
			if busy.Paused || busy.Until.After(now) {
				return fmt.Errorf("%w: turn %s has not ended", llm.ErrBusy, busy.ID)
			}
			conv.Status, lost = conversation.StatusIncomplete, conv.Turns // its program has ended
		}
		conv.Turns++
		conv.Messages++
		conv.Provider = r.info.Provider
		conv.Title = cmp.Or(conv.Title, conversation.TitleOf(question))
		conv.Running = &conversation.RunningTurn{ID: r.id, Owner: c.owner, Until: now.Add(c.opts.Lease)}
		return conv.Move(conversation.StatusStreaming)
	})
	if err != nil {
		return err
	}
	if lost > 0 {
		c.abandon(ctx, id, lost)
	}
	r.conv, r.record.Conversation, r.record.Seq = conv, id, conv.Turns
	return c.markRunning(id, func() { r.release(context.WithoutCancel(ctx), conversation.StatusFailed) })
}

func (c *Client) exists(ctx context.Context, id string) bool {
	_, err := c.opts.Store.Get(ctx, id)
	return err == nil || !errors.Is(err, llm.ErrNotFound)
}

// markRunning notes that a turn of a conversation runs here. Without a store only
// this keeps two turns of one conversation from running at once.
func (c *Client) markRunning(id string, undo func()) error {
	c.mu.Lock()
	_, busy := c.running[id]
	if !busy {
		c.running[id] = nil
	}
	c.mu.Unlock()
	if busy {
		if undo != nil {
			undo()
		}
		return fmt.Errorf("%w: conversation %s", llm.ErrBusy, id)
	}
	return nil
}

// run asks the model, passes the events on, and ends the turn in every case.
func (r *turnRun) run(ctx context.Context) {
	r.req.Telemetry = r.c.opts.Telemetry
	ctx = r.startSpan(ctx)
	within, cancelFor := context.WithCancelCause(ctx)
	cancel := func() { cancelFor(nil) }
	defer cancel()
	r.within = within
	asking := 0
	if in := r.req.Resumed; in != nil && in.Paused != nil {
		asking = len(in.Paused.Requests)
	}
	r.time.start(r.turn.Policy().Deadline, asking, func() { cancelFor(errOverdue) })
	defer r.time.stop()
	r.c.mu.Lock()
	r.c.running[r.conv.ID] = r.turn
	r.c.mu.Unlock()
	r.turn.onCancel(cancel)
	alive := r.stayAlive(within)
	var err error
	ended := false
	defer func() { // also when the consumer panics
		if !ended {
			r.stopped = true
			r.endTurn(ctx, err)
		}
		cancel()
		<-alive
	}()
	mode := "none"
	if len(r.req.Tools) > 0 {
		mode = "static"
	}
	r.send(&TurnStarted{UserMessageID: r.record.Messages[0].Message.ID, Provider: r.info.Provider, Model: cmp.Or(r.req.Options.Model, r.info.Name),
		Effort: r.req.Options.Effort, Mode: mode, Resumed: r.resumed})
	r.send(&ConversationChanged{Status: conversation.StatusStreaming})
	if !r.stopped {
		r.reach(within)
		err = r.follow(within)
	}
	ended = true
	r.endTurn(ctx, err)
}

// errOverdue is the cause of the end of a turn that took too long.
var errOverdue = fmt.Errorf("chat: the time of the turn is up: %w", context.DeadlineExceeded)

// follow passes the events of the request on. A panic on the way becomes an error.
func (r *turnRun) follow(ctx context.Context) (err error) {
	defer func() {
		if r.yielding { // a panic of the consumer is not ours to handle
			return
		}
		if v := recover(); v != nil {
			err = &PanicError{Name: "a handler of the turn", Value: v, Stack: debug.Stack()}
		}
	}()
	for ev, failed := range r.c.handler.Handle(ctx, r.req) {
		if failed != nil {
			return failed
		}
		r.apply(ctx, ev)
		if !r.send(ev) {
			return nil
		}
		r.tellUnsaved()
	}
	return nil
}

// owns reports whether this turn, in this program, holds a conversation.
func (r *turnRun) owns(conv *conversation.Conversation) bool {
	return conv.Running != nil && conv.Running.ID == r.id && conv.Running.Owner == r.c.owner
}

// errTaken says that another program now holds the conversation of a turn.
var errTaken = errors.New("chat: the conversation was taken over")

// stayAlive renews the turn's hold on the conversation as long as the turn runs. A
// turn that has lost it is stopped: two turns must not act in one conversation.
func (r *turnRun) stayAlive(ctx context.Context) (done chan struct{}) {
	done = make(chan struct{})
	if r.c.opts.Store == nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(r.c.opts.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			_, err := r.c.opts.Store.Update(ctx, r.conv.ID, func(conv *conversation.Conversation) error {
				if !r.owns(conv) || conv.Running.Paused {
					return errTaken
				}
				conv.Running.Until = r.c.clock.Now().Add(r.c.opts.Lease)
				return nil
			})
			if errors.Is(err, errTaken) || errors.Is(err, llm.ErrNotFound) { // nothing of it counts any more: it must not act
				r.turn.Cancel(CancelNow)
				r.c.opts.Telemetry.Log().Warn("chat: a turn is stopped, because its conversation was taken over or deleted", "conversation", r.conv.ID, "turn", r.id)
				return
			}
			if err != nil && !isOver(err) {
				r.c.opts.Telemetry.Log().Warn("chat: the lease of a turn could not be renewed", "conversation", r.conv.ID, "turn", r.id, "error", err)
			}
		}
	}()
	return done
}

// send numbers and dates an event and yields it, unless the consumer has stopped
// reading.
func (r *turnRun) send(ev Event) bool {
	if r.stopped {
		return false
	}
	h := ev.Header()
	if _, beat := ev.(*Heartbeat); !beat {
		r.seq++
		h.Seq = r.seq
	}
	h.Time, h.Conversation, h.Turn = r.c.clock.Now().Truncate(time.Millisecond), r.conv.ID, r.id
	if e, ok := ev.(*RoundStarted); ok {
		r.round = max(e.Round, 1)
	}
	if h.Round == 0 {
		h.Round = r.round
	}
	r.yielding = true
	more := r.yield(ev, nil)
	r.yielding = false
	if !more {
		r.stopped = true
		r.turn.Cancel(CancelNow)
	}
	return !r.stopped
}

// endTurn stores how the turn ended and sends its last events.
func (r *turnRun) endTurn(ctx context.Context, err error) {
	keep := context.WithoutCancel(ctx)
	status, failure := r.outcome(ctx, err)
	if status == conversation.EndPaused {
		var pause *PauseError
		errors.As(err, &pause)
		if bad := r.checkpoint(keep, pause); bad != nil { // the turn could not be resumed without one
			status, failure = conversation.EndFailed, &llm.Error{Code: llm.CodeStore, Message: "the turn could not be stored while it waits", Err: bad}
		}
	}
	if status != conversation.EndPaused {
		r.shut(keep)
		r.close(failure)
		r.remember(keep)
	}
	r.tellUnsaved()
	now := r.c.clock.Now()
	r.record.Status, r.record.Finish, r.record.Ended, r.record.Usage = status, r.finish, now, r.turn.Usage()
	if failure != nil {
		r.record.Code, r.record.Error = failure.Code, failure.Error()
	}
	r.record.Events = r.seq + 2 // the events below
	if failure != nil {
		r.record.Events++
	}
	switch bad := r.save(keep); {
	case bad == nil, failure != nil:
	case r.c.opts.StrictStore:
		status, failure = conversation.EndFailed, &llm.Error{Code: llm.CodeStore, Message: "the turn could not be stored", Err: bad}
	default:
		r.unsaved = true
		r.tellUnsaved()
	}
	r.release(keep, status.Conversation())
	if status != conversation.EndPaused && r.c.opts.Store != nil {
		_ = r.c.opts.Store.DeleteCheckpoint(keep, r.conv.ID, r.id) // one that stays is ignored
	}
	r.endSpan(keep, status, failure, now.Sub(r.began))
	if failure != nil {
		message := cmp.Or(failure.Message, failure.Error())
		if failure.Code == llm.CodeInternal && failure.Message == "" { // internal details are not for every reader
			message = internalMessage
			r.c.opts.Telemetry.Log().Error("chat: a turn failed", "conversation", r.conv.ID, "turn", r.id, "error", failure)
		}
		r.send(&TurnFailed{Code: failure.Code, Message: message, Retryable: failure.Retryable,
			RetryAfterMs: failure.RetryAfter.Milliseconds(), ProviderStatus: failure.HTTPStatus, Err: failure})
	}
	r.send(&ConversationChanged{Status: status.Conversation(), WaitingForApproval: status == conversation.EndPaused})
	r.send(&TurnFinished{Status: status, Finish: r.finish, Usage: r.turn.Usage(), Rounds: r.record.Rounds, Millis: now.Sub(r.began).Milliseconds(), FirstMillis: r.record.FirstMillis})
	if failure != nil && !r.stopped {
		r.stopped = true
		r.yield(nil, failure)
	}
}

// internalMessage is the message of an event for a failure of the program itself, which
// is in TurnFailed.Err and in the log.
const internalMessage = "the program itself failed; its log says how"

// remember adds the turn's messages to the history. If that fails, this turn is not
// affected; the next one lacks these messages.
func (r *turnRun) remember(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	if err := r.c.history.keep(ctx, r.conv.ID, r.record.History()); err != nil {
		r.c.opts.Telemetry.Log().Warn("chat: a turn could not be remembered", "conversation", r.conv.ID, "turn", r.id, "error", err)
		r.send(&Warned{Warning: Warning{Code: WarnArchive, Message: "what is said cannot be remembered at the moment"}})
	}
}

// release ends the hold of the turn on its conversation.
func (r *turnRun) release(ctx context.Context, status conversation.ConversationStatus) {
	r.c.mu.Lock()
	delete(r.c.running, r.conv.ID)
	r.c.mu.Unlock()
	if r.c.opts.Store == nil {
		return
	}
	excess := 0
	_, err := r.c.opts.Store.Update(ctx, r.conv.ID, func(conv *conversation.Conversation) error {
		if !r.owns(conv) {
			return nil // another program took it over
		}
		conv.Messages += len(r.record.Messages) - 1
		excess = max(conv.Messages-r.c.opts.MaxMessages, 0)
		if status == conversation.StatusPaused {
			conv.Messages -= len(r.record.Messages) - 1 // counted when it ends
			conv.Running.Paused = true
		} else {
			conv.Running = nil
			conv.Usage.Add(r.record.Usage)
		}
		return conv.Move(status)
	})
	if err == nil && excess > 0 {
		var removed int
		if removed, err = r.c.opts.Store.Trim(ctx, r.conv.ID, excess); err == nil && removed > 0 {
			_, err = r.c.opts.Store.Update(ctx, r.conv.ID, func(conv *conversation.Conversation) error { conv.Messages -= removed; return nil })
		}
	}
	if err != nil {
		r.c.opts.Telemetry.Log().Warn("chat: the end of a turn could not be stored", "conversation", r.conv.ID, "turn", r.id, "error", err)
	}
}
