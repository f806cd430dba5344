// Package server puts the library's own HTTP APIs, the MCP endpoint and the page
// of the playground together in one handler on one port.
//
// It holds little of its own: what the page needs at its first paint
// (/api/home, /api/meta), one stream of events for a whole browser
// (/api/events), client configurations, settings and secrets. Everything else
// is what the packages of the library serve, mounted as it is.
package server
