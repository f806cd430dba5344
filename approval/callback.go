package approval

import (
	"context"
	"errors"
	"fmt"
)

// viaCallback is the Via of decisions that the function of [Ask] made.
const viaCallback = "callback"

// errNoFunction is the error of an approver that was made without a function.
var errNoFunction = errors.New("approval: an approver has no function that asks a person")

// Ask returns an approver that puts one request at a time to a function. The function
// asks a person, and returns whether the person approves and a text: with an approval,
// what the person typed where [Request].Confirm asks for it (level L5; a different text
// does not approve), and without one, the reason, which the model gets. An approval
// covers this one call.
//
// The function runs for one request at a time, whichever calls wait, and must return
// soon after its context ends. When it returns [ErrPause], all requests of the batch stay
// open, the ones that it approved just before too: decide them through [Broker.Decide].
// Any other error refuses all calls of the batch. A nil function is an error of
// [NewGate].
//
// Decisions do not name the person, so that they cannot be one of the two that
// [Options].FourEyes needs: implement [Approver] for that.
func Ask(ask func(ctx context.Context, request Request) (approve bool, text string, err error)) Approver {
	return &callback{ask: ask, turn: make(chan struct{}, 1)}
}

// callback is the approver of [Ask].
type callback struct {
	ask  func(context.Context, Request) (bool, string, error)
	turn chan struct{} // holds a value while a batch is asked about
}

func (c *callback) Ask(ctx context.Context, requests []Request) ([]Decision, error) {
	if c.ask == nil {
		return nil, errNoFunction
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	decisions := make([]Decision, 0, len(requests))
	for _, r := range requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		approve, text, err := c.ask(ctx, r)
		if err != nil {
			return nil, err
		}
		d := Decision{Request: r.ID, Outcome: Declined, Reason: text, Via: viaCallback}
		if approve {
			d.Outcome, d.Reason = Approved, ""
			if r.Confirm != "" {
				d.Confirm = text
			}
		}
		decisions = append(decisions, d)
	}
	return decisions, nil
}

// checkApprovers returns an error for an approver that cannot ask.
func checkApprovers(approvers []Approver) error {
	for i, approver := range approvers {
		switch a := approver.(type) {
		case nil:
			return fmt.Errorf("approval: Options.Approvers[%d] is nil: leave it out, or give an approver such as approval.Ask", i)
		case ApproverFunc:
			if a == nil {
				return fmt.Errorf("%w: Options.Approvers[%d]", errNoFunction, i)
			}
		case *callback:
			if a.ask == nil {
				return fmt.Errorf("%w: Options.Approvers[%d]", errNoFunction, i)
			}
		}
	}
	return nil
}
