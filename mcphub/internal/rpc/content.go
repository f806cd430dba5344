package rpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/toolspec"
)

// AppendContent writes one piece of content for a client of this protocol version. Types
// that the version does not have are written as text, because older clients reject a
// whole result for one unknown type.
func AppendContent(dst []byte, c *toolspec.Content, version string) []byte {
	dst = append(dst, `{"type":`...)
	switch kind := c.Type; {
	case kind == toolspec.ContentImage, kind == toolspec.ContentAudio && version >= mcp.ProtocolVersion20250326:
		dst = AppendString(dst, string(kind))
		dst = AppendBase64(append(dst, `,"data":`...), c.Data)
		dst = AppendString(append(dst, `,"mimeType":`...), mimeType(c))
	case kind == toolspec.ContentAudio:
		dst = AppendString(append(dst, `"text","text":`...), fmt.Sprintf("[%s, %d bytes: this protocol version carries no sound]", mimeType(c), len(c.Data)))
	case kind == toolspec.ContentResource:
		dst = AppendString(append(dst, `"resource","resource":{"uri":`...), c.URI)
		dst = AppendField(dst, "mimeType", c.MIMEType)
		if c.Data != nil {
			dst = AppendBase64(append(dst, `,"blob":`...), c.Data)
		} else {
			dst = AppendString(append(dst, `,"text":`...), c.Text)
		}
		dst = append(dst, '}')
	case kind == toolspec.ContentLink && version >= mcp.ProtocolVersion20250618:
		dst = AppendString(append(dst, `"resource_link","uri":`...), c.URI)
		name := c.Name
		if name == "" {
			name = c.URI // the protocol requires a name
		}
		dst = AppendString(append(dst, `,"name":`...), name)
		dst = AppendField(dst, "title", c.Title)
		dst = AppendField(dst, "description", c.Description)
		dst = AppendField(dst, "mimeType", c.MIMEType)
		if c.Size > 0 {
			dst = AppendNumber(append(dst, `,"size":`...), float64(c.Size))
		}
	case kind == toolspec.ContentLink:
		dst = AppendString(append(dst, `"text","text":`...), c.Name+" <"+c.URI+">")
	default:
		dst = AppendString(append(dst, `"text","text":`...), c.Text)
	}
	dst = AppendAnnotations(dst, c)
	dst = AppendMeta(dst, c.Meta, nil)
	return append(dst, '}')
}

func mimeType(c *toolspec.Content) string {
	if c.MIMEType == "" {
		return "application/octet-stream"
	}
	return c.MIMEType
}

func AppendBase64(dst, data []byte) []byte {
	dst = append(dst, '"')
	return append(base64.StdEncoding.AppendEncode(dst, data), '"')
}

func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for _, s := range list {
		dst = AppendString(Comma(dst), s)
	}
	return append(dst, ']')
}

func AppendAnnotations(dst []byte, c *toolspec.Content) []byte {
	if len(c.Audience) == 0 && c.Priority == nil && c.Modified.IsZero() {
		return dst
	}
	dst = append(dst, `,"annotations":{`...)
	start := len(dst)
	if len(c.Audience) > 0 {
		dst = AppendStrings(append(dst, `,"audience":`...), c.Audience)
	}
	if c.Priority != nil && !IsInfOrNaN(*c.Priority) {
		dst = AppendNumber(append(dst, `,"priority":`...), *c.Priority)
	}
	if !c.Modified.IsZero() {
		dst = AppendTime(append(dst, `,"lastModified":`...), c.Modified)
	}
	return append(DropComma(dst, start), '}')
}

