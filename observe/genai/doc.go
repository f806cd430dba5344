// Package genai is how the rest of localpass speaks to an observer: the names
// of spans, attributes, metrics and events, and one small value, [Telemetry],
// that carries the places they go to.
//
// A Telemetry is handed in through a constructor's options and never global. A
// nil *Telemetry, and the zero value, are off: every method works on them,
// builds nothing and allocates nothing, so packages call them without asking
// first.
//
//	op, ctx := tel.StartTool(ctx, genai.Tool{Name: "hash", Level: "L0"})
//	defer func() { op.End(err) }()
//
// The package imports the OpenTelemetry API and never its SDK. Names follow the
// OpenTelemetry semantic conventions for generative AI and MCP (schema 1.41.0);
// names that begin with "localpass." are ours.
package genai
