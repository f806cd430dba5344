package inspector

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// Discover returns what was negotiated with a server, and connects first if there is no
// session. Result holds "protocolVersion", "era", "endpoint", "serverInfo",
// "capabilities", "instructions" and "raw", the answer to initialize or server/discover;
// a server of 2026-07-28 is asked again. As with all operations, the error says that the
// operation could not be started; the record contains later failures.
func (i *Inspector) Discover(ctx context.Context, server string) (*Inspection, error) {
	o, err := i.begin(ctx, server, "discover")
	if err != nil {
		return nil, err
	}
	l, err := i.c.Lease(o.ctx, server)
	if err != nil {
		return o.end(nil, nil, err), nil
	}
	info := l.Session().Info()
	l.Release()
	raw := info.Raw
	if info.Era == client.EraStateless {
		if raw, err = o.request(rpc.MethodDiscover, nil, servers.CallRules{Reads: true}, o.options()); err != nil {
			return o.end(nil, nil, err), nil
		}
	}
	out := map[string]any{"protocolVersion": info.Version, "era": info.Era, "endpoint": info.Endpoint, "serverInfo": info.Server,
		"instructions": info.Instructions, "capabilities": rpc.OrEmpty(info.Capabilities.Raw)}
	if len(raw) > 0 {
		out["raw"] = raw
	}
	result, err := json.Marshal(out)
	return o.end(nil, result, err), nil
}

// ListTools reads one page of the tools from the server, not from a snapshot. cursor is
// the nextCursor of the previous page, empty for the first.
func (i *Inspector) ListTools(ctx context.Context, server, cursor string) (*Inspection, error) {
	return i.page(ctx, server, rpc.MethodToolsList, cursor)
}

// ListResources reads one page of the resources.
func (i *Inspector) ListResources(ctx context.Context, server, cursor string) (*Inspection, error) {
	return i.page(ctx, server, "resources/list", cursor)
}

// ListTemplates reads one page of the resource templates.
func (i *Inspector) ListTemplates(ctx context.Context, server, cursor string) (*Inspection, error) {
	return i.page(ctx, server, "resources/templates/list", cursor)
}

// ListPrompts reads one page of the prompts.
func (i *Inspector) ListPrompts(ctx context.Context, server, cursor string) (*Inspection, error) {
	return i.page(ctx, server, "prompts/list", cursor)
}

func (i *Inspector) page(ctx context.Context, server, method, cursor string) (*Inspection, error) {
	var params json.RawMessage
	if cursor != "" {
		params = append(rpc.AppendString([]byte(`{"cursor":`), cursor), '}')
	}
	return i.Raw(ctx, server, method, params)
}

// ReadResource reads a resource.
func (i *Inspector) ReadResource(ctx context.Context, server, uri string) (*Inspection, error) {
	if uri == "" {
		return nil, invalidOperation("name the resource by its URI")
	}
	return i.Raw(ctx, server, "resources/read", append(rpc.AppendString([]byte(`{"uri":`), uri), '}'))
}

// GetPrompt gets a prompt with these arguments.
func (i *Inspector) GetPrompt(ctx context.Context, server, name string, arguments map[string]string) (*Inspection, error) {
	if name == "" {
		return nil, invalidOperation("name the prompt")
	}
	params := map[string]any{"name": name}
	if len(arguments) > 0 {
		params["arguments"] = arguments
	}
	return i.marshalled(ctx, server, "prompts/get", params)
}

// CompletionTrial says what to complete: the argument of a prompt, or the variable of a
// resource template.
type CompletionTrial struct {
	// Either Prompt, the name of a prompt, or Template, a URI template, is set.
	Prompt, Template string
	// Argument is the argument or variable, Value the text typed so far.
	Argument, Value string
	// Given are the arguments that already have a value. Optional.
	Given map[string]string
}

// Complete asks for completions of a partly typed value.
func (i *Inspector) Complete(ctx context.Context, server string, c CompletionTrial) (*Inspection, error) {
	params := map[string]any{"argument": map[string]string{"name": c.Argument, "value": c.Value}}
	switch {
	case c.Argument == "", (c.Prompt == "") == (c.Template == ""):
		return nil, invalidOperation("name a prompt or a template, and an argument of it")
	case c.Prompt != "":
		params["ref"] = map[string]string{"type": "ref/prompt", "name": c.Prompt}
	default:
		params["ref"] = map[string]string{"type": "ref/resource", "uri": c.Template}
	}
	if len(c.Given) > 0 {
		params["context"] = map[string]any{"arguments": c.Given}
	}
	return i.marshalled(ctx, server, "completion/complete", params)
}

func (i *Inspector) marshalled(ctx context.Context, server, method string, params any) (*Inspection, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, invalidOperation("%v", err)
	}
	return i.Raw(ctx, server, method, raw)
}

// Ping checks whether a server answers; Elapsed is how long that took. Since 2026-07-28,
// which has no ping, it sends a discovery request instead.
func (i *Inspector) Ping(ctx context.Context, server string) (*Inspection, error) {
	o, err := i.begin(ctx, server, "ping")
	if err != nil {
		return nil, err
	}
	l, err := i.c.Lease(o.ctx, server)
	if err != nil {
		return o.end(nil, nil, err), nil
	}
	method := rpc.MethodPing
	if l.Session().Info().Era == client.EraStateless {
		method = rpc.MethodDiscover
	}
	l.Release()
	result, err := o.request(method, nil, servers.CallRules{Reads: true}, o.options())
	return o.end(nil, result, err), nil
}

