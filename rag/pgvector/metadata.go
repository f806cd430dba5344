package pgvector

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/localpass/localpass/rag"
)

// encodeMetadata returns metadata as JSON. A decimal has a point, which jsonb keeps, so that
// 1.0 stays a decimal.
func encodeMetadata(metadata map[string]any) (string, error) {
	if len(metadata) == 0 {
		return "{}", nil
	}
	text, err := json.Marshal(toJSON(metadata))
	return string(text), err
}

func toJSON(v any) any {
	switch v := v.(type) {
	case float64:
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return json.Number(s)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = toJSON(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			object[key] = toJSON(v[key])
		}
		return object
	}
	return v
}

// decodeMetadata is the opposite of encodeMetadata.
func decodeMetadata(text string) (map[string]any, error) {
	if text == "{}" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var metadata map[string]any
	if err := d.Decode(&metadata); err != nil {
		return nil, fmt.Errorf("metadata: %w: %w", rag.ErrCorrupt, err)
	}
	for key, v := range metadata {
		metadata[key] = fromJSON(v)
	}
	return metadata, nil
}

func fromJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // it was one when it was written
		return f
	case []any:
		for i := range v {
			v[i] = fromJSON(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = fromJSON(v[key])
		}
	}
	return v
}
