package approval

import (
	"context"
	"errors"
	"fmt"
)

// viaCallback is the Via of decisions made by the function of [Ask].
const viaCallback = "callback"

// errNoFunction is the error of an approver that was created without a function.
var errNoFunction = errors.New("approval: an approver has no function that asks a person")

// Ask returns an approver that calls a function with one request at a time. The function
// asks a person, and returns whether the person approves and a text. For an approval, the
// text is what the person typed if [Request].Confirm requires it (level L5; a different
// text does not approve); otherwise it is the reason, which the model gets. An approval
// covers this one call.
//
// The function runs for one request at a time, even if several calls wait, and must
// return soon after its context ends. If it returns [ErrPause], all requests of the batch
// stay open, including those that it has just approved: decide them through
// [Broker.Decide]. Any other error refuses all calls of the batch. For a nil function,
// [NewGate] returns an error.
//
// The decisions do not name the person, so they cannot be used for [Options].FourEyes:
// implement [Approver] for that.
func Ask(ask func(ctx context.Context, request Request) (approve bool, text string, err error)) Approver {
	return &callback{ask: ask, turn: make(chan struct{}, 1)}
}

// callback is the approver of [Ask].
type callback struct {
	ask  func(context.Context, Request) (bool, string, error)
	turn chan struct{} // holds a value while the function is called for a batch
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
