package httpapi

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// fieldInfo is a field of a struct as encoding/json sees it.
type fieldInfo struct {
	name     string
	typ      reflect.Type
	required bool // no omitempty or omitzero
	doc      string
	enum     []string
}

// fieldsOf lists the members of a struct in order; the members of an embedded struct take
// its place.
func fieldsOf(t reflect.Type) []fieldInfo {
	var out []fieldInfo
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" {
			continue
		}
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				out = append(out, fieldsOf(inner)...)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		info := fieldInfo{name: name, typ: f.Type, doc: f.Tag.Get("doc"),
			required: !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")}
		if list := f.Tag.Get("enum"); list != "" {
			info.enum = strings.Split(list, ",")
		}
		out = append(out, info)
	}
	return out
}

func is[T any](t reflect.Type) bool {
	want := reflect.TypeFor[T]()
	return t.Implements(want) || reflect.PointerTo(t).Implements(want)
}

// readsItself reports whether a type has its own JSON decoder.
func readsItself(t reflect.Type) bool {
	return is[json.Unmarshaler](t) || is[encoding.TextUnmarshaler](t) || t.Kind() == reflect.Interface
}

func isTime(t reflect.Type) bool { return t == reflect.TypeFor[time.Time]() }
