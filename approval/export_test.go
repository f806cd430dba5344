package approval

import (
	"context"

	"github.com/localpass/localpass/toolspec"
)

// Parts of a gate that tests use alone.
type (
	BrokerOptions   = brokerOptions
	GrantsOptions   = grantsOptions
	PoliciesOptions = policiesOptions
)

var (
	NewBroker     = newBroker
	NewGrants     = newGrants
	NewPolicies   = newPolicies
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
