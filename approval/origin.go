package approval

import (
	"context"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// Origin identifies the server that has an id at present, by a digest of its command or
// its address; empty if there is no such server. An error means that this is unknown.
//
// An approval for more than one call belongs to the server for which it was given. An
// ALWAYS_ALLOW policy or a grant stores the origin of that server, and allows nothing
// once another server has the id: a person is then asked.
type Origin func(ctx context.Context, server string) (string, error)

// originNone is the origin of a policy whose server did not exist when the policy was
// bound. No server ever has this origin.
const originNone = "none"

// of returns the origin to which policies for a server are bound; empty for this program
// itself, and if o is nil.
func (o Origin) of(ctx context.Context, server string) (string, error) {
	if o == nil || server == "" || server == Any {
		return "", nil
	}
	origin, err := o(ctx, server)
	if err != nil {
		return "", fmt.Errorf("approval: the identity of the server %q is not known: %w", server, err)
	}
	if origin == "" {
		origin = originNone
	}
	return origin, nil
}

// counted returns the effective form of a stored policy for a call: an ALWAYS_ALLOW for a
// server with a different origin asks instead. A policy that was stored before policies
// were bound is bound once, to the current server; if there is no such server, the policy
// never allows a call again.
func (p *Policies) counted(ctx context.Context, policy *compiledPolicy) (*compiledPolicy, error) {
	if policy.Policy.Effect != AlwaysAllow {
		return policy, nil
	}
	origin, err := p.opts.Origin.of(ctx, policy.Server)
	if err != nil || origin == "" {
		return policy, err
	}
	if policy.Origin == "" {
		bound, err := p.bind(ctx, policy.key(), origin)
		if err != nil {
			return nil, err
		}
		if bound && origin != originNone {
			return policy, nil
		}
	}
	if policy.Origin == origin && origin != originNone {
		return policy, nil
	}
	asks := *policy
	asks.Policy.Effect, asks.OverridesRequired = AskUser, false
	return &asks, nil
}

// bind sets the origin of a stored policy that has none. It returns false if the policy
// was changed in the meantime.
func (p *Policies) bind(ctx context.Context, key, origin string) (bool, error) {
	doc, err := p.store.Get(ctx, collectionPolicies, key)
	if errors.Is(err, localpass.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("approval: read the policy %s: %w", key, err)
	}
	policy, err := decodePolicy(key, doc.Data)
	if err != nil {
		return false, err
	}
	if policy.Origin != "" {
		return policy.Origin == origin, nil
	}
	bound := policy.Policy
	bound.Origin = origin
	data, err := encode(bound)
	if err == nil {
		_, err = p.store.Put(ctx, collectionPolicies, key, localpass.Document{Version: doc.Version, Data: data})
	}
	if errors.Is(err, localpass.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("approval: bind the policy %s to its server: %w", key, err)
	}
	return true, nil
}

// Forget removes the stored policies that name the server, and revokes its grants. A
// program calls it when it deletes or replaces the server.
func (g *Gate) Forget(ctx context.Context, server string, by toolspec.Principal) error {
	if server == "" || server == Any {
		return fmt.Errorf("%w: %q is not the id of a server", ErrInvalid, server)
	}
	var errs []error
	var all []Policy
	for policy, err := range g.policies.List(ctx) {
		switch {
		case err != nil && !errors.Is(err, ErrInvalid):
			return err
		case policy.Server == server && !policy.Fixed:
			all = append(all, policy)
		}
	}
	for _, policy := range all {
		if err := g.policies.Delete(ctx, policy.Side, policy.Server, policy.Tool, by); err != nil && !errors.Is(err, ErrNotFound) {
			errs = append(errs, err)
		}
	}
	_, err := g.grants.RevokeAll(ctx, GrantFilter{Server: server}, by)
	return errors.Join(append(errs, err)...)
}
