package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/examples/clichat/internal/prompt"
	"github.com/localpass/localpass/examples/clichat/internal/render"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
)

// arming is how long a question is displayed before it accepts an answer: keys pressed
// before it appeared do not count.
const arming = 600 * time.Millisecond

type decision = approval.Decision

// question is a question of the gate: it is shown by the goroutine that owns the
// screen.
type question struct {
	ctx      context.Context
	requests []approval.Request
	reply    chan []decision
}

// Ask implements approval.Approver.
func (u *ui) Ask(ctx context.Context, requests []approval.Request) ([]decision, error) {
	q := question{ctx, requests, make(chan []decision, 1)}
	select {
	case u.asks <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case d := <-q.reply:
		return d, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// decide puts the questions one by one, the riskiest first. What is not answered is
// refused.
func (u *ui) decide(q *question) []decision {
	order := slices.Clone(q.requests)
	slices.SortStableFunc(order, func(a, b approval.Request) int {
		switch {
		case a.Level.Exceeds(b.Level):
			return -1
		case b.Level.Exceeds(a.Level):
			return 1
		}
		return 0
	})
	var out []decision
	for i := range order {
		place := ""
		if len(order) > 1 {
			place = fmt.Sprintf(" (%d/%d)", i+1, len(order))
		}
		s := newSheet(&order[i], place, u.theme)
		d, err := u.one(q.ctx, s)
		d.Request, d.By, d.Via = order[i].ID, me(), "terminal"
		switch {
		case errors.Is(err, errLeave): // Ctrl-C, and a terminal that is gone, answer all that is left
			for _, r := range order[i:] {
				out = append(out, decision{Request: r.ID, Outcome: approval.Declined, By: me(), Via: "terminal"})
			}
			u.answered(s, "declined")
			return out
		case err != nil:
			u.answered(s, "the time is up: declined")
			return out
		}
		u.answered(s, string(d.Outcome))
		out = append(out, d)
	}
	return out
}

// errLeave says that the person wants none of it.
var errLeave = errors.New("left")

func (u *ui) answered(s *sheet, how string) {
	sign := u.theme.Sign("✗", "x")
	if how == string(approval.Approved) {
		sign = u.theme.Sign("✓", "+")
	}
	u.screen.Print(u.theme.Paint(render.Bold, fmt.Sprintf("%s %s: %s", sign, termtext.Escape(s.r.Tool), how)))
}

// one puts one question until it is answered.
func (u *ui) one(ctx context.Context, s *sheet) (decision, error) {
	for {
		key, err := u.press(ctx, s)
		if err != nil {
			return decision{}, err
		}
		s.note = ""
		switch {
		case key == 'n':
			return decision{Outcome: approval.Declined}, nil
		case key == 't':
			reason, err := u.line(ctx, "why not, for the model: ", false)
			if err != nil && !errors.Is(err, prompt.ErrInterrupted) {
				return decision{}, err
			}
			return decision{Outcome: approval.Declined, Reason: reason}, nil
		case key == 'v':
			u.screen.Print(s.whole(u.screen.Columns())...)
			s.seen = true
		case key == 'e' && s.editable():
			if err := u.edit(s); err != nil {
				s.note = "not changed: " + err.Error()
			}
		case (key == 'y' || key == 's') && s.scope(key) != "":
			if !s.seen {
				s.note = "not all of the arguments have been shown: v shows them"
				continue
			}
			sure, err := u.confirm(ctx, s)
			if err != nil {
				return decision{}, err
			}
			if !sure {
				s.note = "not approved: that was not what was to be typed"
				continue
			}
			return decision{Outcome: approval.Approved, Scope: s.scope(key), Arguments: s.edited, Confirm: s.r.Confirm}, nil
		default:
			s.note = "that is no answer"
		}
	}
}

// press shows the question and waits for a key.
func (u *ui) press(ctx context.Context, s *sheet) (rune, error) {
	u.term.Discard()
	armed := time.NewTimer(arming)
	defer armed.Stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	ready := false
	for {
		u.screen.Tail(s.rows(u.screen.Columns(), time.Now())...)
		select {
		case <-armed.C:
			ready = true
		case <-tick.C: // the time that is left
		case <-u.term.Resized():
		case <-ctx.Done():
			return 0, ctx.Err()
		case in := <-u.term.Input():
			for _, k := range u.term.Keys(in) {
				if k.Code == prompt.Gone {
					return 0, errLeave
				}
				if !ready {
					continue
				}
				switch k.Code {
				case prompt.Interrupt, prompt.EOF:
					return 0, errLeave
				case prompt.Enter, prompt.Escape:
					return 'n', nil
				case prompt.Rune:
					return k.Rune, nil
				case prompt.Paste:
					s.note = "a paste is no answer"
				}
			}
		}
	}
}

// confirm asks once more from L4 on: for yes in full, or for the tool's name.
func (u *ui) confirm(ctx context.Context, s *sheet) (bool, error) {
	want := s.r.Confirm
	if want == "" {
		if !s.r.Level.Exceeds(toolspec.L3) {
			return true, nil
		}
		want = "yes"
	}
	u.screen.Print(s.rows(u.screen.Columns(), time.Now())...)
	typed, err := u.line(ctx, fmt.Sprintf("%s: to approve, type %s: ", levelOf(s.r.Level), termtext.Escape(want)), true)
	switch {
	case errors.Is(err, prompt.ErrInterrupted):
		return false, errLeave
	case errors.Is(err, prompt.ErrPasted):
		return false, nil
	}
	return typed == want, err
}

// line asks for one line.
func (u *ui) line(ctx context.Context, label string, typed bool) (string, error) {
	u.screen.Tail()
	text, err := u.term.Read(ctx, &prompt.Options{Prompt: label, Theme: u.theme, Single: true, Typed: typed})
	return strings.TrimSpace(text), err
}

// openQuestions are the unanswered questions about calls of this conversation, by the
// turn that asks.
func (u *ui) openQuestions(ctx context.Context) [][]approval.Request {
	byBatch := map[string][]approval.Request{}
	var order []string
	for rec := range u.gate.Broker().List(ctx, approval.ListOptions{Status: approval.StatusPending, Side: approval.SideChat}) {
		r := rec.Request
		if r.Conversation != u.now.id || !time.Now().Before(r.Deadline) {
			continue
		}
		if byBatch[r.Batch] == nil {
			order = append(order, r.Batch)
		}
		byBatch[r.Batch] = append(byBatch[r.Batch], r)
	}
	out := make([][]approval.Request, len(order))
	for i, batch := range order {
		out[i] = byBatch[batch]
	}
	return out
}
