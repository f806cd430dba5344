// Package httpapi is the common base of all HTTP APIs of the project.
//
// # A table of routes
//
// A package describes its API as a [Table]: for each [Route] the method and the path, the
// Go types of its input and output, the problems it may answer with, and the function that
// serves it. [New] combines the tables of one or several packages into a [Service], which
//
//   - mounts the routes individually on a ServeMux, so that packages may share a prefix
//     ([Service.Mount]), or serves all of them as an http.Handler;
//   - generates their OpenAPI 3.1 description, with the same bytes each time, and serves
//     it at [DescriptionPath].
//
// The types in the table are both the types in the description and the types that the
// handlers use, with [Decode] and [Reply], so the description and the code cannot differ.
//
// # Checks of every request
//
// Each request is checked in this order: Host (a loopback name, or one of
// [Options].AllowedHosts; else 421), Origin and Sec-Fetch-Site (else 403),
// [Options].Authenticate (else 401; without it only connections that arrive on a loopback
// address are served, and no request that a proxy forwarded: else 403), then the content
// type and the size of the body. Every answer has an X-Request-Id and headers that prevent
// a browser from executing it, framing it or guessing its type.
//
// # Problems
//
// A handler returns an error. A [*Problem] is sent as application/problem+json (RFC 9457);
// any other error, and a panic, results in a 500 without details and is logged to
// [Options].Logger.
//
// # Comparison with huma
//
// danielgtaylor/huma/v2 2.37.2 was tried with routes of approval/approvalapi. It accepts
// {"decision": "approve", "decision": "decline"} and "DECISION" in place of "decision", and
// the last member wins: that is unacceptable for an API that decides about calls. It
// accepts bodies nested 9,000 levels deep, rejects 1e400 inside a tool's arguments, and
// returns the rejected input, including the whole body if it is not JSON, with all secrets.
// The guards, problems, resumable streams and a strict decoder would remain our own code in
// any case, behind huma's interface for formats. huma would replace the description of
// types and routes, some 500 lines, and add 709 KB to a program with one API.
//
// # Events
//
// [Events] is a bounded log of events that any number of clients follow over server-sent
// events. A client whose connection broke continues after the last event that it received.
package httpapi
