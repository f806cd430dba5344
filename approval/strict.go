package approval

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/localpass/localpass/internal/canon"
)

// strictDecode reads one JSON value into v and refuses what encoding/json lets
// pass: members that v does not know, also those that differ only in case, and
// two members of one name. Everything on which an approval depends is decoded with it.
func strictDecode(data []byte, v any) error {
	if _, err := canon.Transform(data); err != nil {
		return fmt.Errorf("not one JSON value: %w", err)
	}
	if err := exactNames(data, reflect.TypeOf(v), ""); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// encode writes v as JSON and leaves the characters in it as they are: the
// canonical form of arguments stays what it is.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// exactNames walks data beside the type that it is to become.
func exactNames(data json.RawMessage, t reflect.Type, at string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if opaque(t) || bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return nil // the decoder says it better
		}
		for i, e := range list {
			if err := exactNames(e, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			return nil
		}
		known := memberTypes(t)
		for name, value := range members {
			field, ok := known[name]
			if !ok {
				return fmt.Errorf("unknown member %q", strings.TrimPrefix(at+"."+name, "."))
			}
			if err := exactNames(value, field, at+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// opaque types read their JSON themselves.
func opaque(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func memberTypes(t reflect.Type) map[string]reflect.Type {
	known := make(map[string]reflect.Type, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		known[name] = f.Type
	}
	return known
}
