package approval

import (
	"context"
	"errors"
)

// Approver asks a person, or a program that decides in a person's place.
//
// Obligations of an implementation:
//
//   - Ask is safe for concurrent use and ends soon after its context does: the
//     context ends at the deadline, and when another approver was faster.
//   - It returns one decision for each request, in any order, keyed by request
//     id. One that is missing, of another id, or malformed refuses the call.
//   - It returns only decisions that a person made: when it cannot ask, it returns
//     an error, which refuses the call. [ErrUnavailable] says that there is
//     no person it can reach, [ErrPause] that the decision will come later, through
//     the broker.
type Approver interface {
	Ask(ctx context.Context, requests []Request) ([]Decision, error)
}

// ApproverFunc is a function as an [Approver].
type ApproverFunc func(ctx context.Context, requests []Request) ([]Decision, error)

// Ask calls f.
func (f ApproverFunc) Ask(ctx context.Context, requests []Request) ([]Decision, error) {
	return f(ctx, requests)
}

// OutcomeReceiver is an optional upgrade of an [Approver]: it receives the outcome of
// each request that it was asked about and that it did not decide itself, for example to
// close a dialog. OnOutcome must not block.
type OutcomeReceiver interface {
	OnOutcome(Record)
}

var (
	// ErrUnavailable says that an approver can reach no person to ask.
	ErrUnavailable = errors.New("approval: no person can be asked")
	// ErrPause says that the request stays open, and that the caller should come back
	// for the decision: a turn is suspended, a client asked to call again.
	ErrPause = errors.New("approval: the decision will come later")
	// ErrNotFound says that there is no such request, grant or policy.
	ErrNotFound = errors.New("approval: not found")
	// ErrExpired says that a request is past its deadline.
	ErrExpired = errors.New("approval: the request has expired")
	// ErrDecided says that a request was decided already, otherwise.
	ErrDecided = errors.New("approval: the request was decided already")
	// ErrNoMoreTime says that the deadline of a request cannot be put off, or not
	// once more.
	ErrNoMoreTime = errors.New("approval: the deadline of the request cannot be extended")
	// ErrInvalid says that a decision does not fit its request, that a policy
	// cannot be, or that a stored record cannot be read.
	ErrInvalid = errors.New("approval: invalid")
	// ErrUnconfirmed says that a [Decision] approves without the text that
	// [Request].Confirm wants typed. It comes with ErrInvalid.
	ErrUnconfirmed = errors.New("the name of the tool must be typed to approve it")
	// ErrFixed says that a policy comes from the policy file and cannot be changed
	// here.
	ErrFixed = errors.New("approval: the policy file sets this policy: change it there")
	// ErrUsed says that an approval let its one call run already.
	ErrUsed = errors.New("approval: the approval was used already")
	// ErrClosed says that the gate or the broker was closed.
	ErrClosed = errors.New("approval: closed")
)
