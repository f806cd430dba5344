package toolspec

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// BindOptions are the options of [Spec.Bind]. The zero value is strict.
type BindOptions struct {
	// Lenient converts a string to the declared type by the rules of test values, and a
	// number or boolean to a string, before the check: weak models write numbers as text.
	Lenient bool
}

// maxUndeclared bounds how many names of undeclared arguments are kept.
const maxUndeclared = 100

// Binding holds the checked arguments of one call, in the order of the parameters. It
// owns its memory.
type Binding struct {
	// Globals are the parameters that have a value.
	Globals []Global
	// Unset names the parameters without one. The code sees undefined.
	Unset []string
	// Undeclared names arguments that were ignored because no parameter declares them, at
	// most 100; Ignored counts them all.
	Undeclared []string
	Ignored    int
	// Arguments is the bound arguments as one compact JSON object, used for audit records
	// and digests.
	Arguments json.RawMessage
}

// Bind checks the arguments of a call against the parameters (specification section 2.4)
// and returns the values to bind. Empty arguments and null mean no arguments.
//
// Arguments that are null, or empty or blank strings, are dropped (an empty string stays
// if the parameter has x-allow-empty), undeclared arguments are ignored, and if a name
// occurs twice, the last value counts. Then every required parameter must have a value,
// and every value must have the declared type; an INTEGER may be written 5.0 and is bound
// as 5. Parameters that a static variable hides are left out: the caller binds static
// variables. Text is bound unchanged: "${X}" in an argument is no placeholder.
//
// The error is of kind INVALID_INPUT and names everything that is wrong. Its reason is
// "arguments" if the arguments are no JSON object (or nest deeper than 200), otherwise
// "missing-argument" or "argument-type". nil options mean the zero value.
func (s *Spec) Bind(arguments json.RawMessage, opts *BindOptions) (*Binding, *CallError) {
	b := binder{spec: s, data: arguments}
	if opts != nil {
		b.lenient = opts.Lenient
	}
	if len(s.Params) <= len(b.few) {
		b.values = b.few[:len(s.Params)]
	} else {
		b.values = make([]scan.Span, len(s.Params))
	}
	out := &Binding{}
	if err := b.read(out); err != nil {
		return nil, err
	}
	if err := b.bind(out); err != nil {
		return nil, err
	}
	return out, nil
}

type binder struct {
	spec    *Spec
	data    []byte
	lenient bool
	// values holds the position of each parameter's value; an End of 0 means that it has
	// none.
	values []scan.Span
	few    [16]scan.Span
	wrong  []string
}

func invalidInput(reason, message string) *CallError {
	return &CallError{Kind: KindInvalidInput, Reason: reason, Component: "arguments", Message: message}
}

// read finds the value of each parameter in one pass over the text.
func (b *binder) read(out *Binding) *CallError {
	start := scan.Blank(b.data, 0)
	switch scan.KindOf(b.data[start:]) {
	case scan.Object:
	case scan.Invalid, scan.Null:
		if start == len(b.data) {
			return nil
		}
		fallthrough
	default:
		at, bad := scan.Text(b.data, canon.MaxDepth)
		switch kind := scan.KindOf(at.Of(b.data)); {
		case bad != nil:
			return b.notJSON(bad)
		case kind != scan.Null:
			return invalidInput(ReasonArguments, fmt.Sprintf("the arguments must be a JSON object, not %v", kind))
		}
		return nil
	}
	end, bad := scan.Members(b.data, start, canon.MaxDepth, func(name, value scan.Span) *scan.Error {
		if i := b.param(name); i >= 0 {
			b.values[i] = value
			return nil
		}
		out.Ignored++
		if len(out.Undeclared) < maxUndeclared {
			out.Undeclared = append(out.Undeclared, scan.Unquote(name.Of(b.data)))
		}
		return nil
	})
	if bad == nil {
		if rest := scan.Blank(b.data, end); rest < len(b.data) {
			bad = &scan.Error{Offset: rest, Found: "more text", Want: "the end"}
		}
	}
	if bad != nil {
		return b.notJSON(bad)
	}
	return nil
}

func (b *binder) notJSON(bad *scan.Error) *CallError {
	if bad.TooDeep {
		return invalidInput(ReasonArguments, fmt.Sprintf("the arguments nest deeper than %d", canon.MaxDepth))
	}
	return invalidInput(ReasonArguments, fmt.Sprintf("the arguments are not JSON: %v (at byte %d)", bad, bad.Offset))
}

// param finds the last parameter of the name, or -1.
func (b *binder) param(name scan.Span) int {
	token := name.Of(b.data)
	params := b.spec.Params
	if scan.Plain(token) {
		text := token[1 : len(token)-1]
		for i := len(params) - 1; i >= 0; i-- {
			if params[i].Name == string(text) { // the compiler makes no copy
				return i
			}
		}
		return -1
	}
	text := scan.Unquote(token)
	for i := len(params) - 1; i >= 0; i-- {
		if params[i].Name == text {
			return i
		}
	}
	return -1
}