// DropComma removes the comma at start, with which the first of a list of members was
// written.
func DropComma(dst []byte, start int) []byte {
	if len(dst) > start && dst[start] == ',' {
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// AppendMeta writes `,"_meta":{…}` with meta, in the order of its keys, and extra, a list
// of members each preceded by a comma; it writes nothing if both are empty.
func AppendMeta(dst []byte, meta map[string]json.RawMessage, extra []byte) []byte {
	if len(meta) == 0 && len(extra) == 0 {
		return dst
	}
	dst = append(dst, `,"_meta":{`...)
	start := len(dst)
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		dst = AppendRaw(append(AppendString(append(dst, ','), key), ':'), meta[key])
	}
	return append(DropComma(append(dst, extra...), start), '}')
}

// CheckResult returns the reason why a result cannot be sent, or nil. After this check,
// writing cannot fail.
func CheckResult(r *toolspec.Result) error {
	if len(r.Structured) > 0 {
		if !ValidJSON(r.Structured) || !IsObject(bytes.TrimSpace(r.Structured)) {
			return errors.New("structured content must be a JSON object")
		}
	}
	if err := CheckMeta(r.Meta); err != nil {
		return err
	}
	for i := range r.Content {
		if err := CheckMeta(r.Content[i].Meta); err != nil {
			return err
		}
	}
	return nil
}

func CheckMeta(meta map[string]json.RawMessage) error {
	for key, value := range meta {
		if !ValidJSON(value) {
			return fmt.Errorf("_meta member %q is not JSON", key)
		}
	}
	return nil
}

// AppendResult writes the response to a tools/call. serverInfo describes the server to
// clients since 2026-07-28; it is empty for older clients.
func AppendResult(dst, id []byte, r *toolspec.Result, version string, serverInfo []byte) []byte {
	dst = append(AppendHead(dst, id), `,"result":{"content":[`...)
	for i := range r.Content {
		dst = AppendContent(Comma(dst), &r.Content[i], version)
	}
	if len(r.Content) == 0 && len(r.Structured) > 0 {
		// The protocol asks for a text copy, for clients that support only text.
		dst = AppendContent(dst, &toolspec.Content{Type: toolspec.ContentText, Text: string(r.Structured)}, version)
	}
	dst = append(dst, ']')
	if len(r.Structured) > 0 {
		dst = AppendRaw(append(dst, `,"structuredContent":`...), r.Structured)
	}
	var extra []byte
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
		extra = appendFailure(extra, r)
	}
	if len(serverInfo) > 0 {
		dst = append(dst, `,"resultType":"complete"`...)
		extra = append(extra, serverInfo...)
	}
	return append(AppendMeta(dst, r.Meta, extra), "}}"...)
}

// appendFailure writes the member that carries a failure as data.
func appendFailure(dst []byte, r *toolspec.Result) []byte {
	kind, reason, component := FailureOf(r)
	dst = AppendString(append(dst, `,"localpass/error":{"kind":`...), string(kind))
	dst = AppendString(append(dst, `,"reason":`...), reason)
	dst = AppendString(append(dst, `,"component":`...), component)
	return append(dst, '}')
}

// FailureOf classifies a failed result. A result that a tool made without a CallError
// counts as a failure of the tool itself.
func FailureOf(r *toolspec.Result) (kind toolspec.Kind, reason, component string) {
	if r.Err == nil {
		return toolspec.KindRuntimeError, "tool-error", "user-code"
	}
	return r.Err.Kind, r.Err.Reason, r.Err.Component
}

// ParseContent parses one piece of content that a client sent, or the first of a list.
// The error names no package: the caller puts its own name before it.
func ParseContent(raw json.RawMessage) (toolspec.Content, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var c struct {
		Type, Text, MIMEType string
		Data                 []byte
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return toolspec.Content{}, fmt.Errorf("the content is malformed: %w", err)
	}
	switch kind := toolspec.ContentType(c.Type); kind {
	case toolspec.ContentText:
		return toolspec.Text(c.Text), nil
	case toolspec.ContentImage, toolspec.ContentAudio:
		return toolspec.Content{Type: kind, Data: c.Data, MIMEType: c.MIMEType}, nil
	}
	return toolspec.Content{}, fmt.Errorf("content of the type %q is not supported", c.Type)
}

// MCPTool returns the part of a definition from which mcp-go determines the arguments
// that headers repeat.
func MCPTool(def *toolspec.Definition) mcp.Tool {
	return mcp.Tool{Name: def.Name, RawInputSchema: def.InputSchema}
}
