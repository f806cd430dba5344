// Package webhook asks another service whether a tool call may run.
//
// [New] makes an approval.Approver that posts a [Request] to a URL and reads a [Reply].
// Both are JSON, and both are signed with a shared secret; the service can use [Sign] and
// [Verify]. A service that cannot answer at once replies with status 202 and decides
// later through approvalapi.
package webhook
