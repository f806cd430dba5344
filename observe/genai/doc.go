// Package genai is how the rest of localpass speaks to an observer: the names
// of spans, attributes, metrics and events, and one small value, [Telemetry],
// that carries the places they go to.
//
// A Telemetry is handed in through a constructor's options and never global: a program
// fills in a TracerProvider, a MeterProvider and a Logger, whichever it has, and gives
// the same *Telemetry to every package. The example shows it. Without a provider and a
// [Sink] it is off: every method works, builds nothing and allocates nothing, so
// packages call them without asking first.
//
// An operation, [Op], is a span, a measured duration and an [Event] at once. A call of a
// tool is one operation, whatever it passes through: a chat, a hub and a studio that
// have the same Telemetry begin it once, and the inner ones add what they know.
// "localpass.turn.root" is on the span of a turn, a request, a direct call or a test run
// that has no span around it.
//
// The package imports the OpenTelemetry API and never its SDK. Names follow the
// OpenTelemetry semantic conventions for generative AI and MCP (schema 1.41.0);
// names that begin with "localpass." are ours.
package genai
