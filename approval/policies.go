package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
)

// The collections that the package uses in its store.
const (
	collectionRequests    = "approvals"
	collectionPolicies    = "approval-policies"
	collectionPolicyIndex = "approval-policies-index"
	collectionGrants      = "approval-grants"
)

// policyIndex is the key of the document that lists every stored policy. A listed policy
// that the store has lost is therefore noticed, and counts as a refusal.
const policyIndex = "index"

// maxRetries is the maximum number of attempts of a write that conflicts with others.
// Each conflict means that another writer succeeded, so the limit is reached only after
// that many other writes.
const maxRetries = 1000

// Policies keeps policies in a Persistence. All methods are safe for concurrent use, and
// several programs may share the store: a policy applies in all of them as soon as Set
// returns.
type Policies struct {
	store localpass.Persistence
	opts  Options
	clock clock.Clock
	fixed map[string]*compiledPolicy

	mu       sync.Mutex // guards the cache of decoded policies
	keys     []string
	keysText string
	compiled map[string]readPolicy
}

// readPolicy is a decoded stored policy, or the error of an invalid one.
type readPolicy struct {
	text   string
	policy *compiledPolicy
	err    error
}

// newPolicies returns the policies in the store and the fixed ones. The error names a
// fixed policy that is invalid.
func newPolicies(opts Options) (*Policies, error) {
	p := &Policies{store: opts.Store, opts: opts, clock: clock.Clock{NowFunc: opts.Clock}, fixed: map[string]*compiledPolicy{}}
	p.opts.Fixed = slices.Clone(p.opts.Fixed)
	for i := range p.opts.Fixed {
		policy := &p.opts.Fixed[i]
		policy.Fixed = true
		compiled, err := policy.compile()
		if err != nil {
			return nil, fmt.Errorf("approval: fixed policy %d (%s): %w", i, policy.target(), err)
		}
		if p.fixed[policy.key()] != nil {
			return nil, fmt.Errorf("approval: fixed policy %d: there are two for %s", i, policy.target())
		}
		p.fixed[policy.key()] = compiled
	}
	return p, nil
}

// Set stores a policy, replacing the one for the same side, server and tool, and returns
// it as stored. The error matches [ErrInvalid] if the policy is invalid, and [ErrFixed]
// if the policy file sets it.
func (p *Policies) Set(ctx context.Context, policy Policy, by toolspec.Principal) (Policy, error) {
	policy.By, policy.At, policy.Fixed, policy.Origin = by, p.clock.Now().Round(0), false, ""
	if _, err := policy.compile(); err != nil {
		return Policy{}, fmt.Errorf("%w: the policy for %s: %w", ErrInvalid, policy.target(), err)
	}
	if policy.Effect == AlwaysAllow {
		origin, err := p.opts.Origin.of(ctx, policy.Server)
		switch {
		case err != nil:
			return Policy{}, err
		case origin == originNone:
			return Policy{}, fmt.Errorf("%w: the policy for %s: there is no server %q: add it first", ErrInvalid, policy.target(), policy.Server)
		}
		policy.Origin = origin
	}
	key := policy.key()
	if p.fixed[key] != nil {
		return Policy{}, fmt.Errorf("%w: the policy for %s", ErrFixed, policy.target())
	}
	data, err := encode(policy)
	if err != nil {
		return Policy{}, fmt.Errorf("%w: the policy for %s: %w", ErrInvalid, policy.target(), err)
	}
	return policy, p.change(ctx, &policy, by, func(version int64, index localpass.Document, keys []string) error {
		if !slices.Contains(keys, key) {
			keys = append(slices.Clone(keys), key)
			slices.Sort(keys)
		}
		// The index is written first: a crash in between leaves a key without a policy,
		// which refuses, and never a policy whose loss would go unnoticed.
		return p.write(ctx, p.indexOp(index, keys), localpass.Op{Collection: collectionPolicies, Key: key, Version: version, Data: data})
	})
}

// Get returns the policy for exactly this side, server and tool (the fixed one if there
// is one), or [ErrNotFound]. For an unreadable policy, which counts as ALWAYS_DENY, the
// error matches [ErrInvalid].
func (p *Policies) Get(ctx context.Context, side Side, server, tool string) (Policy, error) {
	want := Policy{Side: side, Server: server, Tool: tool}
	if fixed := p.fixed[want.key()]; fixed != nil {
		return fixed.Policy, nil
	}
	_, keys, err := p.index(ctx)
	if err != nil {
		return Policy{}, err
	}
	policy, _, err := p.readStored(ctx, want.key(), keys)
	switch {
	case err != nil:
		return Policy{}, err
	case policy == nil:
		return Policy{}, fmt.Errorf("%w: there is no policy for %s", ErrNotFound, want.target())
	}
	return policy.Policy, nil
}

