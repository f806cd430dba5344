package approval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/localpass/localpass"
)

// reach is how much a policy covers.
type reach int

const (
	reachTool reach = iota
	reachServer
	reachGlobal
	reaches
)

// covering is what the policies say that cover one call: at each reach those of
// its side and of every side, fixed and stored ones.
type covering struct {
	at [reaches][]*compiledPolicy
	// broken says which of them cannot be read: they refuse.
	broken []string
}

// covering reads the policies that cover a call. Each time anew: another program may
// have changed them. An error means that they cannot be determined.
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
	// With an index one read is enough for a call that no policy covers.
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

// begin writes an index of nothing where there is neither an index nor a policy.
// It reports whether that is so: policies without an index are looked for one by one,
// since it is not recorded which should exist.
func (p *Policies) begin(ctx context.Context) bool {
	for range p.store.List(ctx, collectionPolicies, localpass.ListOptions{Limit: 1}) {
		return false // there is one, or that is not known
	}
	op := p.indexOp(localpass.Document{Version: localpass.NoVersion}, nil)
	_, err := p.store.Put(ctx, op.Collection, op.Key, localpass.Document{Version: op.Version, Data: op.Data})
	return err == nil
}

// policyFor returns a policy of a kind at a reach. fixed selects only those of the
// policy file.
func (c *covering) policyFor(r reach, kind PolicyEffect, fixed bool) *compiledPolicy {
	for _, policy := range c.at[r] {
		if policy.Policy.Effect == kind && (policy.Fixed || !fixed) {
			return policy
		}
	}
	return nil
}

// rule returns the first argument rule of an effect that applies.
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
