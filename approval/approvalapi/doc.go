// Package approvalapi serves the questions, grants and policies of an
// approval.Gate over HTTP, as JSON.
//
// [New] makes an [API] for a gate. It is an http.Handler with all routes, and [API.Mount] adds the routes to a mux with
// others:
//
//	GET    /api/approvals                    the requests, a page at a time
//	GET    /api/approvals/stream             changes of requests, as server-sent events
//	GET    /api/approvals/{id}               one request
//	POST   /api/approvals/{id}               decides it: approved, declined or cancelled, with a scope or edited arguments
//	POST   /api/approvals/{id}/more-time     extends its deadline, once
//	POST   /api/approvals/explain            what would happen to a call (with [Options.Lookup])
//	POST   /api/responses/approval/{id}      decides it with a Boolean: {"approved": true}
//	GET    /api/approvals/grants             live grants; DELETE revokes one, or all that match
//	GET    /api/mcp/approval-policies        policies; PUT sets one, DELETE removes one
//	GET    /api/openapi.json                 the OpenAPI 3.1 description of these routes
//
// Errors are application/problem+json with a stable code. Secrets in responses are masked. Without
// [Options.Authenticate] only connections on a loopback address are served. The program that makes calls must not be
// able to decide here: use other credentials for this API than for the endpoint of the tools.
package approvalapi
