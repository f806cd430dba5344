package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/toolspec"
)

// checkpoint is the state that a turn needs to continue after a wait, even in another
// program.
type checkpoint struct {
	Format    int                `json:"format"` // 1
	Turn      turnState          `json:"turn"`
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

// checkpoint stores the state of a waiting turn, or of a turn that must be resumed if the
// program ends during a wait. following is how many events are sent before the wait.
func (r *turnRun) checkpoint(ctx context.Context, p *PauseError, following int64) error {
	if r.c.opts.Store == nil {
		return fmt.Errorf("chat: a turn can wait only where there is a store: set ClientOptions.Store: %w", llm.ErrInvalid)
	}
	cp := checkpoint{Format: checkpointFormat, Turn: r.turn.state(), Round: p.Input.Round, History: p.Input.History, Assistant: p.Input.Assistant,
		Pause: p.Pause, Options: r.req.Options, Effort: r.req.Options.Effort, Choice: r.req.ToolChoice, Output: r.req.Format, Principal: r.req.Conversation.Principal, Seq: r.out.seq + following}
	for _, t := range p.Input.Offered {
		cp.Offered = append(cp.Offered, t.Definition().Name)
	}
	state, err := json.Marshal(cp)
	if err != nil {
		return fmt.Errorf("chat: checkpoint: %w", err)
	}
	return r.c.opts.Store.SaveCheckpoint(ctx, r.conv.ID, r.id, state)
}

// asked stores a checkpoint when the user is asked, so that the request survives the end
// of the program.
func (r *turnRun) asked(ctx context.Context, e *ApprovalRequired) {
	if e.Input == nil || r.c.opts.Store == nil {
		return
	}
	if r.questions == nil {
		r.questions = map[string]string{}
	}
	r.questions[e.CallID] = e.ApprovalID
	prints := map[string]string{}
	for _, t := range e.Input.Offered {
		def := t.Definition()
		for _, c := range e.Input.Assistant.ToolCalls() {
			if c.Name == def.Name {
				prints[c.ID] = def.Fingerprint
			}
		}
	}
	pause := &Pause{Requests: r.questions, Claims: map[string]llm.ToolResult{}, Fingerprints: prints}
	for _, c := range e.Input.Assistant.ToolCalls() {
		if known, ok := r.record.Result(c.ID); ok {
			pause.Claims[c.ID] = known
		}
	}
	following := int64(2) // e and the new state of the call
	if !r.waiting {
		following++ // the new state of the conversation
	}
	if err := r.checkpoint(context.WithoutCancel(ctx), &PauseError{Pause: pause, Input: *e.Input}, following); err != nil {
		r.c.log().Warn("chat: a question could not be stored", "conversation", r.conv.ID, "turn", r.id, "error", err)
	}
}

// PendingApprovals returns the ids of the approval requests for which a turn waits, by
// the id of the call. It is empty if the turn waits for none.
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
