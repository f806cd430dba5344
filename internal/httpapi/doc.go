// Package httpapi is the common base of every HTTP API of the project.
//
// # A table of routes
//
// A package describes its API as a [Table]: for each [Route] the method and the
// path, what goes in and what comes out as Go types, the problems it may answer
// with, and the function that serves it. [New] puts the tables of one or of
// several packages together into a [Server], which
//
//   - mounts the routes one by one on a ServeMux, so that packages may share a
//     prefix ([Server.Mount]), or serves them all as an http.Handler;
//   - makes an OpenAPI 3.1 description of them, the same bytes each time, and
//     serves it at [DescriptionPath].
//
// The types in the table are what the description shows and what the handlers
// use, by [Decode] and [Reply]: it cannot say one thing while the code does
// another.
//
// # What every request goes through
//
// Host (a loopback name, or one of [Options].AllowedHosts; else 421), Origin and
// Sec-Fetch-Site (else 403), [Options].Authenticate (else 401; without it only
// connections that arrive on a loopback address are served, and no request that
// a proxy forwarded: else 403), then the content type and the size of the body.
// Every answer carries headers that keep a browser from running, framing or
// guessing at it, and an X-Request-Id.
//
// # Problems
//
// A handler returns an error. A [*Problem] is answered as
// application/problem+json (RFC 9457); any other error, and a panic, is a 500
// without details, and goes to [Options].Logger.
//
// # Beside huma
//
// danielgtaylor/huma/v2 2.37.2 was tried with routes of approval/approvalapi. It lets
// {"decision": "approve", "decision": "decline"} through, and "DECISION" in the place of
// "decision", the last of them wins: with an API that decides about calls that is not an
// option. It reads bodies that nest 9,000 deep, refuses 1e400 inside of a tool's
// arguments, and sends what it refused back, the whole body where that is not JSON,
// secrets and all. Guards, problems, streams that
// resume and a strict decoder stay ours in any case, behind its interface for formats.
// It would replace the description of types and routes, some 500 lines, and add 709 KB to a
// program with one API.
//
// # Events
//
// [Events] is a bounded run of events that any number of clients follow over
// server-sent events, from where they were when the connection broke.
package httpapi
