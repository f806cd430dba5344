package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// checkpoint is what a turn needs to continue after a wait, also in another program.
type checkpoint struct {
	Format    int                `json:"format"` // 1
	Turn      TurnState          `json:"turn"`
	Round     int                `json:"round"`
	History   []llm.Message      `json:"history"`
	Assistant llm.Message        `json:"assistant"`
	Offered   []string           `json:"offered"`
	Pause     *Pause             `json:"pause"`
	Options   llm.Options        `json:"options"`
	Effort    llm.Effort         `json:"effort,omitempty"`
	Choice    llm.ToolChoice     `json:"toolChoice,omitzero"`
	Output    *llm.OutputFormat  `json:"outputFormat,omitempty"`
	Principal toolspec.Principal `json:"principal,omitzero"`
	Seq       int64              `json:"seq"`
}

const checkpointFormat = 1

// checkpoint stores the state of a turn that waits, or that may have to be resumed
// because the program ends during a wait.
func (r *turnRun) checkpoint(ctx context.Context, p *PauseError) error {
	if r.c.opts.Store == nil {
		return fmt.Errorf("chat: a turn can wait only where there is a store: set ClientOptions.Store: %w", llm.ErrInvalid)
	}
	cp := checkpoint{Format: checkpointFormat, Turn: r.turn.State(), Round: p.Input.Round, History: p.Input.History, Assistant: p.Input.Assistant,
		Pause: p.Pause, Options: r.req.Options, Effort: r.req.Options.Effort, Choice: r.req.ToolChoice, Output: r.req.Format, Principal: r.req.Conversation.Principal, Seq: r.seq + 2}
	for _, t := range p.Input.Offered {
		cp.Offered = append(cp.Offered, t.Definition().Name)
	}
	state, err := json.Marshal(cp)
	if err != nil {
		return fmt.Errorf("chat: checkpoint: %w", err)
	}
	return r.c.opts.Store.SaveCheckpoint(ctx, r.conv.ID, r.id, state)
}

// asked stores a checkpoint when a person is asked, so that the question outlives
// the program.
func (r *turnRun) asked(ctx context.Context, e *ApprovalRequired) {
	if e.Input == nil || r.c.opts.Store == nil {
		return
	}
	if r.waiting == nil {
		r.waiting = map[string]string{}
	}
	r.waiting[e.CallID] = e.ApprovalID
	prints := map[string]string{}
	for _, t := range e.Input.Offered {
		def := t.Definition()
		for _, c := range e.Input.Assistant.ToolCalls() {
			if c.Name == def.Name {
				prints[c.ID] = def.Fingerprint
			}
		}
	}
	pause := &Pause{Requests: r.waiting, Claims: map[string]llm.ToolResult{}, Fingerprints: prints}
	for _, c := range e.Input.Assistant.ToolCalls() {
		if known, ok := r.record.Result(c.ID); ok {
			pause.Claims[c.ID] = known
		}
	}
	if err := r.checkpoint(context.WithoutCancel(ctx), &PauseError{Pause: pause, Input: *e.Input}); err != nil {
		r.c.opts.Telemetry.Log().Warn("chat: a question could not be stored", "conversation", r.conv.ID, "turn", r.id, "error", err)
	}
}

// Resume continues the last turn of a conversation: one that waits for a decision,
// which Resume then waits for, or one that was interrupted because its program
// ended. The events continue those of the same turn.
//
// A call that has finished is not run again. The model reads that the effect of a
// call which was running when the program ended is unknown, and that a call which had
// not started was not run. opts may set Principal and Values; everything else is as it
// was. The error is ErrBusy if the turn runs, here or in another program, and
// ErrNotFound if there is no turn to continue.
func (c *Client) Resume(ctx context.Context, convID string, opts *TurnOptions) Stream {
	return func(yield func(Event, error) bool) {
		if opts == nil {
			opts = &TurnOptions{}
		}
		r, err := c.revive(ctx, convID, opts)
		if err != nil {
			yield(nil, err)
			return
		}
		r.yield = yield
		r.run(ctx)
	}
}