// Delete removes a stored policy, even an unreadable one, or returns [ErrNotFound] or
// [ErrFixed]. Other policies then apply.
func (p *Policies) Delete(ctx context.Context, side Side, server, tool string, by toolspec.Principal) error {
	want := Policy{Side: side, Server: server, Tool: tool}
	key := want.key()
	if p.fixed[key] != nil {
		return fmt.Errorf("%w: the policy for %s", ErrFixed, want.target())
	}
	return p.change(ctx, &want, by, func(version int64, index localpass.Document, keys []string) error {
		listed := slices.Contains(keys, key)
		if version == localpass.NoVersion && !listed {
			return fmt.Errorf("%w: there is no policy for %s", ErrNotFound, want.target())
		}
		var ops []localpass.Op
		if version != localpass.NoVersion {
			ops = append(ops, localpass.Op{Collection: collectionPolicies, Key: key, Version: version, Delete: true})
		}
		if listed {
			ops = append(ops, p.indexOp(index, slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })))
		}
		return p.write(ctx, ops...)
	})
}

// change records a change in the audit log and calls try until it does not conflict with
// another writer. policy is the policy to set or, with an empty effect, to remove.
func (p *Policies) change(ctx context.Context, policy *Policy, by toolspec.Principal, try func(version int64, index localpass.Document, keys []string) error) error {
	audited := false
	for range maxRetries {
		index, keys, err := p.index(ctx)
		if err != nil {
			return err
		}
		doc, err := p.store.Get(ctx, collectionPolicies, policy.key())
		if err != nil && !errors.Is(err, localpass.ErrNotFound) {
			return fmt.Errorf("approval: read the policy for %s: %w", policy.target(), err)
		}
		if policy.Effect == "" && doc.Version == localpass.NoVersion && !slices.Contains(keys, policy.key()) {
			return fmt.Errorf("%w: there is no policy for %s", ErrNotFound, policy.target())
		}
		if !audited {
			r := &AuditRecord{Kind: AuditPolicy, At: p.clock.Now().Round(0), Tool: policy.Tool, Server: policy.Server, Side: policy.Side, By: by}
			if policy.Effect != "" {
				r.Policy = policy
			}
			if before, err := decodePolicy(policy.key(), doc.Data); err == nil {
				r.Before = &before.Policy
			}
			if err := record(ctx, p.opts.Audit, r); err != nil {
				return err
			}
			audited = true
		}
		if err = try(doc.Version, index, keys); errors.Is(err, localpass.ErrConflict) {
			continue
		}
		if err != nil {
			_ = record(context.WithoutCancel(ctx), p.opts.Audit, &AuditRecord{Kind: AuditVoid, At: p.clock.Now().Round(0), Tool: policy.Tool,
				Server: policy.Server, Side: policy.Side, By: by}) // the returned error reports the failure too
		}
		return err
	}
	return fmt.Errorf("approval: the policy for %s is being changed all the time: try again", policy.target())
}

// write applies the operations in one batch if the store supports it, and otherwise one
// by one.
func (p *Policies) write(ctx context.Context, ops ...localpass.Op) error {
	if batcher, ok := p.store.(localpass.Batcher); ok {
		if _, err := batcher.Batch(ctx, ops...); err != nil {
			return fmt.Errorf("approval: write policies: %w", err)
		}
		return nil
	}
	for _, op := range ops {
		var err error
		if op.Delete {
			if err = p.store.Delete(ctx, op.Collection, op.Key); errors.Is(err, localpass.ErrNotFound) {
				err = nil
			}
		} else {
			_, err = p.store.Put(ctx, op.Collection, op.Key, localpass.Document{Version: op.Version, Data: op.Data})
		}
		if err != nil {
			return fmt.Errorf("approval: write policies: %w", err)
		}
	}
	return nil
}

type policyIndexRecord struct {
	Keys []string `json:"keys"`
}

