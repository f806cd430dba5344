package approval

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
)

// Grant is a yes that reaches further than one call. It ends after 8 hours at
// most, and as soon as the tool or its level is another.
type Grant struct {
	// ID is "gr_" and a ULID.
	ID    string `json:"id"`
	Scope Scope  `json:"scope"`

	Tool        string             `json:"tool"`
	Server      string             `json:"server,omitempty"`
	Fingerprint string             `json:"fingerprint"`
	Level       toolspec.Level     `json:"level"`
	Principal   toolspec.Principal `json:"principal"`
	Side        Side               `json:"side"`
	// Conversation binds a grant of scope conversation, Digest one of scope
	// arguments.
	Conversation string `json:"conversation,omitempty"`
	Digest       string `json:"digest,omitempty"`
	// Calls is how many calls a grant of scope calls is good for. Used is how
	// many it let run.
	Calls int `json:"calls,omitempty"`
	Used  int `json:"used"`

	// Request is the question that it was given at, By who gave it.
	Request string             `json:"request"`
	By      toolspec.Principal `json:"by,omitzero"`
	Via     string             `json:"via,omitempty"`
	Created time.Time          `json:"created"`
	Expires time.Time          `json:"expires"`
	// Last is when it was last used.
	Last time.Time `json:"last,omitzero"`
}

// GrantsOptions are the options of [NewGrants].
type GrantsOptions struct {
	// Audit is told of every grant, use and revocation before it counts. It may be
	// nil only with NoAudit.
	Audit Auditor
	// NoAudit says that no record is wanted: for tests.
	NoAudit bool
	// Now replaces time.Now.
	Now func() time.Time
}

// GrantFilter selects grants. The zero value selects all.
type GrantFilter struct {
	Principal    *toolspec.Principal
	Side         Side
	Server, Tool string
	Conversation string
}

// Grants keeps grants in a Persistence. All methods are safe for concurrent use,
// and several programs may share the store: a grant for three calls lets three
// run in all of them together.
type Grants struct {
	store localpass.Persistence
	opts  GrantsOptions
	clock clock.Clock
}

// NewGrants returns the grants that the store holds.
func NewGrants(store localpass.Persistence, opts *GrantsOptions) (*Grants, error) {
	g := &Grants{store: store}
	if opts != nil {
		g.opts = *opts
	}
	if err := checkAuditor(g.opts.Audit, g.opts.NoAudit); err != nil {
		return nil, err
	}
	g.clock = clock.Clock{NowFunc: g.opts.Now}
	return g, nil
}

// List yields the live grants that the filter selects, the oldest first.
func (g *Grants) List(ctx context.Context, filter GrantFilter) iter.Seq2[Grant, error] {
	return func(yield func(Grant, error) bool) { yield(Grant{}, errors.ErrUnsupported) }
}

// Get returns a live grant, or [ErrNotFound].
func (g *Grants) Get(ctx context.Context, id string) (Grant, error) {
	return Grant{}, errors.ErrUnsupported
}

// Revoke ends a grant, or returns [ErrNotFound].
func (g *Grants) Revoke(ctx context.Context, id string, by toolspec.Principal) error {
	return errors.ErrUnsupported
}

// RevokeAll ends every grant that the filter selects and returns how many.
func (g *Grants) RevokeAll(ctx context.Context, filter GrantFilter, by toolspec.Principal) (int, error) {
	return 0, errors.ErrUnsupported
}
