package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// book is an auditor that keeps its records and can fail.
type book struct {
	mu      sync.Mutex
	records []approval.AuditRecord
	fail    func(*approval.AuditRecord) error
}

func (b *book) AuditApproval(_ context.Context, r *approval.AuditRecord) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		if err := b.fail(r); err != nil {
			return err
		}
	}
	b.records = append(b.records, *r)
	return nil
}

// kinds returns the kinds of the records in order.
func (b *book) kinds() []approval.AuditKind {
	b.mu.Lock()
	defer b.mu.Unlock()
	kinds := []approval.AuditKind{}
	for _, r := range b.records {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

func (b *book) last() approval.AuditRecord {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.records[len(b.records)-1]
}

// failing returns an auditor that cannot write records of some kinds.
func failing(kinds ...approval.AuditKind) *book {
	return &book{fail: func(r *approval.AuditRecord) error {
		if slices.Contains(kinds, r.Kind) {
			return errors.New("the disk is full")
		}
		return nil
	}}
}

// newGate returns a gate, on a store in memory unless opts has a store.
func newGate(t testing.TB, opts approval.Options) *approval.Gate {
	t.Helper()
	if opts.Store == nil {
		opts.Store = memory.New()
	}
	if opts.Audit == nil {
		opts.Audit = &book{}
	}
	g, err := approval.NewGate(&opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	return g
}

var (
	ada   = toolspec.Principal{Subject: "ada", Via: "http"}
	grace = toolspec.Principal{Subject: "grace", Via: "http"}
)

const anyObject = `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"number"}}}`

// tool returns the definition of a tool of a level; required means that it requires
// approval.
func tool(name string, level toolspec.Level, required bool) toolspec.Definition {
	def := toolspec.Definition{Name: name, Description: "Does " + name + ".", InputSchema: json.RawMessage(anyObject), Level: level, Fingerprint: "fp-" + name}
	if required {
		def.Approval = &toolspec.Approval{Mode: toolspec.ApprovalRequired}
	}
	return def
}

// call returns a call of a tool in a chat of ada.
func call(def toolspec.Definition, arguments string) approval.Call {
	return approval.Call{Definition: def, Side: approval.SideChat,
		Call: &toolspec.Call{ID: "c1", Arguments: json.RawMessage(arguments), Principal: ada, Conversation: "conv"}}
}

// decide checks one call.
func decide(t testing.TB, g *approval.Gate, c approval.Call) approval.CallOutcome {
	t.Helper()
	outcomes := g.Check(t.Context(), []approval.Call{c})
	require.Len(t, outcomes, 1)
	out := outcomes[0]
	assert.Equal(t, out.Allowed(), out.Err() == nil)
	assert.Equal(t, out.Allowed(), out.Clearance != nil)
	if !out.Allowed() {
		assert.NotEmpty(t, out.Message)
		assert.NotEmpty(t, out.Reason)
		assert.Nil(t, out.Arguments)
	}
	return out
}

// answering is an approver that decides every request in the same way and counts the
// requests.
type answering struct {
	decision approval.Decision

	mu       sync.Mutex
	requests []approval.Request
	outcomes []approval.Record
}

func (a *answering) Ask(_ context.Context, requests []approval.Request) ([]approval.Decision, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, requests...)
	decisions := make([]approval.Decision, len(requests))
	for i, r := range requests {
		decisions[i] = a.decision
		decisions[i].Request = r.ID
		if decisions[i].Confirm == "" {
			decisions[i].Confirm = r.Confirm
		}
	}
	return decisions, nil
}

func (a *answering) OnOutcome(rec approval.Record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes = append(a.outcomes, rec)
}

func (a *answering) asked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests)
}

func (a *answering) last() approval.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests[len(a.requests)-1]
}

func yes() *answering {
	return &answering{decision: approval.Decision{Outcome: approval.Approved, By: ada, Via: "test"}}
}

func no(reason string) *answering {
	return &answering{decision: approval.Decision{Outcome: approval.Declined, By: ada, Via: "test", Reason: reason}}
}

// wallClock is a clock that a test sets.
type wallClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *wallClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *wallClock) skip(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}
