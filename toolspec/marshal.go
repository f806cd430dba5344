package toolspec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

// MarshalJSON writes the document: the members in the order in which they were read, then
// new members. Members that were not changed are written exactly as they were read,
// including the spelling of numbers, escapes, null members and members that this version
// does not know. Text is written without HTML escaping.
//
// json.Marshal escapes <, > and & in the output of this method, so call MarshalJSON
// directly to write a file for people. It fails if a field of raw JSON is not valid JSON.
func (s *Spec) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("null"), nil
	}
	var was []rawjson.Member
	base := &Spec{}
	if s.source != nil {
		was, base = s.source.members, &s.source.base
	}
	return appendObject(make([]byte, 0, 256+len(s.Code)), was, reflect.ValueOf(s).Elem(), reflect.ValueOf(base).Elem())
}

// member is a member of an object in a document, which a field has the value of: its tag
// is spec:"NAME". A new object has the members in the order of the fields.
type member struct {
	name  string
	index int
	// always says that the member is written although its value is empty.
	always bool
	// drop says that an empty value removes the member, where others become null: null
	// would have a meaning, or not be accepted.
	drop bool
}

func membersOf(object reflect.Type) []member {
	var out []member
	for i := range object.NumField() {
		if tag, ok := object.Field(i).Tag.Lookup("spec"); ok {
			name, option, _ := strings.Cut(tag, ",")
			out = append(out, member{name, i, option == "always", option == "drop"})
		}
	}
	return out
}

var specMembers = membersOf(reflect.TypeFor[Spec]())

// same reports whether the member has the same value in two specs.
func (m *member) same(a, b *Spec) bool {
	return same(reflect.ValueOf(a).Elem().Field(m.index), reflect.ValueOf(b).Elem().Field(m.index))
}

// empty reports whether a new document of the spec would not have the member.
func (m *member) empty(s *Spec) bool {
	return !m.always && isEmpty(reflect.ValueOf(s).Elem().Field(m.index))
}