// bind drops, checks, converts and writes the values that were found.
func (b *binder) bind(out *Binding) *CallError {
	params := b.spec.Params
	given, missing := 0, []string(nil)
	for i := range params {
		p := &params[i]
		if b.values[i].End > 0 && b.dropped(p, b.values[i]) {
			b.values[i] = scan.Span{}
		}
		switch {
		case b.values[i].End > 0:
			given++
		case p.Required && b.counts(i):
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 {
		return invalidInput(ReasonMissingArgument, missingText(missing))
	}
	buf := append(make([]byte, 0, len(b.data)+2), '{')
	if given > 0 {
		out.Globals = make([]Global, 0, given)
	}
	for i := range params {
		p := &params[i]
		switch {
		case !b.counts(i):
			continue
		case b.values[i].End == 0:
			out.Unset = append(out.Unset, p.Name)
			continue
		}
		if len(buf) > 1 {
			buf = append(buf, ',')
		}
		buf = append(canon.AppendString(buf, p.Name), ':')
		from := len(buf)
		buf = b.value(buf, p, b.values[i].Of(b.data))
		// If buf is reallocated, the slice keeps the old memory, which holds the value.
		out.Globals = append(out.Globals, Global{Name: p.Name, Value: buf[from:len(buf):len(buf)]})
	}
	if len(b.wrong) > 0 {
		return invalidInput(ReasonArgumentType, strings.Join(b.wrong, "; "))
	}
	out.Arguments = append(buf, '}')
	return nil
}

// counts reports whether the parameter is bound at all.
func (b *binder) counts(i int) bool {
	return b.spec.isLastParam(i) && !b.spec.isStatic(b.spec.Params[i].Name)
}

// dropped applies rule 1: null and blank strings count as not given.
func (b *binder) dropped(p *Param, at scan.Span) bool {
	switch token := at.Of(b.data); scan.KindOf(token) {
	case scan.Null:
		return true
	case scan.String:
		return !(p.AllowEmpty && p.Type == TypeString) && scan.IsBlank(token)
	}
	return false
}

func missingText(names []string) string {
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}
	if len(names) == 1 {
		return "the argument " + names[0] + " is missing"
	}
	return "the arguments " + strings.Join(names, ", ") + " are missing"
}

// value checks one value and appends the value to bind. It records a value that does not
// match; what it appends then does not matter.
func (b *binder) value(dst []byte, p *Param, token []byte) []byte {
	kind := scan.KindOf(token)
	if b.lenient {
		switch {
		case kind == scan.String && p.Type != TypeString:
			converted, err := fromText(p.Type, scan.Unquote(token))
			if err != nil {
				b.wrong = append(b.wrong, fmt.Sprintf("the argument %q %v", p.Name, err))
				return dst
			}
			token, kind = converted, scan.KindOf(converted)
		case p.Type == TypeString && (kind == scan.Number || kind == scan.Bool):
			return canon.AppendString(dst, string(token))
		}
	}
	switch p.Type {
	case TypeString:
		if kind == scan.String {
			return append(dst, token...)
		}
	case TypeInteger:
		if kind == scan.Number {
			return b.integer(dst, p, token)
		}
	case TypeNumber:
		if kind == scan.Number {
			if finite(token) {
				return append(dst, token...)
			}
			b.wrong = append(b.wrong, fmt.Sprintf("the argument %q is too large for a number", p.Name))
			return dst
		}
	case TypeBoolean:
		if kind == scan.Bool {
			return append(dst, token...)
		}
	case TypeObject:
		if kind == scan.Object {
			return scan.Compact(dst, token)
		}
	case TypeArray:
		if kind == scan.Array {
			return scan.Compact(dst, token)
		}
	}
	b.wrong = append(b.wrong, fmt.Sprintf("the argument %q must be %s, not %v", p.Name, p.Type.phrase(), kind))
	return dst
}

func (b *binder) integer(dst []byte, p *Param, token []byte) []byte {
	v, ok := wholeNumber(token)
	switch {
	case ok && v <= maxSafeInteger && v >= -maxSafeInteger:
		return strconv.AppendInt(dst, v, 10)
	case ok || isWhole(token):
		b.wrong = append(b.wrong, fmt.Sprintf("the argument %q is beyond ±9007199254740991", p.Name))
	default:
		b.wrong = append(b.wrong, fmt.Sprintf("the argument %q must be a whole number", p.Name))
	}
	return dst
}

// phrase returns the name of the type for messages.
func (t ParamType) phrase() string {
	switch t {
	case TypeString:
		return "a string"
	case TypeInteger:
		return "a whole number"
	case TypeNumber:
		return "a number"
	case TypeBoolean:
		return "a boolean"
	case TypeObject:
		return "an object"
	case TypeArray:
		return "an array"
	}
	return "of a known type"
}