// index reads the keys of the policies that must exist.
func (p *Policies) index(ctx context.Context) (localpass.Document, []string, error) {
	doc, err := p.store.Get(ctx, collectionPolicyIndex, policyIndex)
	if errors.Is(err, localpass.ErrNotFound) {
		return localpass.Document{}, nil, nil
	}
	if err != nil {
		return doc, nil, fmt.Errorf("approval: read which policies there are: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keysText == string(doc.Data) {
		return doc, p.keys, nil
	}
	var rec policyIndexRecord
	if err := strictDecode(doc.Data, &rec); err != nil {
		return doc, nil, fmt.Errorf("approval: %s/%s cannot be read: remove it and look whether all policies are there: %w", collectionPolicyIndex, policyIndex, err)
	}
	p.keys, p.keysText = rec.Keys, string(doc.Data)
	return doc, rec.Keys, nil
}

// decode decodes a stored policy, and caches the result by the text of the document.
func (p *Policies) decode(doc localpass.Document) (*compiledPolicy, error) {
	const most = 1000 // clear the cache instead of exceeding this size
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.compiled[doc.Key]; ok && known.text == string(doc.Data) {
		return known.policy, known.err
	}
	if p.compiled == nil || len(p.compiled) >= most {
		p.compiled = map[string]readPolicy{}
	}
	read := readPolicy{text: string(doc.Data)}
	read.policy, read.err = decodePolicy(doc.Key, doc.Data)
	p.compiled[doc.Key] = read
	return read.policy, read.err
}

func (p *Policies) indexOp(doc localpass.Document, keys []string) localpass.Op {
	data, _ := json.Marshal(policyIndexRecord{Keys: keys}) // marshalling strings cannot fail
	return localpass.Op{Collection: collectionPolicyIndex, Key: policyIndex, Version: doc.Version, Data: data}
}

// readStored returns the stored policy under a key, or nil. keys are the keys that the
// index listed before. missing reports that the policy must exist but does not.
func (p *Policies) readStored(ctx context.Context, key string, keys []string) (policy *compiledPolicy, missing bool, err error) {
	for {
		doc, err := p.store.Get(ctx, collectionPolicies, key)
		if err == nil {
			policy, err = p.decode(doc)
			return policy, false, err
		}
		if !errors.Is(err, localpass.ErrNotFound) {
			return nil, false, fmt.Errorf("approval: read the policy %s: %w", key, err)
		}
		if !slices.Contains(keys, key) {
			return nil, false, nil
		}
		if missing {
			return nil, true, fmt.Errorf("%w: the policy %s was lost: set it again or delete it", ErrInvalid, key)
		}
		// The policy may have been removed after the index was read: read both again.
		missing = true
		if _, keys, err = p.index(ctx); err != nil {
			return nil, false, err
		}
	}
}

// List yields the fixed policies and then the stored ones, each in the order of side,
// server and tool. An unreadable policy is yielded as ALWAYS_DENY with an error that
// matches [ErrInvalid]; the iteration may continue after it.
func (p *Policies) List(ctx context.Context) iter.Seq2[Policy, error] {
	return func(yield func(Policy, error) bool) {
		for _, fixed := range p.opts.Fixed {
			if !yield(fixed, nil) {
				return
			}
		}
		_, keys, err := p.index(ctx)
		if err != nil {
			yield(Policy{}, err)
			return
		}
		seen := make(map[string]bool, len(keys))
		for doc, err := range p.store.List(ctx, collectionPolicies, localpass.ListOptions{}) {
			if err != nil {
				yield(Policy{}, fmt.Errorf("approval: list policies: %w", err))
				return
			}
			seen[doc.Key] = true
			policy, err := decodePolicy(doc.Key, doc.Data)
			if err != nil {
				policy = &compiledPolicy{Policy: deniedKey(doc.Key)}
			}
			if !yield(policy.Policy, err) {
				return
			}
		}
		for _, key := range keys {
			if seen[key] {
				continue
			}
			policy, missing, err := p.readStored(ctx, key, keys)
			if policy == nil && !missing {
				continue
			}
			if err != nil {
				policy = &compiledPolicy{Policy: deniedKey(key)}
			}
			if !yield(policy.Policy, err) {
				return
			}
		}
	}
}

// deniedKey returns the policy that stands for an unreadable one.
func deniedKey(key string) Policy {
	denied := Policy{Effect: AlwaysDeny}
	if parts := strings.Split(key, "/"); len(parts) == 3 {
		if parts[0] != anySide {
			denied.Side = Side(parts[0])
		}
		denied.Server, _ = url.PathUnescape(parts[1])
		denied.Tool, _ = url.PathUnescape(parts[2])
	}
	return denied
}
