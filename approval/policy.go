package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/toolspec"
)

// PolicyEffect is the effect of a policy. Any value but the three below counts as
// [AlwaysDeny].
type PolicyEffect string

// The policies.
const (
	AlwaysAllow PolicyEffect = "ALWAYS_ALLOW"
	AlwaysDeny  PolicyEffect = "ALWAYS_DENY"
	AskUser     PolicyEffect = "ASK_USER"
)

// Any as the tool of a [Policy] covers all tools of its server; as the server as well, it
// covers everything.
const Any = "*"

// anySide stands for all sides in a key.
const anySide = "any"

// The maximum lengths of the names in a policy, in bytes, so that its key remains a valid
// key.
const (
	maxServer = 64
	maxTool   = 255
)

// Policy sets the effect on the calls of a tool, of a server's tools, or of all.
type Policy struct {
	// Server is the id of the server; empty means this program itself, [Any] all servers.
	Server string `json:"serverId"`
	// Tool is the tool's own name, not an alias, or [Any].
	Tool string `json:"toolName"`
	// Side is the side that it covers. Empty covers every side, which is not allowed for
	// ALWAYS_ALLOW.
	Side   Side         `json:"side,omitempty"`
	Effect PolicyEffect `json:"policy"`
	// OverridesRequired lets an ALWAYS_ALLOW for one tool run it without a request
	// although the tool itself requires approval.
	OverridesRequired bool `json:"overridesRequired,omitempty"`
	// Rules test the arguments. They can only refuse or ask.
	Rules []Rule `json:"rules,omitempty"`
	// Origin identifies the server at the time when an ALWAYS_ALLOW was set: see
	// [Origin]. Only [Policies.Set] sets it.
	Origin string `json:"origin,omitempty"`
	// By and At say who set it and when; empty for a policy from a file.
	By toolspec.Principal `json:"by,omitzero"`
	At time.Time          `json:"at,omitzero"`
	// Fixed says that it comes from the policy file and cannot be changed here.
	Fixed bool `json:"fixed,omitempty"`
}

// Operator is how a [Rule] compares a value.
type Operator string

// The operators. If the value is an array of texts, operators on texts test each element,
// and hold if they hold for one.
const (
	Equals  Operator = "equals"  // equals this JSON value
	OneOf   Operator = "oneOf"   // is one of these JSON values
	Prefix  Operator = "prefix"  // is a text with this prefix
	Under   Operator = "under"   // is this path or one below it
	Host    Operator = "host"    // is a URL or host of this name, or below "*.name"
	Matches Operator = "matches" // is a text in which this RE2 expression matches
	Absent  Operator = "absent"  // does not exist
)

// Effect is what happens to a call. A [Rule] has one of the first two effects, a [Row]
// any.
type Effect string

// The effects.
const (
	EffectDeny Effect = "deny"
	EffectAsk  Effect = "ask"
	EffectRun  Effect = "run" // not for rules
)

// Rule tests one argument. It applies if its condition holds, or with Not if the
// condition does not hold. It also applies if the condition cannot be decided: for a path
// with ".." or relative to an unknown directory, a text that is no URL, or a number
// instead of a text. A missing value meets no condition except absent.
//
// Paths and hosts are compared as texts. The sandbox handles links on the disk and name
// resolution.
type Rule struct {
	// Pointer is a JSON Pointer (RFC 6901) into the arguments.
	Pointer  string   `json:"pointer"`
	Operator Operator `json:"operator"`
	// Value is the operand of the operator: a text; for equals any JSON value, for oneOf
	// an array, for absent none.
	Value  json.RawMessage `json:"value,omitempty"`
	Not    bool            `json:"not,omitempty"`
	Effect Effect          `json:"effect"`
	// Reason is shown to the person and the model if the rule applies.
	Reason string `json:"reason,omitempty"`
}

// compiledPolicy is a validated policy.
type compiledPolicy struct {
	Policy
	rules []*compiledRule
}

