package approval

import (
	"context"
	"errors"
)

// Approver asks a person for a decision, or a program that decides for a person.
//
// Obligations of an implementation:
//
//   - Ask is safe for concurrent use and ends soon after its context does, which is at
//     the deadline or when another approver was faster.
//   - It returns one decision per request, in any order, keyed by request id. A decision
//     that is missing, malformed or for another id refuses the call.
//   - It returns only decisions that a person made. If it cannot ask, it returns an
//     error, which refuses the call: [ErrUnavailable] if it can reach no person,
//     [ErrPause] if the decision will come later, through the broker.
type Approver interface {
	Ask(ctx context.Context, requests []Request) ([]Decision, error)
}

// ApproverFunc is an adapter that makes a function an [Approver].
type ApproverFunc func(ctx context.Context, requests []Request) ([]Decision, error)

// Ask calls f.
func (f ApproverFunc) Ask(ctx context.Context, requests []Request) ([]Decision, error) {
	return f(ctx, requests)
}

// OutcomeReceiver is an optional upgrade of an [Approver]. OnOutcome is called with the
// outcome of each request that the approver was asked about but did not decide itself,
// for example to close a dialog. It must not block.
type OutcomeReceiver interface {
	OnOutcome(Record)
}

var (
	// ErrUnavailable says that an approver can reach no person to ask.
	ErrUnavailable = errors.New("approval: no person can be asked")
	// ErrPause says that the request stays open and that the caller should ask for the
	// decision later: a turn is suspended, or a client is asked to call again.
	ErrPause = errors.New("approval: the decision will come later")
	// ErrNotFound says that there is no such request, grant or policy.
	ErrNotFound = errors.New("approval: not found")
	// ErrExpired says that a request is past its deadline.
	ErrExpired = errors.New("approval: the request has expired")
	// ErrDecided says that a request was already decided, in another way.
	ErrDecided = errors.New("approval: the request was decided already")
	// ErrNoMoreTime says that the deadline of a request cannot be extended, or not again.
	ErrNoMoreTime = errors.New("approval: the deadline of the request cannot be extended")
	// ErrInvalid says that a decision does not fit its request, that a policy is invalid,
	// or that a stored record cannot be read.
	ErrInvalid = errors.New("approval: invalid")
	// ErrUnconfirmed says that a [Decision] approves without the text that
	// [Request].Confirm requires. The error also matches ErrInvalid.
	ErrUnconfirmed = errors.New("the name of the tool must be typed to approve it")
	// ErrFixed says that a policy comes from the policy file and cannot be changed
	// here.
	ErrFixed = errors.New("approval: the policy file sets this policy: change it there")
	// ErrUsed says that an approval has already been used for its one call.
	ErrUsed = errors.New("approval: the approval was used already")
	// ErrClosed says that the gate or the broker was closed.
	ErrClosed = errors.New("approval: closed")
)
