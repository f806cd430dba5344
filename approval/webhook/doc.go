// Package webhook asks another service whether a call of a tool may run.
//
// [New] makes an approval.Approver that posts a [Request] to an address and takes
// a [Reply]. Both are JSON, and both are signed with a secret that the two sides
// share: [Sign] and [Verify] are for the service. A service that cannot answer at
// once replies with status 202 and answers later, over approvalapi.
package webhook
