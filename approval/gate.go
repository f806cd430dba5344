package approval

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/toolspec"
)

// Gate decides which calls may run. It is a [toolspec.Gate]. All methods are
// safe for concurrent use.
type Gate struct {
	opts     Options
	policies *Policies
	grants   *Grants
	broker   *Broker
	clock    clock.Clock
}

var _ toolspec.Gate = (*Gate)(nil)

// NewGate returns a gate. The error says which option is missing.
func NewGate(opts *Options) (*Gate, error) {
	g := &Gate{}
	if opts != nil {
		g.opts = *opts
	}
	if err := checkAuditor(g.opts.Audit, g.opts.NoAudit); err != nil {
		return nil, err
	}
	g.clock = clock.Clock{NowFunc: g.opts.Now}
	var err error
	if g.policies = g.opts.Policies; g.policies == nil {
		if g.policies, err = NewPolicies(g.opts.Store, &PoliciesOptions{Fixed: g.opts.Fixed, Audit: g.opts.Audit, NoAudit: g.opts.NoAudit, Now: g.opts.Now}); err != nil {
			return nil, err
		}
	}
	if g.grants = g.opts.Grants; g.grants == nil {
		if g.grants, err = NewGrants(g.opts.Store, &GrantsOptions{Audit: g.opts.Audit, NoAudit: g.opts.NoAudit, Now: g.opts.Now}); err != nil {
			return nil, err
		}
	}
	if g.broker = g.opts.Broker; g.broker == nil {
		if g.broker, err = NewBroker(g.opts.Store, &BrokerOptions{Audit: g.opts.Audit, NoAudit: g.opts.NoAudit, Now: g.opts.Now, Telemetry: g.opts.Telemetry}); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Policies, Grants and Broker are what the gate works with.
func (g *Gate) Policies() *Policies { return g.policies }

// Grants are the wider answers that the gate keeps.
func (g *Gate) Grants() *Grants { return g.grants }

// Broker keeps the gate's questions.
func (g *Gate) Broker() *Broker { return g.broker }

// Decide says of each call whether it may run, in the order of the calls. All
// that a person must be asked about is asked at once, and Decide returns when
// all of them are answered or their time is up, or when an approver says
// [ErrPause]: the verdicts of what is not answered are then [Pending], and the
// questions stay open.
//
// A call that may run has its approval used up when Decide returns: a program
// that ends then has not run it, and cannot run it later without asking anew.
func (g *Gate) Decide(ctx context.Context, calls []Call) []Verdict {
	verdicts := make([]Verdict, len(calls))
	for i := range verdicts {
		verdicts[i] = Verdict{Outcome: Failed, Cause: errors.ErrUnsupported}
	}
	return verdicts
}

// Resume says whether a call may run that an earlier question is about, by the
// id of its request: for a turn that goes on, and for a client that was asked to
// call again. The call must be the one that was asked about, of the same tool as
// it was then, and no policy may refuse it by now. A request that is still
// pending gives a verdict of [Pending] again. An approval is good for one call.
func (g *Gate) Resume(ctx context.Context, id string, call Call) Verdict {
	return Verdict{Outcome: Failed, Cause: errors.ErrUnsupported}
}

// Await is [Gate.Resume] when the request is no longer pending: it holds the
// call until then. When ctx ends first, the request is cancelled.
func (g *Gate) Await(ctx context.Context, id string, call Call) Verdict {
	return Verdict{Outcome: Failed, Cause: errors.ErrUnsupported}
}

// Clear implements [toolspec.Gate] for the tool itself: it takes the
// [Clearance] in ctx when that is for just this call, and else decides, as
// [Gate.Decide] does, and waits for the answer. It returns the arguments when a
// person changed them.
func (g *Gate) Clear(ctx context.Context, def toolspec.Definition, call *toolspec.Call) (json.RawMessage, error) {
	return nil, errors.ErrUnsupported
}

// Row is one row of the precedence table as it looks at a call.
type Row struct {
	// Number is the row's place, from 1: of the rows that match, the first one
	// counts.
	Number int `json:"number"`
	// Rule is the row in words.
	Rule    string `json:"rule"`
	Matches bool   `json:"matches"`
	// Decides marks the first row that matches.
	Decides bool   `json:"decides"`
	Effect  Effect `json:"effect,omitempty"` // what it does where it matches: "deny", "ask" or "run"
	Detail  string `json:"detail,omitempty"` // which policy, rule, grant or finding
}

// Explain says why a call would run, be asked about or be refused: every row of
// the precedence table. It asks nobody and uses nothing up.
func (g *Gate) Explain(ctx context.Context, call Call) []Row { return nil }

// Close ends what waits, as a no, and what runs in the background.
func (g *Gate) Close() error { return nil }
