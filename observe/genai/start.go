package genai

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Tool describes the execution of one tool.
type Tool struct {
	Name         string
	CallID       string
	Conversation string
	Origin       string // [OriginSpec] or [OriginNative]
	Level        string // "L0" to "L5"
	Server       string // the connection that the tool came over. Optional
}

// StartTool begins "execute_tool {name}", one tool call.
func (t *Telemetry) StartTool(ctx context.Context, tool Tool) (context.Context, *Op) {
	if !t.Enabled() {
		return ctx, nil
	}
	attrs := append(make([]attribute.KeyValue, 0, 8),
		attribute.String(KeyToolName, tool.Name),
		attribute.String(KeyToolOrigin, tool.Origin),
		attribute.String(KeyOperationName, "execute_tool"),
		attribute.String(KeyToolType, "function"))
	attrs = appendText(attrs, KeyToolCallID, tool.CallID)
	attrs = appendText(attrs, KeyConversationID, tool.Conversation)
	attrs = appendText(attrs, KeySandboxLevel, tool.Level)
	attrs = appendText(attrs, KeyMCPServer, tool.Server)
	return t.start(ctx, Event{Name: "execute_tool " + tool.Name, Operation: "execute_tool", Attrs: attrs},
		trace.SpanKindInternal, t.instruments().tool, 2)
}

// Sandbox describes one run of a spec's code.
type Sandbox struct {
	Name    string
	Level   string
	Tier    string // "isolated" or "in-process"
	Timeout time.Duration
}

// StartSandbox begins "sandbox {name}", one run of a spec's code.
func (t *Telemetry) StartSandbox(ctx context.Context, run Sandbox) (context.Context, *Op) {
	if !t.Enabled() {
		return ctx, nil
	}
	attrs := append(make([]attribute.KeyValue, 0, 8),
		attribute.String(KeySandboxTier, run.Tier),
		attribute.String(KeyToolName, run.Name),
		attribute.Int64(KeySandboxTimeout, run.Timeout.Milliseconds()))
	attrs = appendText(attrs, KeySandboxLevel, run.Level)
	attrs = appendText(attrs, KeyRunID, runOf(ctx))
	return t.start(ctx, Event{Name: "sandbox " + run.Name, Operation: "sandbox", Attrs: attrs},
		trace.SpanKindInternal, t.instruments().sandbox, 1)
}

// Request describes one MCP request that the server answers.
type Request struct {
	Method    string // "tools/call"
	Target    string // the tool's name, the prompt's name, the resource's URI or template
	Transport string // "pipe" or "tcp"
	Protocol  string
	Session   string
}

// StartRequest begins "{method} {target}", one MCP request on the server side,
// the root of what follows from it.
func (t *Telemetry) StartRequest(ctx context.Context, r Request) (context.Context, *Op) {
	if !t.Enabled() {
		return ctx, nil
	}
	attrs := append(make([]attribute.KeyValue, 0, 8),
		attribute.String(KeyMCPMethod, r.Method),
		attribute.String(KeyTransport, r.Transport),
		attribute.String(r.targetKey(), r.Target),
		attribute.Bool(KeyTurnRoot, true))
	attrs = appendText(attrs, KeyMCPProtocol, r.Protocol)
	attrs = appendText(attrs, KeyMCPSession, r.Session)
	return t.start(ctx, Event{Name: r.Method + " " + r.Target, Operation: r.Method, Attrs: attrs},
		trace.SpanKindServer, t.instruments().server, 3)
}

// targetKey is the attribute that says what a request is about.
func (r *Request) targetKey() string {
	switch r.Method {
	case "prompts/get":
		return KeyPromptName
	case "resources/read":
		return KeyResourceURI
	}
	return KeyToolName
}

// StartPass begins "local_pass {name}", the test run by which a tool earns its
// Local Pass.
func (t *Telemetry) StartPass(ctx context.Context, name string) (context.Context, *Op) {
	if !t.Enabled() {
		return ctx, nil
	}
	attrs := append(make([]attribute.KeyValue, 0, 4), attribute.String(KeyToolName, name))
	attrs = appendText(attrs, KeyRunID, runOf(ctx))
	return t.start(ctx, Event{Name: "local_pass " + name, Operation: "local_pass", Attrs: attrs},
		trace.SpanKindInternal, nil, 0)
}

// Blocked counts one thing that the sandbox refused or stopped. Both words come
// from small sets: a kind such as "SECURITY" and a stable reason.
func (t *Telemetry) Blocked(ctx context.Context, kind, reason string) {
	if t == nil || t.Meter == nil {
		return
	}
	if c := t.instruments().blocked; c != nil {
		c.Add(ctx, 1, metric.WithAttributes(attribute.String(KeySandboxKind, kind), attribute.String(KeySandboxReason, reason)))
	}
}

func appendText(attrs []attribute.KeyValue, key, value string) []attribute.KeyValue {
	if value == "" {
		return attrs
	}
	return append(attrs, attribute.String(key, value))
}
