// Package genai is how the rest of localpass reports to an observer: the names of spans,
// attributes, metrics and events, and one small value, [Telemetry], that holds their
// receivers.
//
// A Telemetry is passed in a constructor's options and is never global: a program sets
// the TracerProvider, MeterProvider and Logger that it has, and passes the same
// *Telemetry to every package, as the example shows. Without a provider and a [Sink] it
// is off: every method works but builds and allocates nothing, so packages call them
// unconditionally.
//
// An operation, [Op], is a span, a measured duration and an [Event] at once. A tool call
// is one operation even if it passes through several packages: if a chat, a hub and a
// studio have the same Telemetry, the outermost begins the operation and the inner ones
// add what they know. "localpass.turn.root" is on the span of a turn, a request, a direct
// call or a test run that has no enclosing span.
//
// The package imports the OpenTelemetry API and never its SDK. Names follow the
// OpenTelemetry semantic conventions for generative AI and MCP (schema 1.41.0);
// names that begin with "localpass." are ours.
package genai
