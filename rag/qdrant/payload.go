package qdrant

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/qdrant/go-client/qdrant"

	"github.com/localpass/localpass/rag"
)

// The payload of a point.
const (
	fieldID       = "id"
	fieldText     = "text"
	fieldMetadata = "metadata"
	fieldTerms    = "terms"   // keywords: the keys, and the values of each key
	fieldNumbers  = "numbers" // the numbers, by encoded key
)

// term returns the keyword for a value under a key; for the key itself without a value. A
// long one is replaced by its hash.
func term(key string, value ...any) string {
	parts := []any{key}
	for _, v := range value {
		if n, ok := v.(int64); ok {
			v = float64(n) // as 1 equals 1.0
		}
		parts = append(parts, v)
	}
	text, _ := json.Marshal(parts) // scalars cannot fail
	if len(text) > 256 {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:])
	}
	return string(text)
}

// numberField returns the path of the number under a key. The key is encoded, as a path has
// dots and brackets of its own.
func numberField(key string) string { return fieldNumbers + "." + numberKey(key) }

func numberKey(key string) string { return "k" + hex.EncodeToString([]byte(key)) }

// index returns the terms and the numbers of metadata, by the keys of filters.
func index(metadata map[string]any) (terms []any, numbers map[string]any) {
	terms, numbers = []any{}, map[string]any{}
	add := func(key string, v any) {
		terms = append(terms, term(key))
		switch v := v.(type) {
		case map[string]any:
		case []any:
			for _, e := range v {
				terms = append(terms, term(key, e))
			}
		case int64, float64:
			numbers[numberKey(key)] = v
			terms = append(terms, term(key, v))
		default:
			terms = append(terms, term(key, v))
		}
	}
	for key, v := range metadata {
		add(key, v)
		inner, ok := v.(map[string]any)
		if !ok || strings.Contains(key, ".") {
			continue
		}
		for tail, v := range inner {
			if dotted := key + "." + tail; metadata[dotted] == nil {
				add(dotted, v)
			}
		}
	}
	return terms, numbers
}

func encode(d *rag.Document) (*qdrant.PointStruct, error) {
	terms, numbers := index(d.Metadata)
	metadata := d.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	payload, err := qdrant.TryValueMap(map[string]any{fieldID: d.ID, fieldText: d.Text, fieldMetadata: metadata, fieldTerms: terms, fieldNumbers: numbers})
	if err != nil {
		return nil, fmt.Errorf("document %q: %w", d.ID, err)
	}
	return &qdrant.PointStruct{Id: pointID(d.ID), Vectors: qdrant.NewVectorsDense(d.Vector), Payload: payload}, nil
}

// point is what the server returns of a document.
type point interface {
	GetPayload() map[string]*qdrant.Value
	GetVectors() *qdrant.VectorsOutput
}

func decode(p point) (rag.Document, error) {
	payload := p.GetPayload()
	d := rag.Document{ID: payload[fieldID].GetStringValue(), Text: payload[fieldText].GetStringValue()}
	if d.ID == "" {
		return d, fmt.Errorf("a point has no id in its payload: another program made it: %w", rag.ErrCorrupt)
	}
	if fields := payload[fieldMetadata].GetStructValue().GetFields(); len(fields) > 0 {
		d.Metadata = make(map[string]any, len(fields))
		for key, v := range fields {
			d.Metadata[key] = value(v)
		}
	}
	if v := p.GetVectors().GetVector(); v != nil {
		d.Vector = v.GetDense().GetData()
		if len(d.Vector) == 0 {
			//lint:ignore SA1019 older servers send this member
			d.Vector = v.GetData()
		}
	}
	return d, nil
}

func value(v *qdrant.Value) any {
	switch kind := v.GetKind().(type) {
	case *qdrant.Value_StringValue:
		return kind.StringValue
	case *qdrant.Value_BoolValue:
		return kind.BoolValue
	case *qdrant.Value_IntegerValue:
		return kind.IntegerValue
	case *qdrant.Value_DoubleValue:
		return kind.DoubleValue
	case *qdrant.Value_ListValue:
		list := make([]any, len(kind.ListValue.GetValues()))
		for i, e := range kind.ListValue.GetValues() {
			list[i] = value(e)
		}
		return list
	case *qdrant.Value_StructValue:
		object := make(map[string]any, len(kind.StructValue.GetFields()))
		for key, e := range kind.StructValue.GetFields() {
			object[key] = value(e)
		}
		return object
	}
	return nil
}
