package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// MarshalJSON writes a message with its parts, each with a member "kind".
func (m Message) MarshalJSON() ([]byte, error) {
	type plain Message
	parts := make([]json.RawMessage, len(m.Parts))
	for i, p := range m.Parts {
		raw, err := MarshalPart(p)
		if err != nil {
			return nil, fmt.Errorf("llm: part %d of the message: %w", i, err)
		}
		parts[i] = raw
	}
	return json.Marshal(struct {
		plain
		Parts []json.RawMessage `json:"parts"`
	}{plain(m), parts})
}

// UnmarshalJSON reads what MarshalJSON wrote. Parts of an unknown kind are kept as
// [UnknownPart].
func (m *Message) UnmarshalJSON(data []byte) error {
	type plain Message
	var in struct {
		plain
		Parts []json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("llm: message: %w", err)
	}
	*m = Message(in.plain)
	m.Parts = nil
	for i, raw := range in.Parts {
		p, err := unmarshalPart(raw)
		if err != nil {
			return fmt.Errorf("llm: part %d of the message: %w", i, err)
		}
		m.Parts = append(m.Parts, p)
	}
	return nil
}

// MarshalPart returns a part as JSON: an object with the member kind.
func MarshalPart(p Part) (json.RawMessage, error) {
	switch p := p.(type) {
	case nil:
		return nil, fmt.Errorf("there is none")
	case UnknownPart:
		return p.Raw, nil
	}
	body, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	kind, err := json.Marshal(p.Kind())
	if err != nil {
		return nil, err
	}
	out := append(append(make([]byte, 0, len(body)+len(kind)+8), `{"kind":`...), kind...)
	if len(body) > 2 { // more than {}
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

func unmarshalPart(raw json.RawMessage) (Part, error) {
	var head struct {
		Kind PartKind `json:"kind"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	switch head.Kind {
	case PartText:
		return readPart[Text](raw)
	case PartReasoning:
		return readPart[Reasoning](raw)
	case PartRefusal:
		return readPart[Refusal](raw)
	case PartImage:
		return readPart[Image](raw)
	case PartDocument:
		return readPart[Document](raw)
	case PartToolCall:
		return readPart[ToolCall](raw)
	case PartToolResult:
		return readPart[ToolResult](raw)
	case PartCard:
		return readPart[Card](raw)
	case "":
		return nil, fmt.Errorf(`the member "kind" is missing`)
	}
	return UnknownPart{Name: head.Kind, Raw: bytes.Clone(raw)}, nil
}

func readPart[P Part](raw []byte) (Part, error) {
	var p P
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	return p, nil
}

// content is the JSON form of one piece of a tool result, with the member names of MCP.
type content struct {
	Type        toolspec.ContentType       `json:"type"`
	Text        string                     `json:"text,omitempty"`
	Data        []byte                     `json:"data,omitempty"`
	MIMEType    string                     `json:"mimeType,omitempty"`
	URI         string                     `json:"uri,omitempty"`
	Name        string                     `json:"name,omitempty"`
	Title       string                     `json:"title,omitempty"`
	Description string                     `json:"description,omitempty"`
	Size        int64                      `json:"size,omitempty"`
	Audience    []string                   `json:"audience,omitempty"`
	Priority    *float64                   `json:"priority,omitempty"`
	Modified    time.Time                  `json:"modified,omitzero"`
	Meta        map[string]json.RawMessage `json:"_meta,omitempty"`
}

// MarshalJSON writes a result; its content uses MCP's member names.
func (r ToolResult) MarshalJSON() ([]byte, error) {
	type plain ToolResult
	pieces := make([]content, len(r.Content))
	for i, c := range r.Content {
		pieces[i] = content(c)
	}
	return json.Marshal(struct {
		plain
		Content []content `json:"content"`
	}{plain(r), pieces})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *ToolResult) UnmarshalJSON(data []byte) error {
	type plain ToolResult
	var in struct {
		plain
		Content []content `json:"content"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*r = ToolResult(in.plain)
	r.Content = nil
	for _, c := range in.Content {
		r.Content = append(r.Content, toolspec.Content(c))
	}
	return nil
}
