package mcphub

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// decodeResult reads the result of a tools/call. Structured content and _meta
// stay as they were written.
func decodeResult(raw []byte) (*toolspec.Result, error) {
	if !isObject(raw) {
		return nil, errors.New("the result is no object")
	}
	r := &toolspec.Result{}
	var structured []byte
	err := members(raw, func(name, value []byte) error {
		switch string(name) {
		case "content":
			var bad error
			eachElement(value, func(piece []byte) {
				c, err := decodeContent(piece)
				if err != nil && bad == nil {
					bad = fmt.Errorf("content %d: %w", len(r.Content)+1, err)
				}
				r.Content = append(r.Content, c)
			})
			return bad
		case "structuredContent":
			structured = value
		case "isError":
			r.IsError = string(value) == "true"
		case "_meta":
			r.Meta = rawMap(value)
			delete(r.Meta, keyRelatedTask) // it means nothing outside of that session
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case structured == nil || string(structured) == "null":
	case isObject(structured):
		r.Structured = structured
	case len(r.Content) == 0: // what is no object has no place of its own here
		r.Content = []toolspec.Content{toolspec.Text(string(structured))}
	}
	return r, nil
}

// decodeContent reads one piece of content. A kind that is not known is shown as
// the text that it was written as: a model may make sense of it.
func decodeContent(raw []byte) (toolspec.Content, error) {
	all := rawMap(raw)
	kind, ok := text(all["type"])
	if !ok {
		return toolspec.Content{}, errors.New("it has no type")
	}
	c := toolspec.Content{Type: toolspec.ContentType(kind), Meta: rawMap(all["_meta"])}
	c.MIMEType, _ = text(all["mimeType"])
	var err error
	switch c.Type {
	case toolspec.ContentText:
		c.Text, _ = text(all["text"])
	case toolspec.ContentImage, toolspec.ContentAudio:
		c.Data, err = decodeBase64(all["data"])
	case toolspec.ContentResource:
		of := rawMap(all["resource"])
		c.URI, _ = text(of["uri"])
		c.MIMEType, _ = text(of["mimeType"])
		c.Text, _ = text(of["text"])
		if of["blob"] != nil {
			c.Data, err = decodeBase64(of["blob"])
		}
	case toolspec.ContentLink:
		c.URI, _ = text(all["uri"])
		c.Name, _ = text(all["name"])
		c.Title, _ = text(all["title"])
		c.Description, _ = text(all["description"])
		if size, bad := strconv.ParseInt(string(all["size"]), 10, 64); bad == nil && size > 0 {
			c.Size = size
		}
	default:
		c = toolspec.Text(string(raw))
	}
	hints := rawMap(all["annotations"])
	eachElement(hints["audience"], func(who []byte) {
		if name, ok := text(who); ok {
			c.Audience = append(c.Audience, name)
		}
	})
	if f, bad := strconv.ParseFloat(string(hints["priority"]), 64); bad == nil && !unreal(f) {
		c.Priority = &f
	}
	if at, ok := text(hints["lastModified"]); ok {
		c.Modified, _ = time.Parse(time.RFC3339, at) // zero, and not sent, when it is no time
	}
	return c, err
}

func decodeBase64(raw json.RawMessage) ([]byte, error) {
	s, ok := text(raw)
	if !ok {
		return nil, errors.New("its data is missing")
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("its data is no base64: %w", err)
	}
	return data, nil
}
