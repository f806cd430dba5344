package approval

import "context"

// approver returns an approver that approves the one request of the person's own call.
func (p ByHand) approver() Approver {
	return ApproverFunc(func(_ context.Context, requests []Request) ([]Decision, error) {
		return []Decision{{Request: requests[0].ID, Outcome: Approved, Scope: ScopeOnce, By: p.By, Via: p.Via}}, nil
	})
}

// byHand reports whether the command of the person who makes the call decides the question.
func (q *question) byHand() bool {
	call := &q.in.call
	return call.ByHand.Via != "" && call.ByHand.By.Subject != "" && q.evaluation.row != rowFindings && !high(call.Definition.Level)
}
