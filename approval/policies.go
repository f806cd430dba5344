package approval

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
)

// PolicyKind is what a policy says. Anything but the three that are known
// counts as [AlwaysDeny].
type PolicyKind string

// The policies.
const (
	AlwaysAllow PolicyKind = "ALWAYS_ALLOW"
	AlwaysDeny  PolicyKind = "ALWAYS_DENY"
	AskUser     PolicyKind = "ASK_USER"
)

// Any as the tool of a [Policy] covers all tools of its server; as the server
// too, everything.
const Any = "*"

// Policy says what becomes of the calls of a tool, of a server's tools, or of
// all.
type Policy struct {
	// Server is the id of the server; empty is this program itself, [Any] all.
	Server string `json:"serverId"`
	// Tool is the tool's own name, not an alias, or [Any].
	Tool string `json:"toolName"`
	// Side is the one side that it covers. Empty covers every side, which only a
	// policy may that takes something away: ALWAYS_ALLOW names its side.
	Side   Side       `json:"side,omitempty"`
	Policy PolicyKind `json:"policy"`
	// OverridesRequired lets ALWAYS_ALLOW of one tool run it without a question
	// although the tool itself asks for one.
	OverridesRequired bool `json:"overridesRequired,omitempty"`
	// Rules look at the arguments. They can only refuse or ask.
	Rules []Rule `json:"rules,omitempty"`
	// By and At are who set it and when; empty for one of a file.
	By toolspec.Principal `json:"by,omitzero"`
	At time.Time          `json:"at,omitzero"`
	// Fixed says that it is of the policy file and cannot be changed here.
	Fixed bool `json:"fixed,omitempty"`
}

// Operator is how a [Rule] looks at a value.
type Operator string

// The operators.
const (
	Equals  Operator = "equals"  // is this JSON value
	OneOf   Operator = "oneOf"   // is one of these JSON values
	Prefix  Operator = "prefix"  // is a text that begins so
	Under   Operator = "under"   // is this path or one below it
	Host    Operator = "host"    // is a URL or host of this name, or below "*.name"
	Matches Operator = "matches" // is a text in which this RE2 expression matches
	Absent  Operator = "absent"  // is not there
)

// Effect is what a [Rule] does where it applies: there is none that allows.
type Effect string

// The effects.
const (
	EffectDeny Effect = "deny"
	EffectAsk  Effect = "ask"
)

// Rule looks at one argument. It applies when its condition holds, or with Not
// when it does not hold, and when that cannot be told: a path that climbs, a
// text that is no URL, a number where a text is looked at.
type Rule struct {
	// Pointer is a JSON Pointer (RFC 6901) into the arguments.
	Pointer  string   `json:"pointer"`
	Operator Operator `json:"operator"`
	// Value is what the operator compares with: a text, for equals any JSON
	// value, for oneOf an array, for absent nothing.
	Value  json.RawMessage `json:"value,omitempty"`
	Not    bool            `json:"not,omitempty"`
	Effect Effect          `json:"effect"`
	// Reason is told to the person and the model where the rule applies.
	Reason string `json:"reason,omitempty"`
}

// PoliciesOptions are the options of [NewPolicies].
type PoliciesOptions struct {
	// Fixed are policies that cannot be changed, such as those of
	// [LoadPolicyFile]. They count like stored ones, and where several cover a
	// call the most restrictive counts.
	Fixed []Policy
	// Audit is told of every change before it counts. It may be nil only with
	// NoAudit.
	Audit Auditor
	// NoAudit says that no record of changes is wanted: for tests.
	NoAudit bool
	// Now replaces time.Now for the times in records.
	Now func() time.Time
}

// Policies keeps policies in a Persistence. All methods are safe for concurrent
// use, and several programs may share the store.
type Policies struct {
	store localpass.Persistence
	opts  PoliciesOptions
	clock clock.Clock
}

// NewPolicies returns the policies that the store holds.
func NewPolicies(store localpass.Persistence, opts *PoliciesOptions) (*Policies, error) {
	p := &Policies{store: store}
	if opts != nil {
		p.opts = *opts
	}
	if err := checkAuditor(p.opts.Audit, p.opts.NoAudit); err != nil {
		return nil, err
	}
	p.clock = clock.Clock{NowFunc: p.opts.Now}
	return p, nil
}

// Set stores a policy in place of the one for the same side, server and tool,
// and returns it as it is stored.
func (p *Policies) Set(ctx context.Context, policy Policy, by toolspec.Principal) (Policy, error) {
	return Policy{}, errors.ErrUnsupported
}

// Get returns the policy for just this side, server and tool, or [ErrNotFound].
func (p *Policies) Get(ctx context.Context, side Side, server, tool string) (Policy, error) {
	return Policy{}, errors.ErrUnsupported
}

// Delete removes a stored policy, or returns [ErrNotFound].
func (p *Policies) Delete(ctx context.Context, side Side, server, tool string, by toolspec.Principal) error {
	return errors.ErrUnsupported
}

// List yields the fixed policies and then the stored ones. One that cannot be
// read comes with an error and what it covers: it counts as ALWAYS_DENY.
func (p *Policies) List(ctx context.Context) iter.Seq2[Policy, error] {
	return func(yield func(Policy, error) bool) { yield(Policy{}, errors.ErrUnsupported) }
}
