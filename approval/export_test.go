package approval

import (
	"context"

	"github.com/localpass/localpass/toolspec"
)

// What a gate makes for itself, for the tests of each part alone.
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

// Why a state was refused.
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

// WithPeer is how a gate hands the peer of a call to an approver.
func WithPeer(ctx context.Context, peer toolspec.Peer) context.Context { return withPeer(ctx, peer) }
