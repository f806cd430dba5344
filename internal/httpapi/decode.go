package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
)

const (
	// MaxBody is the maximum size of a request body in bytes, unless the route sets
	// another limit.
	MaxBody = 4 << 20
	// MaxDepth is the maximum nesting depth of the objects and arrays of a body.
	MaxDepth = 64
	// maxFields is the maximum number of invalid members that a problem lists.
	maxFields = 20
)

// Decode parses the body of a request into the struct that v points to: exactly one JSON
// object, nested at most [MaxDepth] deep, without duplicate members, and without members
// that the type does not have in this exact spelling. A member whose tag has no omitempty
// or omitzero is required. The error is a [*Problem] that names every invalid member.
//
// An empty body counts as an empty object.
func Decode(r *http.Request, v any) error {
	data, err := Body(r)
	if err != nil {
		return err
	}
	if scan.Blank(data, 0) == len(data) {
		data = []byte("{}")
	}
	return DecodeBytes(data, v)
}

// Body returns the raw body of a request.
func Body(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return data, nil
	case errors.As(err, &large):
		return nil, err
	}
	return nil, InvalidJSON.New("the body ended too early").Because(err)
}

// DecodeBytes is [Decode] for data in memory.
func DecodeBytes(data []byte, v any) error {
	at, bad := scan.Text(data, MaxDepth)
	if bad != nil {
		return notJSON(data, bad)
	}
	if scan.KindOf(data[at.Start:]) != scan.Object {
		return InvalidJSON.New("found %v where an object should be", scan.KindOf(data[at.Start:]))
	}
	c := checker{data: data}
	scan.Repeated(data, at, func(pointer string, name scan.Span) {
		c.addProblem(scan.Join(pointer, scan.Unquote(name.Of(data))), "repeated_member", "occurs twice")
	})
	c.value(at, reflect.TypeOf(v).Elem(), "")
	if len(c.fields) > 0 {
		p := InvalidJSON.New("%s: %s", c.fields[0].Path, c.fields[0].Message)
		p.Fields = c.fields
		return p
	}
	if err := json.Unmarshal(data, v); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			p := InvalidJSON.New("%s: found %s", kind.Field, kind.Value)
			p.Fields = []Field{{Path: kind.Field, Code: "wrong_type", Message: "is " + kind.Value}}
			return p
		}
		return InvalidJSON.New("%v", err)
	}
	return nil
}

func notJSON(data []byte, bad *scan.Error) *Problem {
	line, column := scan.Position(data, bad.Offset)
	text := bad.Error()
	if bad.TooDeep {
		text = fmt.Sprintf("objects and arrays nest deeper than %d", MaxDepth)
	} else if bad.Hint != "" {
		text += "; " + bad.Hint
	}
	return InvalidJSON.New("%s (line %d, column %d)", text, line, column).With("line", line).With("column", column)
}

// checker checks a JSON text against a Go type: members with an unknown name or another
// case, which encoding/json accepts silently, are errors here.
type checker struct {
	data   []byte
	fields []Field
}

func (c *checker) addProblem(path, code, format string, args ...any) {
	if len(c.fields) < maxFields {
		c.fields = append(c.fields, Field{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) value(at scan.Span, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind := scan.KindOf(c.data[at.Start:])
	if kind == scan.Null || readsItself(t) {
		return
	}
	want := jsonKind(t)
	if want != scan.Invalid && kind != want {
		c.addProblem(path, "wrong_type", "must be %v, is %v", want, kind)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		c.object(at, t, path)
	case reflect.Map:
		_, _ = scan.Members(c.data, at.Start, MaxDepth, func(name, value scan.Span) *scan.Error {
			c.value(value, t.Elem(), scan.Join(path, scan.Unquote(name.Of(c.data))))
			return nil
		})
	case reflect.Slice, reflect.Array:
		if want != scan.Array {
			return
		}
		n := 0
		_, _ = scan.Elements(c.data, at.Start, MaxDepth, func(value scan.Span) *scan.Error {
			c.value(value, t.Elem(), scan.Index(path, n))
			n++
			return nil
		})
	}
}

func (c *checker) object(at scan.Span, t reflect.Type, path string) {
	members := fieldsOf(t)
	seen := make(map[string]bool, len(members))
	_, _ = scan.Members(c.data, at.Start, MaxDepth, func(name, value scan.Span) *scan.Error {
		text := scan.Unquote(name.Of(c.data))
		seen[text] = true
		for _, f := range members {
			if f.name == text {
				if f.required && scan.KindOf(c.data[value.Start:]) == scan.Null && f.typ.Kind() != reflect.Pointer && !readsItself(f.typ) {
					c.addProblem(scan.Join(path, text), "wrong_type", "must not be null")
				}
				c.value(value, f.typ, scan.Join(path, text))
				return nil
			}
		}
		c.addProblem(scan.Join(path, text), "unknown_member", "is not known here%s", nearest(text, members))
		return nil
	})
	for _, f := range members {
		if f.required && !seen[f.name] {
			c.addProblem(scan.Join(path, f.name), "missing_member", "must be there")
		}
	}
}

// nearest returns the member that differs only in its case.
func nearest(name string, members []fieldInfo) string {
	for _, f := range members {
		if strings.EqualFold(f.name, name) {
			return fmt.Sprintf("; write %q", f.name)
		}
	}
	return ""
}

// jsonKind returns the only JSON kind that a type accepts; Invalid if there are several.
func jsonKind(t reflect.Type) scan.Kind {
	switch t.Kind() {
	case reflect.Bool:
		return scan.Bool
	case reflect.String:
		return scan.String
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return scan.Number
	case reflect.Struct, reflect.Map:
		return scan.Object
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return scan.String // base64
		}
		return scan.Array
	}
	return scan.Invalid
}