// same reports whether two values are written alike. A list that is nil is empty; a map
// that is nil is absent, except for Extra.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Type().Elem().Kind() == reflect.Uint8 {
			return string(a.Bytes()) == string(b.Bytes())
		}
		for i := range a.Len() {
			if i == b.Len() || !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case reflect.Map:
		if a.IsNil() != b.IsNil() && a.Type() != reflect.TypeFor[map[string]json.RawMessage]() {
			return false
		}
		for key, value := range a.Seq2() {
			if other := b.MapIndex(key); !other.IsValid() || !same(value, other) {
				return false
			}
		}
		return a.Len() == b.Len()
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

func isEmpty(v reflect.Value) bool { return same(v, reflect.Zero(v.Type())) }

// appendObject writes an object that was read as was, when its value was old, with the
// members that it has now and the other members from Extra.
func appendObject(dst []byte, was []rawjson.Member, now, old reflect.Value) ([]byte, error) {
	var extra map[string]json.RawMessage
	if field := now.FieldByName("Extra"); field.IsValid() {
		extra = field.Interface().(map[string]json.RawMessage)
	}
	known := membersOf(now.Type())
	written := make(map[string]bool, len(was)+len(known))
	start := len(dst)
	dst = append(dst, '{')
	name := func(n string) {
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		written[n] = true
		dst = append(canon.AppendString(dst, n), ':')
	}
	var err error
	put := func(m *member, raw []byte) error {
		name(m.name)
		value, base := now.Field(m.index), old.Field(m.index)
		switch {
		case raw != nil && same(value, base):
			dst = scan.Compact(dst, raw)
		case !m.always && isEmpty(value) && (value.Kind() != reflect.Slice || value.Type().Elem().Kind() == reflect.Uint8):
			dst = append(dst, "null"...) // the member was removed
		default:
			dst, err = appendValue(dst, m.name, raw, value, base)
		}
		return err
	}
	for _, m := range was {
		if written[m.Name] {
			continue
		}
		if i := slices.IndexFunc(known, func(k member) bool { return k.name == m.Name }); i >= 0 {
			k := &known[i]
			if k.drop && isEmpty(now.Field(k.index)) && !same(now.Field(k.index), old.Field(k.index)) {
				continue
			}
			if err := put(k, m.Raw); err != nil {
				return nil, err
			}
		} else if raw, ok := extra[m.Name]; ok {
			name(m.Name)
			if dst, err = appendRaw(dst, raw, m.Name); err != nil {
				return nil, err
			}
		}
	}
	for i := range known {
		m := &known[i]
		if _, ok := extra[m.name]; ok {
			return nil, fmt.Errorf("toolspec: Extra holds %q, which has a field of its own; set that field", m.name)
		}
		value := now.Field(m.index)
		absent := was != nil && same(value, old.Field(m.index)) // it was not there, and nothing was set since
		if !written[m.name] && !absent && (m.always || !isEmpty(value)) {
			if err := put(m, nil); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range sortedNames(extra) {
		if !written[n] {
			name(n)
			if dst, err = appendRaw(dst, extra[n], n); err != nil {
				return nil, err
			}
		}
	}
	return append(dst, '}'), nil
}

// appendValue writes a value that was read as raw, when it was old.
func appendValue(dst []byte, name string, raw []byte, now, old reflect.Value) ([]byte, error) {
	switch v := now.Interface().(type) {
	case json.RawMessage:
		return appendRaw(dst, v, name)
	case time.Duration:
		return strconv.AppendInt(dst, max(v.Milliseconds(), 1), 10), nil
	case Variable:
		dst = append(canon.AppendString(append(dst, '{'), v.Name), ':')
		return append(canon.AppendString(dst, v.Value), '}'), nil
	}
	switch now.Kind() {
	case reflect.String:
		return canon.AppendString(dst, now.String()), nil
	case reflect.Bool:
		return strconv.AppendBool(dst, now.Bool()), nil
	case reflect.Int64:
		return strconv.AppendInt(dst, now.Int(), 10), nil
	case reflect.Pointer:
		if now.IsNil() {
			return append(dst, "null"...), nil
		}
		if old.IsNil() {
			old = reflect.New(now.Type().Elem())
		}
		return appendValue(dst, name, raw, now.Elem(), old.Elem())
	case reflect.Struct:
		return appendObject(dst, rawjson.Members(raw), now, old)
	case reflect.Map:
		return appendMap(dst, now)
	}
	return appendList(dst, name, raw, now, old)
}

// appendMap writes a map of texts, nil for null, with its keys in order.
func appendMap(dst []byte, now reflect.Value) ([]byte, error) {
	keys := now.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendString(dst, key.String()), ':')
		var err error
		if dst, err = appendValue(dst, key.String(), nil, now.MapIndex(key), reflect.Zero(now.Type().Elem())); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendList writes a list. An object in it is written like the one that had its name, so
// that an edit of one does not change the others, or else its place.
func appendList(dst []byte, name string, raw []byte, now, old reflect.Value) ([]byte, error) {
	texts := rawjson.Elements(raw)
	if len(texts) != old.Len() {
		texts = nil
	}
	origins := make([]int, now.Len()) // of the elements, -1 for a new one
	used := make([]bool, len(texts))
	find := func(i int, fits func(j int) bool) {
		for j := range texts {
			if origins[i] < 0 && !used[j] && fits(j) {
				origins[i], used[j] = j, true
			}
		}
	}
	for i := range origins {
		origins[i] = -1
		if now.Type().Elem().Kind() == reflect.Struct {
			name := now.Index(i).FieldByName("Name").String()
			find(i, func(j int) bool { return old.Index(j).FieldByName("Name").String() == name })
		}
	}
	dst = append(dst, '[')
	for i := range origins {
		if i > 0 {
			dst = append(dst, ',')
		}
		find(i, func(j int) bool { return j == i })
		base, text := reflect.Zero(now.Type().Elem()), json.RawMessage(nil)
		if j := origins[i]; j >= 0 {
			base, text = old.Index(j), texts[j]
		}
		var err error
		if dst, err = appendValue(dst, name, text, now.Index(i), base); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendRaw writes the raw JSON of a field; an empty value is written as null.
func appendRaw(dst, raw []byte, name string) ([]byte, error) {
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	at, bad := scan.Text(raw, canon.MaxDepth)
	if bad != nil {
		return nil, fmt.Errorf("toolspec: %s does not hold JSON: %w", name, bad)
	}
	return scan.Compact(dst, at.Of(raw)), nil
}
