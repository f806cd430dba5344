package approval

import (
	"context"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// Parts of a gate that tests use alone.

func NewBroker(store localpass.Persistence, opts Options) *Broker {
	opts.Store = store
	return newBroker(opts)
}

// SetPoll sets how often a broker reads a store without Watch.
func SetPoll(b *Broker, every time.Duration) { b.poll = every }

func NewPolicies(store localpass.Persistence, opts Options) (*Policies, error) {
	opts.Store = store
	return newPolicies(opts)
}

var (
	ParsePolicies = parsePolicies

	ElicitQuestion = elicitQuestion
)

// The reasons why a state is refused.
type (
	RefusedState = refusedState
	StateReason  = stateReason
)

const (
	StateMissing      = stateMissing
	StateOtherVersion = stateOtherVersion
	StateForged       = stateForged
	StateExpired      = stateExpired
	StatePrincipal    = statePrincipal
	StatePlace        = statePlace
	StateTool         = stateTool
	StateArguments    = stateArguments
	StateChanged      = stateChanged
	StateLevel        = stateLevel
	StateUsed         = stateUsed
	StateUnknown      = stateUnknown
)

// WithPeer returns a context with the peer of a call, as an approver gets it.
func WithPeer(ctx context.Context, peer toolspec.Peer) context.Context { return withPeer(ctx, peer) }
