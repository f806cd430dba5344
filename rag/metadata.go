package rag

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// The limits of a document in a store.
const (
	maxIDBytes       = 512
	maxTextBytes     = 16 << 20
	maxMetadataKeys  = 256
	maxMetadataBytes = 1 << 20 // of all keys and strings
)

// CloneMetadata returns a deep copy of metadata in the types that every store keeps:
// string, bool, int64, float64, []any of those, and map[string]any of all of these, one
// level deep. Other integers, floats and slices are converted, and nil values are left
// out. Anything else, a number that is not finite, text that is not valid UTF-8 or that
// holds a NUL, more than 256 keys or more than 1 MiB is an error.
func CloneMetadata(metadata map[string]any) (map[string]any, error) {
	if len(metadata) == 0 {
		return nil, nil
	}
	c := metadataCloner{room: maxMetadataBytes}
	return c.object(metadata, true)
}

type metadataCloner struct {
	keys, room int
}

func (c *metadataCloner) object(metadata map[string]any, nest bool) (map[string]any, error) {
	clone := make(map[string]any, len(metadata))
	for key, v := range metadata {
		if c.keys++; c.keys > maxMetadataKeys {
			return nil, fmt.Errorf("rag: metadata have more than %d keys: %w", maxMetadataKeys, ErrInvalid)
		}
		if key == "" {
			return nil, fmt.Errorf("rag: metadata have an empty key: %w", ErrInvalid)
		}
		if err := c.text(key); err != nil {
			return nil, fmt.Errorf("rag: a key of metadata %w", err)
		}
		if v == nil {
			continue
		}
		var err error
		switch v := v.(type) {
		case map[string]any:
			if !nest {
				return nil, fmt.Errorf("rag: metadata key %q is a map in a map: only one level is kept: %w", key, ErrInvalid)
			}
			clone[key], err = c.object(v, false)
		case []any:
			clone[key], err = cloneList(c, v)
		case []string:
			clone[key], err = cloneList(c, v)
		case []int:
			clone[key], err = cloneList(c, v)
		case []int64:
			clone[key], err = cloneList(c, v)
		case []float64:
			clone[key], err = cloneList(c, v)
		default:
			clone[key], err = c.scalar(v)
		}
		if err != nil {
			return nil, fmt.Errorf("rag: metadata key %q %w", key, err)
		}
	}
	return clone, nil
}

func cloneList[T any](c *metadataCloner, list []T) ([]any, error) {
	clone := make([]any, 0, len(list))
	c.room -= len(list)
	for _, e := range list {
		v, err := c.scalar(e)
		if err != nil {
			return nil, err
		}
		clone = append(clone, v)
	}
	return clone, nil
}

func (c *metadataCloner) scalar(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return strings.Clone(v), c.text(v)
	case bool:
		return v, nil
	case int64:
		return v, nil
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case int16:
		return int64(v), nil
	case int8:
		return int64(v), nil
	case uint8:
		return int64(v), nil
	case uint16:
		return int64(v), nil
	case uint32:
		return int64(v), nil
	case uint:
		return unsigned(uint64(v))
	case uint64:
		return unsigned(v)
	case float32:
		return finite(float64(v))
	case float64:
		return finite(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("is the number %q, which is out of range: %w", v, ErrInvalid)
		}
		return finite(f)
	}
	return nil, fmt.Errorf("has a value of the type %T: only strings, bools, numbers and lists of those are kept: %w", v, ErrInvalid)
}

func unsigned(v uint64) (any, error) {
	if v > math.MaxInt64 {
		return nil, fmt.Errorf("is %d, which is larger than 64 bits with a sign: %w", v, ErrInvalid)
	}
	return int64(v), nil
}

func finite(v float64) (any, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("is %v, which is not a finite number: %w", v, ErrInvalid)
	}
	return v, nil
}

func (c *metadataCloner) text(s string) error {
	if c.room -= len(s); c.room < 0 {
		return fmt.Errorf("goes beyond the %d bytes of text that metadata may have: %w", maxMetadataBytes, ErrInvalid)
	}
	return checkText(s)
}

func checkText(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("is not valid UTF-8: %w", ErrInvalid)
	}
	if strings.IndexByte(s, 0) >= 0 {
		return fmt.Errorf("holds a NUL character: %w", ErrInvalid)
	}
	return nil
}

// CloneDocuments returns deep copies of documents to keep in a store, or an error for the
// first one that no store accepts: without an id or with one above 512 bytes, with an id
// that occurs twice, with text that is not valid UTF-8, holds a NUL or has more than
// 16 MiB, with metadata that [CloneMetadata] rejects, or with a vector that [CheckVector]
// rejects. A document may have no vector.
func CloneDocuments(docs []Document) ([]Document, error) {
	clones := make([]Document, len(docs))
	seen := make(map[string]bool, len(docs))
	for i, d := range docs {
		switch {
		case d.ID == "":
			return nil, fmt.Errorf("rag: document %d has no id: %w", i, ErrInvalid)
		case len(d.ID) > maxIDBytes:
			return nil, fmt.Errorf("rag: the id of document %d has %d bytes: at most %d are kept: %w", i, len(d.ID), maxIDBytes, ErrInvalid)
		case seen[d.ID]:
			return nil, fmt.Errorf("rag: document %q occurs twice in one call: %w", d.ID, ErrInvalid)
		case len(d.Text) > maxTextBytes:
			return nil, fmt.Errorf("rag: the text of document %q has %d bytes: split it, at most %d are kept: %w", d.ID, len(d.Text), maxTextBytes, ErrInvalid)
		}
		seen[d.ID] = true
		if err := checkText(d.ID); err != nil {
			return nil, fmt.Errorf("rag: the id of document %d %w", i, err)
		}
		if err := checkText(d.Text); err != nil {
			return nil, fmt.Errorf("rag: the text of document %q %w", d.ID, err)
		}
		metadata, err := CloneMetadata(d.Metadata)
		if err != nil {
			return nil, fmt.Errorf("rag: document %q: %w", d.ID, err)
		}
		clones[i] = Document{ID: strings.Clone(d.ID), Text: strings.Clone(d.Text), Metadata: metadata}
		if d.Vector == nil {
			continue
		}
		if err := CheckVector(d.Vector, 0); err != nil {
			return nil, fmt.Errorf("rag: document %q: %w", d.ID, err)
		}
		clones[i].Vector = append([]float32(nil), d.Vector...)
	}
	return clones, nil
}
