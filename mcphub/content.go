package mcphub

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

// appendContent writes one piece of content for a client of this protocol
// version. What the version does not know goes as text: older clients refuse a
// whole result for one type they have not heard of.
func appendContent(dst []byte, c *toolspec.Content, version string) []byte {
	dst = append(dst, `{"type":`...)
	switch kind := c.Type; {
	case kind == toolspec.ContentImage, kind == toolspec.ContentAudio && version >= mcp.ProtocolVersion20250326:
		dst = appendString(dst, string(kind))
		dst = appendBase64(append(dst, `,"data":`...), c.Data)
		dst = appendString(append(dst, `,"mimeType":`...), mimeType(c))
	case kind == toolspec.ContentAudio:
		dst = appendString(append(dst, `"text","text":`...), fmt.Sprintf("[%s, %d bytes: this protocol version carries no sound]", mimeType(c), len(c.Data)))
	case kind == toolspec.ContentResource:
		dst = appendString(append(dst, `"resource","resource":{"uri":`...), c.URI)
		dst = appendField(dst, "mimeType", c.MIMEType)
		if c.Data != nil {
			dst = appendBase64(append(dst, `,"blob":`...), c.Data)
		} else {
			dst = appendString(append(dst, `,"text":`...), c.Text)
		}
		dst = append(dst, '}')
	case kind == toolspec.ContentLink && version >= mcp.ProtocolVersion20250618:
		dst = appendString(append(dst, `"resource_link","uri":`...), c.URI)
		name := c.Name
		if name == "" {
			name = c.URI // the protocol requires one
		}
		dst = appendString(append(dst, `,"name":`...), name)
		dst = appendField(dst, "title", c.Title)
		dst = appendField(dst, "description", c.Description)
		dst = appendField(dst, "mimeType", c.MIMEType)
		if c.Size > 0 {
			dst = appendNumber(append(dst, `,"size":`...), float64(c.Size))
		}
	case kind == toolspec.ContentLink:
		dst = appendString(append(dst, `"text","text":`...), c.Name+" <"+c.URI+">")
	default:
		dst = appendString(append(dst, `"text","text":`...), c.Text)
	}
	dst = appendAnnotations(dst, c)
	dst = appendMeta(dst, c.Meta, nil)
	return append(dst, '}')
}

func mimeType(c *toolspec.Content) string {
	if c.MIMEType == "" {
		return "application/octet-stream"
	}
	return c.MIMEType
}

func appendBase64(dst, data []byte) []byte {
	dst = append(dst, '"')
	return append(base64.StdEncoding.AppendEncode(dst, data), '"')
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

func appendAnnotations(dst []byte, c *toolspec.Content) []byte {
	if len(c.Audience) == 0 && c.Priority == nil && c.Modified.IsZero() {
		return dst
	}
	dst = append(dst, `,"annotations":{`...)
	start := len(dst)
	if len(c.Audience) > 0 {
		dst = appendStrings(append(dst, `,"audience":`...), c.Audience)
	}
	if c.Priority != nil && !isInfOrNaN(*c.Priority) {
		dst = appendNumber(append(dst, `,"priority":`...), *c.Priority)
	}
	if !c.Modified.IsZero() {
		dst = appendTime(append(dst, `,"lastModified":`...), c.Modified)
	}
	return append(dropComma(dst, start), '}')
}

// dropComma removes the comma at start that the first of a list of members was
// written with.
func dropComma(dst []byte, start int) []byte {
	if len(dst) > start && dst[start] == ',' {
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// appendMeta writes `,"_meta":{…}` of meta, in the order of its keys, and
// extra, which is a list of members each led by a comma; nothing when both are
// empty.
func appendMeta(dst []byte, meta map[string]json.RawMessage, extra []byte) []byte {
	if len(meta) == 0 && len(extra) == 0 {
		return dst
	}
	dst = append(dst, `,"_meta":{`...)
	start := len(dst)
	if len(meta) > 0 {
		for _, key := range slices.Sorted(maps.Keys(meta)) {
			dst = appendString(append(dst, ','), key)
			dst = appendRaw(append(dst, ':'), meta[key])
		}
	}
	return append(dropComma(append(dst, extra...), start), '}')
}

// checkResult says why a result cannot be sent. After it, writing cannot fail.
func checkResult(r *toolspec.Result) error {
	if len(r.Structured) > 0 {
		if !validJSON(r.Structured) || !isObject(bytes.TrimSpace(r.Structured)) {
			return errors.New("structured content must be a JSON object")
		}
	}
	if err := checkMeta(r.Meta); err != nil {
		return err
	}
	for i := range r.Content {
		if err := checkMeta(r.Content[i].Meta); err != nil {
			return err
		}
	}
	return nil
}

func checkMeta(meta map[string]json.RawMessage) error {
	for key, value := range meta {
		if !validJSON(value) {
			return fmt.Errorf("_meta member %q is not JSON", key)
		}
	}
	return nil
}

// appendResult writes the response to a tools/call. serverInfo is what clients
// since 2026-07-28 get to know with each result; empty for the others.
func appendResult(dst, id []byte, r *toolspec.Result, version string, serverInfo []byte) []byte {
	dst = append(appendHead(dst, id), `,"result":{"content":[`...)
	for i := range r.Content {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendContent(dst, &r.Content[i], version)
	}
	if len(r.Content) == 0 && len(r.Structured) > 0 {
		// The protocol asks for a text copy, for clients that know no other.
		dst = appendContent(dst, &toolspec.Content{Type: toolspec.ContentText, Text: string(r.Structured)}, version)
	}
	dst = append(dst, ']')
	if len(r.Structured) > 0 {
		dst = appendRaw(append(dst, `,"structuredContent":`...), r.Structured)
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
	return append(appendMeta(dst, r.Meta, extra), "}}"...)
}

// appendFailure writes the member that carries a failure as data.
func appendFailure(dst []byte, r *toolspec.Result) []byte {
	kind, reason, component := failureOf(r)
	dst = appendString(append(dst, `,"localpass/error":{"kind":`...), string(kind))
	dst = appendString(append(dst, `,"reason":`...), reason)
	dst = appendString(append(dst, `,"component":`...), component)
	return append(dst, '}')
}

// failureOf classes a failed result. One that a tool made by hand, without a
// CallError, is a failure of the tool for its own reasons.
func failureOf(r *toolspec.Result) (kind toolspec.Kind, reason, component string) {
	if r.Err == nil {
		return toolspec.KindRuntimeError, "tool-error", "user-code"
	}
	return r.Err.Kind, r.Err.Reason, r.Err.Component
}

// parseContent reads one piece of content that a client sent, or the first of
// a list.
func parseContent(raw json.RawMessage) (toolspec.Content, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0]
	}
	var c struct {
		Type, Text, MIMEType string
		Data                 []byte
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return toolspec.Content{}, fmt.Errorf("mcphub: the client's content is malformed: %w", err)
	}
	switch kind := toolspec.ContentType(c.Type); kind {
	case toolspec.ContentText:
		return toolspec.Text(c.Text), nil
	case toolspec.ContentImage, toolspec.ContentAudio:
		return toolspec.Content{Type: kind, Data: c.Data, MIMEType: c.MIMEType}, nil
	}
	return toolspec.Content{}, fmt.Errorf("mcphub: the client sent content of type %q, which is not served", c.Type)
}

// asMCP is what mcp-go needs of a definition to know which arguments headers
// repeat.
func asMCP(def *toolspec.Definition) mcp.Tool {
	return mcp.Tool{Name: def.Name, RawInputSchema: def.InputSchema}
}
