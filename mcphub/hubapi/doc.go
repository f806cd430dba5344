// Package hubapi serves the known servers of a program over HTTP, as JSON: their records and status, what they offer,
// an inspector, and what a composition serves.
//
// [New] makes an [API] for servers.Connections. It is an http.Handler with all routes, and [API.Mount] adds the
// routes to a mux with others:
//
//	GET    /api/mcp/servers                          servers with their status, a page at a time; POST saves one
//	GET    /api/mcp/servers/{id}                     one server; DELETE deletes it
//	POST   /api/mcp/servers/test                     tries a connection; /{id}/verify tries the saved one
//	POST   /api/mcp/servers/{id}/connect             connects; /stop closes the session, /sync asks what it offers
//	GET    /api/mcp/servers/{id}/status              the status; /stream follows it
//	GET    /api/mcp/servers/{id}/capabilities        what it offers
//	POST   /api/mcp/servers/{id}/inspect/...         one manual operation (with [Options.Inspector])
//	GET    /api/mcp/servers/{id}/inspect/history     records, notifications and open questions
//	GET    /api/mcp/servers/{id}/frames              the messages of its sessions
//	POST   /api/mcp/tools/execute                    calls a tool through the gate of the inspector
//	GET    /api/mcp/servers/{id}/authorization       the status of its authorization (with [Options.Authorizer])
//	GET    /api/mcp/compositions                     the tools that are served (with [Options.Composition])
//	GET    /api/mcp/compositions/shares              resources and prompts that are served
//	GET    /api/openapi.json                         the OpenAPI 3.1 description of these routes
//
// Errors are application/problem+json with a stable code. Secrets of connections are never sent. Without
// [Options.Authenticate] only connections on a loopback address are served. An accepted caller can start programs on
// this machine: use other credentials for this API than for the endpoint of the tools.
package hubapi
