package approval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/localpass/localpass"
)

// reach is the extent of a policy: one tool, one server, or all servers.
type reach int

const (
	reachTool reach = iota
	reachServer
	reachGlobal
	reaches
)

// covering holds the policies that cover one call: for each reach, the fixed and stored
// policies of the side of the call and of all sides.
type covering struct {
	at [reaches][]*compiledPolicy
	// broken holds the keys of unreadable policies, which refuse the call.
	broken []string
}

// covering reads the policies that cover a call. It reads them from the store every time,
// because another program may have changed them. An error means that they cannot be
// determined.
func (p *Policies) covering(ctx context.Context, side Side, server, tool string) (*covering, error) {
	if server == Any || tool == Any {
		return nil, errors.New(`approval: a call names the tool or server "*", which only policies may`)
	}
	if err := checkTarget(side, server, tool); err != nil {
		return nil, err
	}
	doc, keys, err := p.index(ctx)
	if err != nil {
		return nil, err
	}
	// If there is an index, one read is enough for a call that no policy covers.
	indexed := doc.Version != localpass.NoVersion || p.begin(ctx)
	c := &covering{}
	for i, target := range [reaches][2]string{{server, tool}, {server, Any}, {Any, Any}} {
		for _, s := range [2]Side{side, ""} {
			key := policyKey(s, target[0], target[1])
			if fixed := p.fixed[key]; fixed != nil {
				c.at[i] = append(c.at[i], fixed)
			}
			if indexed && !slices.Contains(keys, key) {
				continue
			}
			policy, _, err := p.readStored(ctx, key, keys)
			switch {
			case errors.Is(err, ErrInvalid):
				c.broken = append(c.broken, key)
			case err != nil:
				return nil, err
			case policy != nil:
				if policy, err = p.counted(ctx, policy); err != nil {
					return nil, err
				}
				c.at[i] = append(c.at[i], policy)
			}
		}
	}
	return c, nil
}

// begin writes an empty index if there is neither an index nor a policy, and reports
// whether it did. If there are policies without an index, each possible policy has to be
// read, since nothing records which should exist.
func (p *Policies) begin(ctx context.Context) bool {
	for range p.store.List(ctx, collectionPolicies, localpass.ListOptions{Limit: 1}) {
		return false // a policy exists, or the store failed
	}
	op := p.indexOp(localpass.Document{Version: localpass.NoVersion}, nil)
	_, err := p.store.Put(ctx, op.Collection, op.Key, localpass.Document{Version: op.Version, Data: op.Data})
	return err == nil
}

// policyFor returns a policy with the effect kind at a reach. fixed selects only policies
// of the policy file.
func (c *covering) policyFor(r reach, kind PolicyEffect, fixed bool) *compiledPolicy {
	for _, policy := range c.at[r] {
		if policy.Policy.Effect == kind && (policy.Fixed || !fixed) {
			return policy
		}
	}
	return nil
}

// rule returns the first argument rule with the effect that applies to the arguments.
func (c *covering) rule(effect Effect, arguments json.RawMessage) (*compiledRule, *compiledPolicy) {
	for _, list := range c.at {
		for _, policy := range list {
			for _, rule := range policy.rules {
				if rule.Effect == effect && rule.applies(arguments) {
					return rule, policy
				}
			}
		}
	}
	return nil, nil
}