// revive claims the conversation for a turn that is to continue.
func (c *Client) revive(ctx context.Context, convID string, opts *TurnOptions) (r *turnRun, err error) {
	defer func() { c.undo(ctx, r, conversation.StatusIncomplete, recover(), &err) }()
	if c.opts.Store == nil {
		return nil, fmt.Errorf("chat: a turn can be resumed only where there is a store: set ClientOptions.Store: %w", llm.ErrInvalid)
	}
	if c.Running(convID) {
		return nil, fmt.Errorf("%w: conversation %s", llm.ErrBusy, convID)
	}
	now := c.clock.Now()
	r = c.newRun(opts)
	r.began, r.resumed = now, true
	conv, err := c.opts.Store.Update(ctx, convID, func(conv *conversation.Conversation) error {
		if !conv.BelongsTo(opts.Principal) {
			return fmt.Errorf("%w: conversation %s", llm.ErrNotFound, convID)
		}
		if conv.Provider != r.info.Provider {
			return fmt.Errorf("%w: it was begun with %q, and this client speaks to %q", llm.ErrProviderLocked, conv.Provider, r.info.Provider)
		}
		switch busy := conv.Running; {
		case busy != nil && !busy.Paused && busy.Until.After(now):
			return fmt.Errorf("%w: turn %s is running", llm.ErrBusy, busy.ID)
		case busy == nil && conv.Status != conversation.StatusIncomplete:
			return fmt.Errorf("%w: conversation %s has no turn that waits or was interrupted", llm.ErrNotFound, convID)
		case busy != nil && !busy.Paused: // its program is gone
			conv.Status = conversation.StatusPaused
		}
		turn, err := c.opts.Store.Turn(ctx, convID, conv.Turns)
		if err == nil && turn.Status == conversation.EndCompleted {
			err = fmt.Errorf("%w: the last turn of conversation %s was completed", llm.ErrNotFound, convID)
		}
		if err != nil {
			return err
		}
		r.record, r.id = turn, turn.ID
		if conv.Running == nil { // it was closed, and counted
			conv.Messages -= len(turn.Messages) - 1
		}
		conv.Running = &conversation.RunningTurn{ID: turn.ID, Owner: c.owner, Until: now.Add(c.opts.Lease)}
		return conv.Move(conversation.StatusStreaming)
	})
	if err != nil {
		return r, err
	}
	r.conv = conv
	if err := c.markRunning(convID, nil); err != nil {
		return r, err
	}
	r.taken = true
	return r, r.restore(ctx)
}

// restore makes the request with which the turn continues.
func (r *turnRun) restore(ctx context.Context) error {
	c := r.c
	cp, err := c.waiting(ctx, r.record)
	switch {
	case err == nil && cp != nil:
		return r.fromCheckpoint(ctx, cp)
	case err != nil:
		c.opts.Telemetry.Log().Warn("chat: a checkpoint cannot be read", "conversation", r.conv.ID, "turn", r.id, "error", err)
	}
	return r.fromRecord(ctx)
}

// PendingApprovals returns the ids of the approval requests that a turn waits for, by
// the id of the call. It is empty for a turn that waits for none.
func (c *Client) PendingApprovals(ctx context.Context, turn *conversation.TurnRecord) (map[string]string, error) {
	cp, err := c.waiting(ctx, turn)
	if err != nil || cp == nil {
		return nil, err
	}
	return cp.Pause.Requests, nil
}

