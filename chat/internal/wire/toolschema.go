package wire

import (
	"bytes"
	"encoding/json"
)

// ToolSchema returns the schema of a tool's arguments in a form that both APIs of an
// Ollama server can read. The server parses the members that templates use into fixed
// types, and refuses the whole request if something does not fit: a property that is just
// true (as the schemas of some languages write "anything"), or a list of types at the top
// level. These are converted to an equivalent form; everything else stays unchanged and
// in order.
//
// A schema of more than 1 MiB, and parts nested more than 20 levels deep, stay unchanged,
// since each level parses its content again.
func ToolSchema(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if len(schema) > mostFixed {
		return schema
	}
	fixed, ok := fixSchema(schema, 0)
	if !ok {
		return schema
	}
	return fixed
}

const (
	mostFixed  = 1 << 20 // bytes
	mostLevels = 20
)

// fixSchema rewrites one schema. It returns false if the schema needs no change, or is
// not JSON.
func fixSchema(raw json.RawMessage, level int) (json.RawMessage, bool) {
	if level > mostLevels {
		return raw, false
	}
	return rewrite(raw, func(key string, value json.RawMessage) (json.RawMessage, bool) {
		switch key {
		case "properties":
			return rewrite(value, func(_ string, property json.RawMessage) (json.RawMessage, bool) {
				switch string(property) {
				case "true":
					return json.RawMessage("{}"), true
				case "false": // the member must be absent
					return nil, true
				}
				return fixSchema(property, level+1)
			})
		case "type":
			var types []string
			if level == 0 && json.Unmarshal(value, &types) == nil {
				return json.RawMessage(`"object"`), true
			}
		case "anyOf":
			return fixAny(value, level)
		}
		return value, false
	})
}

// fixAny rewrites the schemas of a list.
func fixAny(raw json.RawMessage, level int) (json.RawMessage, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return raw, false
	}
	changed := false
	for i, s := range list {
		switch string(s) {
		case "true":
			list[i], changed = json.RawMessage("{}"), true
		case "false":
			list[i], changed = json.RawMessage(`{"not":{}}`), true
		default:
			fixed, ok := fixSchema(s, level+1)
			if ok {
				list[i], changed = fixed, true
			}
		}
	}
	if !changed {
		return raw, false
	}
	out, err := json.Marshal(list)
	return out, err == nil
}

// rewrite calls change for each member of an object, and returns the object with the
// changed members in the same order; a member whose new value is nil is left out.
func rewrite(raw json.RawMessage, change func(key string, value json.RawMessage) (json.RawMessage, bool)) (json.RawMessage, bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) {
		return raw, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return raw, false
	}
	var out bytes.Buffer
	out.WriteByte('{')
	changed := false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return raw, false
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return raw, false
		}
		fixed, ok := change(name, value)
		if ok {
			if changed = true; fixed == nil {
				continue
			}
			value = fixed
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return raw, false
		}
		out.Write(quoted)
		out.WriteByte(':')
		out.Write(value)
	}
	if _, err := dec.Token(); err != nil || !changed {
		return raw, false
	}
	out.WriteByte('}')
	return out.Bytes(), true
}
