package openai

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/internal/wire"
)

// responsesTraits is what the encoder has to know of a model.
type responsesTraits struct {
	provider, model string
	vision          bool
	parallel        bool // may write several calls at once
	reasons         bool // thinks, and can be asked to show it
	effort          string
	fixed           bool // takes no sampling settings while it thinks
}

// responsesOverlay says what an overlay may set. What is denied belongs to the
// conversation, which is kept here and not at the provider, or to the tools.
func responsesOverlay() wire.OverlayRules {
	return wire.OverlayRules{
		Open: true,
		Deny: []string{"messages", "tools", "functions", "stream", "stream_options", "input", "instructions", "previous_response_id", "user", "store",
			"metadata", "background", "conversation"},
		Fields: map[string]string{"model": "string", "include": "array", "max_output_tokens": "integer", "max_tool_calls": "integer", "parallel_tool_calls": "boolean",
			"prompt_cache_key": "string", "prompt_cache_options": "object", "prompt_cache_retention": "string", "reasoning": "object", "safety_identifier": "string",
			"service_tier": "string", "temperature": "number", "tool_choice": "string object", "top_logprobs": "integer", "top_p": "number", "truncation": "string"},
		Nest:   "text", // where the other API has it at the top
		Nested: map[string]string{"verbosity": "string", "format": "object"},
	}
}

// responsesRequest writes the body of a request, and says which settings are not
// in it as they were asked for.
func responsesRequest(req *chat.ModelRequest, t responsesTraits) (map[string]json.RawMessage, []chat.Adjustment, error) {
	b := &responsesBody{body: map[string]json.RawMessage{}, traits: t}
	o := &req.Options
	in := responsesInput{provider: t.provider, model: t.model, turn: req.Turn, vision: t.vision, items: []any{}}
	in.add(req.Messages)
	if len(in.items) == 0 { // a request needs an item
		in.message("system", in.instructions.String())
		in.instructions.Reset()
	}
	if len(in.items) == 0 {
		return nil, nil, &chat.Error{Code: chat.CodeInvalidArgument, Provider: t.provider, Message: "there is no message to send"}
	}
	b.set("model", t.model)
	b.set("input", in.items)
	b.set("stream", true)
	b.set("store", false)
	if in.instructions.Len() > 0 {
		b.set("instructions", in.instructions.String())
	}
	if in.omitted > 0 {
		b.drop("image", strconv.Itoa(in.omitted), "the model cannot see images")
	}
	b.reasoning()
	if o.MaxTokens != nil {
		b.set("max_output_tokens", *o.MaxTokens)
	}
	b.sampling("temperature", o.Temperature)
	b.sampling("top_p", o.TopP)
	b.absent(o)
	b.tools(req)
	b.format(req.Format)
	if b.err != nil {
		return nil, nil, &chat.Error{Code: chat.CodeInvalidArgument, Provider: t.provider, Message: "the request cannot be written", Err: b.err}
	}
	return b.body, append(b.told, wire.Overlay(b.body, o.Overlay, responsesOverlay())...), nil
}

// responsesBody is a body on its way.
type responsesBody struct {
	body   map[string]json.RawMessage
	told   []chat.Adjustment
	traits responsesTraits
	err    error // the first
}

func (b *responsesBody) set(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("%s: %w", name, err)
	}
	b.body[name] = raw
}

func (b *responsesBody) drop(name, asked, reason string) {
	b.told = append(b.told, chat.Adjustment{Name: name, Asked: asked, Reason: reason})
}

// reasoning asks a model that thinks for a summary to show, and for what it wants
// back in the next round: nothing is stored at the provider.
func (b *responsesBody) reasoning() {
	if !b.traits.reasons {
		return
	}
	reasoning := map[string]string{}
	if b.traits.effort != "" {
		reasoning["effort"] = b.traits.effort
	}
	if b.traits.effort != effortNone {
		reasoning["summary"] = "auto"
	}
	b.set("reasoning", reasoning)
	b.set("include", []string{"reasoning.encrypted_content"})
}

// sampling writes a setting that models that think refuse.
func (b *responsesBody) sampling(name string, value *float64) {
	switch {
	case value == nil:
	case b.traits.fixed && b.traits.effort != effortNone:
		b.drop(optionName(name), number(*value), "a model that reasons does not take it")
	default:
		b.set(name, *value)
	}
}

func optionName(name string) string {
	if name == "top_p" {
		return "topP"
	}
	return name
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// absent tells of settings that this API does not have.
func (b *responsesBody) absent(o *chat.Options) {
	const reason = "the Responses API does not have it"
	if o.FrequencyPenalty != nil {
		b.drop("frequencyPenalty", number(*o.FrequencyPenalty), reason)
	}
	if o.PresencePenalty != nil {
		b.drop("presencePenalty", number(*o.PresencePenalty), reason)
	}
	if o.TopK != nil {
		b.drop("topK", strconv.Itoa(*o.TopK), reason)
	}
	if o.Seed != nil {
		b.drop("seed", strconv.Itoa(*o.Seed), reason)
	}
	if len(o.Stop) > 0 {
		b.drop("stop", strings.Join(o.Stop, ", "), reason)
	}
}

// responsesTool is a function tool: flat, unlike that of the other API.
type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	// Strict is written always: without it the server rewrites the schema.
	Strict bool `json:"strict"`
}

func (b *responsesBody) tools(req *chat.ModelRequest) {
	if len(req.Tools) == 0 {
		return
	}
	tools := make([]responsesTool, len(req.Tools))
	for i := range req.Tools {
		def := &req.Tools[i]
		tools[i] = responsesTool{Type: "function", Name: def.Name, Description: def.Description, Parameters: def.InputSchema}
		if len(def.InputSchema) == 0 {
			tools[i].Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
	}
	b.set("tools", tools)
	switch req.ToolChoice.Mode {
	case chat.ToolNone:
		b.set("tool_choice", "none")
	case chat.ToolRequired:
		b.set("tool_choice", "required")
	case chat.ToolNamed:
		b.set("tool_choice", map[string]string{"type": "function", "name": req.ToolChoice.Name})
	}
	if !b.traits.parallel {
		b.set("parallel_tool_calls", false)
	}
}

func (b *responsesBody) format(f *chat.OutputFormat) {
	switch {
	case f == nil:
	case len(f.Schema) == 0:
		b.set("text", map[string]any{"format": map[string]string{"type": "json_object"}})
	default:
		b.set("text", map[string]any{"format": map[string]any{"type": "json_schema", "name": schemaName(f.Name), "schema": f.Schema, "strict": f.Strict}})
	}
}

// schemaName makes a name that the server takes.
func schemaName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if len(name) > 64 {
		name = name[:64]
	}
	if name == "" {
		name = "answer"
	}
	return name
}