// waiting returns the checkpoint of a turn that waits for a decision. It is nil if
// the turn has none, or if the round of the checkpoint is over.
func (c *Client) waiting(ctx context.Context, turn *conversation.TurnRecord) (*checkpoint, error) {
	raw, err := c.opts.Store.LoadCheckpoint(ctx, turn.Conversation, turn.ID)
	if errors.Is(err, llm.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var cp checkpoint
	if err := json.Unmarshal(raw, &cp); err != nil {
		return nil, err
	}
	if cp.Format != checkpointFormat || cp.Pause == nil {
		return nil, fmt.Errorf("chat: it is of the format %d, and this version reads %d", cp.Format, checkpointFormat)
	}
	for i := range turn.Messages {
		if m := &turn.Messages[i].Message; m.Role == llm.RoleTool && m.Round >= cp.Round {
			return nil, nil
		}
	}
	return &cp, nil
}

// fromCheckpoint continues the round that waits.
func (r *turnRun) fromCheckpoint(ctx context.Context, cp *checkpoint) (err error) {
	if r.turn, err = ResumeTurn(r.id, r.c.opts.Policy, cp.Turn, r.c.opts.Uncertified...); err != nil {
		return err
	}
	tools, err := r.c.tools(ctx, r.info, r.conv, &TurnOptions{Tools: cp.Offered})
	if err != nil {
		return err
	}
	if cp.Pause.Claims == nil {
		cp.Pause.Claims = map[string]llm.ToolResult{}
	}
	for id, known := range r.interrupted(cp.Assistant.ToolCalls()) {
		cp.Pause.Claims[id] = known
	}
	in := &RoundInput{Round: cp.Round, Assistant: cp.Assistant, Offered: tools, Paused: cp.Pause}
	r.seq, r.round, r.offered = cp.Seq, cp.Round, cp.Offered
	options := cp.Options
	options.Effort = cp.Effort
	r.req = &Request{Conversation: ConversationRef{ID: r.conv.ID, Provider: r.conv.Provider, Principal: cp.Principal}, Turn: r.turn, Model: r.model,
		Messages: cp.History, Tools: tools, ToolChoice: cp.Choice, Options: options, Format: cp.Output, Values: r.opts.Values, Round: cp.Round, Resumed: in}
	return nil
}

// reachWithin is how long a resumed turn waits for a tool that a person was asked
// about and that is not there yet: its server may have to be connected first.
const reachWithin = 20 * time.Second

// reach waits for the tools that the resumed round has asked about, where the source
// can tell. One that does not come in time is not run.
func (r *turnRun) reach(ctx context.Context) {
	finder, ok := r.c.opts.Tools.(toolspec.Finder)
	in := r.req.Resumed
	if !ok || in == nil || in.Paused == nil || !r.info.Capabilities.Tools {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	for _, call := range in.Assistant.ToolCalls() {
		if in.Paused.Requests[call.ID] == "" || toolNamed(in.Offered, call.Name) != nil || !slices.Contains(r.offered, call.Name) {
			continue
		}
		tool, err := findTool(ctx, finder, call.Name)
		if err != nil {
			r.c.opts.Telemetry.Log().Warn("chat: a tool that a question is about is not there", "conversation", r.conv.ID, "turn", r.id, "tool", call.Name, "error", err)
			continue
		}
		in.Offered = append(slices.Clip(in.Offered), tool)
		r.req.Tools = in.Offered
	}
}

// findTool asks the source for a tool. A panic of the source becomes an error.
func findTool(ctx context.Context, f toolspec.Finder, name string) (tool toolspec.Tool, err error) {
	defer caught("the source of tools", &err)
	if tool, err = f.Find(ctx, name); err == nil && (tool == nil || tool.Definition().Name != name) {
		err = fmt.Errorf("chat: the source of tools found no %q", name)
	}
	return tool, err
}

func toolNamed(list []toolspec.Tool, name string) toolspec.Tool {
	for _, t := range list {
		if t.Definition().Name == name {
			return t
		}
	}
	return nil
}

// interrupted returns the calls that ran, or may have run, before the program ended.
func (r *turnRun) interrupted(calls []llm.ToolCall) map[string]llm.ToolResult {
	out := map[string]llm.ToolResult{}
	known := r.record.Results(calls)
	for i, c := range calls {
		if stored := r.record.Call(c.ID); stored != nil && (stored.Status == conversation.CallInProgress || stored.Status.Terminal()) {
			out[c.ID] = known[i]
		}
	}
	return out
}

// fromRecord continues after the last message that was stored: the model is asked
// again.
func (r *turnRun) fromRecord(ctx context.Context) (err error) {
	c := r.c
	options := c.opts.Options.Merge(&r.conv.Options)
	if r.turn, err = ResumeTurn(r.id, c.opts.Policy, TurnState{Batches: r.record.Rounds, Calls: len(r.record.Calls), Usage: r.record.Usage}, c.opts.Uncertified...); err != nil {
		return err
	}
	r.close(nil)
	history, err := c.earlier(ctx, r.conv, r.record.Seq, &options)
	if err != nil {
		return err
	}
	tools, err := c.tools(ctx, r.info, r.conv, r.opts)
	if err != nil {
		return err
	}
	var messages []llm.Message
	if system := cmp.Or(r.conv.System, c.opts.System); system != "" {
		messages = append(messages, llm.SystemText(system))
	}
	own := r.record.History()
	if n := len(own); n > 0 && own[n-1].Role == llm.RoleAssistant { // it was answered in part: that is kept, and the turn continues from it
		again := llm.UserText(English(ToolMessage{Outcome: ToolMessageContinue}))
		again.Round, again.TurnID = max(r.record.Rounds, 1), r.id
		own = append(slices.Clip(own), again)
	}
	r.seq, r.round = r.record.Events, r.record.Rounds
	r.req = &Request{Conversation: ConversationRef{ID: r.conv.ID, Provider: r.conv.Provider, Principal: r.opts.Principal}, Turn: r.turn, Model: r.model,
		Messages: append(append(messages, history...), own...), Tools: tools, Options: options, Values: r.opts.Values, Round: r.record.Rounds + 1}
	return r.save(ctx)
}

// Recover finds conversations whose program ended in the middle of a turn, and
// returns their ids. A conversation that waits for a decision becomes PAUSED; any
// other becomes INCOMPLETE, and everything that was open in it is closed.
// [Client.Resume] continues either. Turns of running programs are left alone; a
// program that was killed counts as running until its lease has expired.
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
	case turn.Status != "" && turn.Status != conversation.EndPaused: // it had ended, and that was not noted
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

// closeLost closes a turn whose program has ended, and returns how many messages the
// turn has beside its question.
func (c *Client) closeLost(ctx context.Context, turn *conversation.TurnRecord) (added int, err error) {
	r := &turnRun{c: c, id: turn.ID, record: turn}
	r.close(nil)
	turn.Status, turn.Finish, turn.Ended = conversation.EndIncomplete, llm.FinishCancelled, c.clock.Now()
	return len(turn.Messages) - 1, c.opts.Store.SaveTurn(ctx, turn)
}

// abandon closes a turn that was never resumed, because its conversation continues
// without it. A turn that cannot be closed is treated as closed when it is read.
func (c *Client) abandon(ctx context.Context, convID string, seq int) {
	turn, err := c.opts.Store.Turn(ctx, convID, seq)
	if err == nil && turn.Status == "" {
		var added int
		if added, err = c.closeLost(ctx, turn); err == nil {
			_, err = c.opts.Store.Update(ctx, convID, func(conv *conversation.Conversation) error { conv.Messages += added; return nil })
		}
		if err == nil {
			err = c.opts.Store.DeleteCheckpoint(ctx, convID, turn.ID)
		}
	}
	if err != nil && !errors.Is(err, llm.ErrNotFound) {
		c.opts.Telemetry.Log().Warn("chat: a turn whose program is gone could not be closed", "conversation", convID, "seq", seq, "error", err)
	}
}