// compile validates the policy. The error names the invalid member.
func (p *Policy) compile() (*compiledPolicy, error) {
	if err := checkTarget(p.Side, p.Server, p.Tool); err != nil {
		return nil, err
	}
	switch p.Effect {
	case AlwaysAllow:
		switch {
		case p.Server == Any:
			return nil, errors.New("policy: ALWAYS_ALLOW cannot cover every server: name one")
		case p.Side == "":
			return nil, errors.New(`side: ALWAYS_ALLOW names the side that it opens: "chat", "server" or "studio"`)
		}
	case AlwaysDeny, AskUser:
	default:
		return nil, fmt.Errorf("policy: %q is not known: use ALWAYS_ALLOW, ALWAYS_DENY or ASK_USER", string(p.Effect))
	}
	if p.OverridesRequired && (p.Effect != AlwaysAllow || p.Tool == Any) {
		return nil, errors.New("overridesRequired: goes with ALWAYS_ALLOW of one tool only")
	}
	if len(p.Rules) > maxRules {
		return nil, fmt.Errorf("rules: there are %d, at most %d can be", len(p.Rules), maxRules)
	}
	c := &compiledPolicy{Policy: *p}
	for i, rule := range p.Rules {
		compiled, err := rule.compile()
		if err != nil {
			return nil, fmt.Errorf("rules[%d].%w", i, err)
		}
		c.rules = append(c.rules, compiled)
	}
	return c, nil
}

// checkTarget validates the target of a policy.
func checkTarget(side Side, server, tool string) error {
	switch side {
	case "", SideChat, SideServer, SideStudio:
	default:
		return fmt.Errorf(`side: %q is not known: use "chat", "server" or "studio", or leave it out for all`, string(side))
	}
	switch {
	case tool == "":
		return errors.New(`toolName: is empty: name a tool, or "*" for all of the server`)
	case server == Any && tool != Any:
		return errors.New(`toolName: a policy cannot name one tool of every server: name the server, or write "*" for the tool too`)
	case len(server) > maxServer:
		return fmt.Errorf("serverId: is longer than %d bytes", maxServer)
	case len(tool) > maxTool:
		return fmt.Errorf("toolName: is longer than %d bytes", maxTool)
	case !utf8.ValidString(server) || !utf8.ValidString(tool):
		return errors.New("serverId, toolName: are not UTF-8")
	}
	return nil
}

// key returns the key under which a policy is stored. The target can be recovered from
// the key even if the policy is unreadable.
func (p *Policy) key() string { return policyKey(p.Side, p.Server, p.Tool) }

func policyKey(side Side, server, tool string) string {
	if side == "" {
		side = anySide
	}
	return string(side) + "/" + url.PathEscape(server) + "/" + url.PathEscape(tool)
}

// target describes in words what a policy covers.
func (p *Policy) target() string {
	var b strings.Builder
	switch {
	case p.Server == Any:
		b.WriteString("everything")
	case p.Tool == Any && p.Server == "":
		b.WriteString("all tools of this program")
	case p.Tool == Any:
		fmt.Fprintf(&b, "all tools of %q", p.Server)
	default:
		fmt.Fprintf(&b, "%q", p.Tool)
		if p.Server != "" {
			fmt.Fprintf(&b, " of %q", p.Server)
		}
	}
	if p.Side != "" {
		fmt.Fprintf(&b, " on side %s", string(p.Side))
	}
	return b.String()
}

// decodePolicy decodes a stored policy. Anything that it does not understand is an error,
// since an ignored part could be the one that refuses.
func decodePolicy(key string, data []byte) (*compiledPolicy, error) {
	if data == nil {
		return nil, ErrNotFound
	}
	var policy Policy
	if err := strictDecode(data, &policy); err != nil {
		return nil, fmt.Errorf("%w: the stored policy %s cannot be read: set it again or delete it: %w", ErrInvalid, key, err)
	}
	compiled, err := policy.compile()
	if err != nil {
		return nil, fmt.Errorf("%w: the stored policy %s: set it again or delete it: %w", ErrInvalid, key, err)
	}
	if policy.Fixed {
		return nil, fmt.Errorf("%w: the stored policy %s says that it is of the policy file: set it again or delete it", ErrInvalid, key)
	}
	if policy.key() != key {
		return nil, fmt.Errorf("%w: the stored policy %s is one for %s: set it again or delete it", ErrInvalid, key, policy.target())
	}
	return compiled, nil
}