// SetLogLevel sets the lowest level of the log messages that a server sends, such as
// "debug". Up to 2025-11-25 the level applies to the session, which all callers share;
// since then it is sent with each operation of the inspector.
func (i *Inspector) SetLogLevel(ctx context.Context, server, level string) (*Inspection, error) {
	if rpc.ParseLevel(level) == rpc.LogNone {
		return nil, invalidOperation("%q is no log level: use debug, info, notice, warning, error, critical, alert or emergency", clip.To(level, 20))
	}
	o, err := i.begin(ctx, server, "logging/setLevel")
	if err != nil {
		return nil, err
	}
	params := append(rpc.AppendString([]byte(`{"level":`), level), '}')
	l, err := i.c.Lease(o.ctx, server)
	if err != nil {
		return o.end(params, nil, err), nil
	}
	era := l.Session().Info().Era
	l.Release()
	result := json.RawMessage("{}")
	if era != client.EraStateless {
		result, err = o.request("logging/setLevel", params, servers.CallRules{Idempotent: true}, o.options())
	}
	if err == nil {
		err = i.state(server, func(s *inspected) { s.level = level })
	}
	return o.end(params, result, err), nil
}

// LogLevel returns the level that SetLogLevel set last; empty if it was never set.
func (i *Inspector) LogLevel(server string) (level string, err error) {
	err = i.state(server, func(s *inspected) { level = s.level })
	return level, err
}

// logMeta returns the _meta with which an operation sets the log level since 2026-07-28.
func (i *Inspector) logMeta(s servers.Server) map[string]json.RawMessage {
	if info := s.Info(); info == nil || info.Era != client.EraStateless {
		return nil
	}
	level, _ := i.LogLevel(s.ID())
	if level == "" {
		return nil
	}
	return map[string]json.RawMessage{mcp.MetaKeyLogLevel: rpc.AppendString(nil, level)}
}

// Raw sends any request; params is a JSON object or nil. A tools/call is handled like
// [Inspector.CallTool]. Requests that start or end a session cannot be sent.
func (i *Inspector) Raw(ctx context.Context, server, method string, params json.RawMessage) (*Inspection, error) {
	return i.raw(ctx, server, method, params, toolspec.Principal{})
}

func (i *Inspector) raw(ctx context.Context, server, method string, params json.RawMessage, caller toolspec.Principal) (*Inspection, error) {
	params = bytes.TrimSpace(params)
	switch {
	case len(params) > 0 && (!rpc.IsObject(params) || !rpc.ValidJSON(params)):
		return nil, invalidOperation("the params must be a JSON object")
	case method == "" || len(method) > maxName:
		return nil, invalidOperation("name the method")
	case method == rpc.MethodInitialize, method == rpc.MethodListen:
		return nil, invalidOperation("%s belongs to the session: connect anew, or subscribe", method)
	case strings.HasPrefix(method, "notifications/"):
		return i.Notify(ctx, server, method, params)
	case method == rpc.MethodToolsCall:
		all := rpc.Object(params)
		name, _ := rpc.Text(all["name"])
		return i.CallTool(ctx, server, ToolTrial{Tool: name, Arguments: all["arguments"], Meta: rpc.Object(all["_meta"]), Principal: caller})
	}
	if len(params) == 0 {
		params = nil
	}
	o, err := i.begin(ctx, server, method)
	if err != nil {
		return nil, err
	}
	o.replayable(method, params)
	result, err := o.request(method, params, servers.CallRules{}, o.options())
	return o.end(params, result, err), nil
}

// replayable records how the operation can be repeated.
func (o *inspecting) replayable(method string, params json.RawMessage) {
	if len(params) <= maxReplay {
		o.rec.method, o.rec.params = method, bytes.Clone(params)
	}
}

// Notify sends a notification. Notifications that start a session or cancel a request
// cannot be sent.
func (i *Inspector) Notify(ctx context.Context, server, method string, params json.RawMessage) (*Inspection, error) {
	params = bytes.TrimSpace(params)
	switch {
	case len(params) > 0 && (!rpc.IsObject(params) || !rpc.ValidJSON(params)):
		return nil, invalidOperation("the params must be a JSON object")
	case method == rpc.MethodInitialized, method == rpc.MethodCancelled:
		return nil, invalidOperation("%s belongs to the session", method)
	case method == "" || len(method) > maxName:
		return nil, invalidOperation("name the method")
	}
	if len(params) == 0 {
		params = nil
	}
	o, err := i.begin(ctx, server, method)
	if err != nil {
		return nil, err
	}
	o.replayable(method, params)
	l, err := i.c.Lease(o.ctx, server)
	if err == nil {
		o.notified(l.Session(), method, params)
		err = l.Session().Notify(o.ctx, method, params)
		l.Release()
	}
	return o.end(params, nil, err), nil
}

// notified adds a notification to the messages: it belongs to no request.
func (o *inspecting) notified(s client.Session, method string, params json.RawMessage) {
	frame := append(rpc.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method), `,"params":`...)
	frame = append(append(frame, rpc.OrEmpty(params)...), '}')
	o.wire(client.SentNotification(s, method, frame))
}
