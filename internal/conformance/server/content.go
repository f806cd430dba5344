package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// pixel is a PNG of one red pixel, and silence a WAV file without samples.
var (
	pixel   = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = decoded("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")
)

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // cannot happen: the text is a constant of this file
	}
	return data
}

// addContentTools serves the tools that only return content.
func addContentTools(ctx context.Context, hub *mcphub.Hub) error {
	gives := func(name, description, want string, content ...toolspec.Content) error {
		return add(ctx, hub, name, description, `{}`, want, func(context.Context, none, toolspec.Peer) (*toolspec.Result, error) {
			return &toolspec.Result{Content: content}, nil
		})
	}
	return errors.Join(
		gives("test_simple_text", "Returns a text.", `"This is a simple text response for testing."`,
			toolspec.Text("This is a simple text response for testing.")),
		gives("test_image_content", "Returns an image.", "", toolspec.Image(pixel, "image/png")),
		gives("test_audio_content", "Returns a sound.", "", toolspec.Audio(silence, "audio/wav")),
		gives("test_embedded_resource", "Returns a resource.", "",
			toolspec.TextResource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		gives("test_multiple_content_types", "Returns a text, an image and a resource.", `"Multiple content types test:"`,
			toolspec.Text("Multiple content types test:"), toolspec.Image(pixel, "image/png"),
			toolspec.TextResource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		addFailing(ctx, hub),
		addSchemaTool(ctx, hub),
		addHeaderTool(ctx, hub),
	)
}

// addFailing serves the tool that always fails. It earns its pass by failing.
func addFailing(ctx context.Context, hub *mcphub.Hub) error {
	const message = "This tool intentionally returns an error for testing"
	tool, err := toolspec.Func("test_error_handling", "Fails.", func(context.Context, none) (*toolspec.Result, error) {
		return &toolspec.Result{IsError: true, Content: []toolspec.Content{toolspec.Text(message)}}, nil
	}, nil)
	if err != nil {
		return err
	}
	pass, err := studio.Certify(ctx, tool, []toolspec.Case{{WantError: &toolspec.WantError{Message: message}}}, nil)
	if err != nil {
		return err
	}
	return hub.Add(pass)
}

// addSchemaTool serves the tool whose input schema uses the whole vocabulary of
// JSON Schema 2020-12.
func addSchemaTool(ctx context.Context, hub *mcphub.Hub) error {
	const schema = `{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {
			"name": {"type": "string"},
			"address": {"$ref": "#/$defs/address"},
			"contactMethod": {"type": "string", "enum": ["phone", "email"]},
			"phone": {"type": "string"},
			"email": {"type": "string"}
		},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]},
		"else": {"required": ["email"]},
		"additionalProperties": false
	}`
	type contact struct {
		Name string `json:"name,omitempty"`
	}
	return addWith(ctx, hub, "json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", `{"name":"Ada","email":"ada@example.com"}`, `"Hello, Ada!"`,
		&toolspec.FuncOptions{InputSchema: json.RawMessage(schema)}, func(_ context.Context, in contact, _ toolspec.Peer) (*toolspec.Result, error) {
			return toolspec.TextResult("Hello, " + in.Name + "!"), nil
		})
}

// addHeaderTool serves a tool with an argument that clients repeat in a header.
func addHeaderTool(ctx context.Context, hub *mcphub.Hub) error {
	type in struct {
		Region string `json:"region"`
	}
	return addWith(ctx, hub, "test_x_mcp_header", "Returns its argument, which is in a header as well.", `{"region":"north"}`, `"north"`,
		&toolspec.FuncOptions{InputSchema: json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`)},
		func(_ context.Context, in in, _ toolspec.Peer) (*toolspec.Result, error) {
			return toolspec.TextResult(in.Region), nil
		})
}
