package approval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Decisions returns the outcomes that a person can choose, in the order in which they are
// offered.
func Decisions() []Outcome { return []Outcome{Approved, Declined, Cancelled} }

// checkDecision rejects an outcome that a person cannot choose.
func checkDecision(o Outcome) error {
	if slices.Contains(Decisions(), o) {
		return nil
	}
	var words []string
	for _, d := range Decisions() {
		words = append(words, string(d))
	}
	return fmt.Errorf("%w: a decision is one of %s, not %.40q", ErrInvalid, strings.Join(words, ", "), string(o))
}

// Answer is a decision as other programs send it, in JSON. Exactly one of Decision and
// Approved is set.
type Answer struct {
	Decision    Outcome         `json:"decision,omitempty" enum:"approved,declined,cancelled" doc:"One of the options of the request. Either this or approved is required."`
	Approved    *bool           `json:"approved,omitempty" doc:"In place of decision: true is approved, false is declined."`
	Arguments   json.RawMessage `json:"arguments,omitempty" doc:"Run in place of those that were asked about; they must match the schema."`
	Scope       Scope           `json:"scope,omitempty" enum:"once,arguments,conversation,calls,time,always" doc:"One of the scopes of the request. Default once."`
	Calls       int             `json:"calls,omitempty" doc:"How many, for the scope calls."`
	Until       time.Time       `json:"until,omitzero" doc:"For the scope time: at most 8 hours ahead."`
	Note        string          `json:"note,omitempty" doc:"The note that the model gets if the call is denied."`
	ConfirmName string          `json:"confirmName,omitempty" doc:"What was typed, where the request has confirm."`
}

// For returns the decision about the request with the given id. The error matches
// [ErrInvalid].
func (a *Answer) For(request string) (Decision, error) {
	d := Decision{Request: request, Outcome: a.Decision, Scope: a.Scope, Calls: a.Calls, Until: a.Until, Arguments: a.Arguments,
		Confirm: a.ConfirmName, Reason: a.Note}
	if a.Approved != nil {
		if a.Decision != "" {
			return d, fmt.Errorf("%w: decision and approved say the same: send one of them", ErrInvalid)
		}
		if d.Outcome = Declined; *a.Approved {
			d.Outcome = Approved
		}
	}
	return d, checkDecision(d.Outcome)
}
