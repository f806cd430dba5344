package servers

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// decodeResult parses the result of a tools/call. Structured content and _meta stay
// unchanged.
func decodeResult(raw []byte) (*toolspec.Result, error) {
	if !rpc.IsObject(raw) {
		return nil, errors.New("the result is no object")
	}
	r := &toolspec.Result{}
	var structured []byte
	err := rpc.Members(raw, func(name, value []byte) error {
		switch string(name) {
		case "content":
			var bad error
			rpc.Elements(value, func(piece []byte) {
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
			r.Meta = rpc.Object(value)
			delete(r.Meta, rpc.KeyRelatedTask) // it has no meaning outside of that session
			rpc.Elements(r.Meta[rpc.KeyFindings], func(rule []byte) {
				name, _ := rpc.Text(rule)
				r.Findings = append(r.Findings, name)
			})
			delete(r.Meta, rpc.KeyFindings)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case structured == nil || string(structured) == "null":
	case rpc.IsObject(structured):
		r.Structured = structured
	case len(r.Content) == 0: // a value that is not an object has no other place here
		r.Content = []toolspec.Content{toolspec.Text(string(structured))}
	}
	return r, nil
}

// decodeContent parses one piece of content. Content of an unknown kind becomes text with
// its JSON source, which a model may understand.
func decodeContent(raw []byte) (toolspec.Content, error) {
	var c toolspec.Content
	var kind, data, of, hints []byte
	var size int64
	_ = rpc.Members(raw, func(name, value []byte) error { // visit never fails
		switch string(name) {
		case "type":
			kind = value
		case "_meta":
			c.Meta = rpc.Object(value)
		case "mimeType":
			c.MIMEType, _ = rpc.Text(value)
		case "text":
			c.Text, _ = rpc.Text(value)
		case "data":
			data = value
		case "resource":
			of = value
		case "annotations":
			hints = value
		case "uri":
			c.URI, _ = rpc.Text(value)
		case "name":
			c.Name, _ = rpc.Text(value)
		case "title":
			c.Title, _ = rpc.Text(value)
		case "description":
			c.Description, _ = rpc.Text(value)
		case "size":
			size, _ = strconv.ParseInt(string(value), 10, 64) // 0, and not sent, if it is not a valid size
		}
		return nil
	})
	name, ok := rpc.Text(kind)
	if !ok {
		return toolspec.Content{}, errors.New("it has no type")
	}
	// Each kind keeps only the members that belong to it.
	own := toolspec.Content{Type: toolspec.ContentType(name), MIMEType: c.MIMEType, Meta: c.Meta}
	var err error
	switch own.Type {
	case toolspec.ContentText:
		own.Text = c.Text
	case toolspec.ContentImage, toolspec.ContentAudio:
		own.Data, err = decodeBase64(data)
	case toolspec.ContentResource:
		of := rpc.Object(of)
		own.URI, _ = rpc.Text(of["uri"])
		own.MIMEType, _ = rpc.Text(of["mimeType"])
		own.Text, _ = rpc.Text(of["text"])
		if of["blob"] != nil {
			own.Data, err = decodeBase64(of["blob"])
		}
	case toolspec.ContentLink:
		own.URI, own.Name, own.Title, own.Description, own.Size = c.URI, c.Name, c.Title, c.Description, max(size, 0)
	default:
		own = toolspec.Text(string(raw))
	}
	if hints != nil {
		decodeHints(&own, hints)
	}
	return own, err
}

// decodeHints parses the annotations of a piece of content.
func decodeHints(c *toolspec.Content, raw []byte) {
	hints := rpc.Object(raw)
	rpc.Elements(hints["audience"], func(who []byte) {
		if name, ok := rpc.Text(who); ok {
			c.Audience = append(c.Audience, name)
		}
	})
	if f, bad := strconv.ParseFloat(string(hints["priority"]), 64); bad == nil && !rpc.IsInfOrNaN(f) {
		c.Priority = &f
	}
	if at, ok := rpc.Text(hints["lastModified"]); ok {
		c.Modified, _ = time.Parse(time.RFC3339, at) // zero, and not sent, if it is not a valid time
	}
}

func decodeBase64(raw json.RawMessage) ([]byte, error) {
	s, ok := rpc.Text(raw)
	if !ok {
		return nil, errors.New("its data is missing")
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("its data is no base64: %w", err)
	}
	return data, nil
}
