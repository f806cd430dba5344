package asking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Arm is how long a question must be displayed before it accepts an answer, so that keys
// pressed before it appeared do not count.
const Arm = 600 * time.Millisecond

var (
	// ErrInterrupted says that the user refuses this question and all remaining ones.
	ErrInterrupted = errors.New("interrupted")
	// ErrPasted says that more text arrived at once than a person can type.
	ErrPasted = errors.New("that was pasted, or more than one line at once: nothing of it counts")
)

// NotEditedError is returned by [Face.Edit] when the text was not changed. The question
// is then asked again with the same arguments.
type NotEditedError struct{ Err error }

func (e *NotEditedError) Error() string { return e.Err.Error() }
func (e *NotEditedError) Unwrap() error { return e.Err }

// Face draws questions on a terminal and reads what the user types. An error ends the
// current question and all remaining ones.
type Face interface {
	// Columns returns the maximum number of columns in a row.
	Columns() int
	// Answer shows the card and returns the answer: a word, in lower case, and the text
	// after it. It ignores input that was typed or pasted before the card had been
	// displayed for [Arm]. If it returns [ErrPasted], the question is asked again.
	Answer(ctx context.Context, c *Card) (word, rest string, err error)
	// Line asks for one line. If typed is set, it refuses pasted text with [ErrPasted].
	Line(ctx context.Context, label string, typed bool) (string, error)
	// Print writes rows that stay on the screen.
	Print(ctx context.Context, rows ...string) error
	// Edit lets the user change a JSON text and returns the new text, empty if it is
	// unchanged. A [NotEditedError] is shown in the card.
	Edit(ctx context.Context, text string) (string, error)
	// Decided shows how a question ended.
	Decided(c *Card, outcome approval.Outcome)
}

// Options are the options of [Ask].
type Options struct {
	// Principal is the user at the terminal.
	Principal toolspec.Principal
	// Redactor masks secrets in the displayed text. nil masks nothing.
	Redactor *secret.Redactor
	// UTF8 says that frames are drawn with box-drawing characters; false: with ASCII.
	UTF8 bool
	// Own says that this program itself makes the calls: a card then does not name the
	// caller.
	Own bool
}

// Ask asks the questions one by one, the riskiest first. It returns the decisions, and on
// an error also the unanswered cards.
func Ask(ctx context.Context, face Face, requests []approval.Request, opts *Options) (decisions []approval.Decision, left []*Card, err error) {
	order := slices.Clone(requests)
	slices.SortStableFunc(order, func(a, b approval.Request) int {
		switch {
		case a.Level.Exceeds(b.Level):
			return -1
		case b.Level.Exceeds(a.Level):
			return 1
		}
		return 0
	})
	for i := range order {
		place := ""
		if len(order) > 1 {
			place = fmt.Sprintf(" (%d/%d)", i+1, len(order))
		}
		left = append(left, NewCard(&order[i], place, opts))
	}
	for len(left) > 0 {
		d, err := one(ctx, face, left[0])
		if err != nil {
			return decisions, left, err
		}
		d.Request, d.By, d.Via = left[0].Request.ID, opts.Principal, "terminal"
		face.Decided(left[0], d.Outcome)
		decisions, left = append(decisions, d), left[1:]
	}
	return decisions, nil, nil
}

// one asks one question until it is answered.
func one(ctx context.Context, face Face, c *Card) (approval.Decision, error) {
	for {
		word, rest, err := face.Answer(ctx, c)
		c.note = ""
		switch {
		case errors.Is(err, ErrPasted):
			c.note = "Not an answer: " + err.Error() + "."
		case err != nil:
			return approval.Decision{}, err
		case word == "" || word == "n" || word == "no":
			return approval.Decision{Outcome: approval.Declined, Reason: rest}, nil
		case word == "t":
			if rest == "" {
				rest, err = face.Line(ctx, "why not, for the model: ", false)
			}
			if err != nil && !errors.Is(err, ErrPasted) {
				return approval.Decision{}, err
			}
			return approval.Decision{Outcome: approval.Declined, Reason: rest}, nil
		case rest != "":
			c.note = "That is no answer: one letter is enough, and t takes a reason."
		case word == "v":
			if err := face.Print(ctx, c.Whole(face.Columns())...); err != nil {
				return approval.Decision{}, err
			}
			c.seen = true
		case word == "e" && c.editable():
			if err := edit(ctx, face, c); err != nil {
				return approval.Decision{}, err
			}
		case c.scope(word) == "":
			c.note = "That is no answer."
		case !c.seen:
			c.note = "Not all of the arguments have been shown: v shows them."
		default:
			sure, err := confirm(ctx, face, c, word)
			if err != nil {
				return approval.Decision{}, err
			}
			if sure {
				return approval.Decision{Outcome: approval.Approved, Scope: c.scope(word), Arguments: c.edited, Confirm: c.Request.Confirm}, nil
			}
			c.note = "Not approved: that was not what was to be typed."
		}
	}
}

// confirm asks again for tools of level L4 and above: the user must type "yes" in full,
// or the tool's name.
func confirm(ctx context.Context, face Face, c *Card, word string) (bool, error) {
	want := c.Request.Confirm
	switch {
	case want != "":
	case c.Request.Level.Exceeds(toolspec.L3) && word != "yes":
		want = "yes"
	default:
		return true, nil
	}
	if err := face.Print(ctx, c.Rows(face.Columns(), time.Time{})...); err != nil {
		return false, err
	}
	typed, err := face.Line(ctx, fmt.Sprintf("%s: to approve, type %s: ", Level(c.Request.Level), termtext.Escape(want)), true)
	if errors.Is(err, ErrPasted) {
		return false, nil
	}
	return typed == want, err
}

// edit lets the user change the arguments, and stores the outcome in the card.
func edit(ctx context.Context, face Face, c *Card) error {
	text, err := face.Edit(ctx, c.argumentText())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if not := (*NotEditedError)(nil); errors.As(err, &not) {
		c.note = "Not changed: " + termtext.Escape(not.Error())
		return nil
	}
	if err == nil {
		c.edit(text)
	}
	return err
}
