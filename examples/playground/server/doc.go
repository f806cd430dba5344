// Package server combines the HTTP APIs of the library, the MCP endpoint and the page of
// the playground in one handler on one port.
//
// It adds little of its own: the data for the first paint of the page (/api/home,
// /api/meta), one stream of events per browser (/api/events), client configurations,
// settings and secrets. Everything else is mounted unchanged from the packages of the
// library.
package server
