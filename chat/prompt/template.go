package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/chat/llm"
)

// Templates are texts with variables in double braces, without spaces inside:
//
//	{{name}}  {{name:type}}  {{name:type(args)}}, each also with =default at its end
//
// Types are text (the default, and the meaning of an unknown type), multiline,
// number(min,max), select(a,b,c) and list(a,b,c,max=N). Single braces are text. If a
// variable occurs several times, its first occurrence defines it. Rendering is one pass:
// variables inside values are not expanded.

// VarType is the type of a variable of a template.
type VarType string

// The types.
const (
	VarText      VarType = "text"
	VarMultiline VarType = "multiline"
	VarNumber    VarType = "number"
	VarSelect    VarType = "select"
	VarList      VarType = "list"
)

// VariableSpec describes a variable.
type VariableSpec struct {
	Name    string   `json:"name"`
	Type    VarType  `json:"type"`
	Options []string `json:"options,omitempty"` // for select and list
	Min     *float64 `json:"min,omitempty"`     // for number
	Max     *float64 `json:"max,omitempty"`
	Limit   *int     `json:"limit,omitempty"` // for list: the maximum number of chosen values
	Default *string  `json:"default,omitempty"`
}

// TemplateOptions are the options of [Render]. The zero value is strict.
type TemplateOptions struct {
	// Loose applies the rules of older template files: a later occurrence without a
	// default does not use the default of the first, a backslash does not escape, names
	// consist of ASCII letters, and arguments may contain braces.
	Loose bool
}

// The grammar. Its groups are a backslash (strict only), name, type, args, default.
var (
	looseToken  = regexp.MustCompile(`()\{\{(\w+)(?::(\w+)(?:\(([^)]*)\))?)?(?:=([^}]*))?\}\}`)
	strictToken = regexp.MustCompile(`(\\?)\{\{([\p{L}\p{N}_]+)(?::(\w+)(?:\(([^(){}]*)\))?)?(?:=([^}]*))?\}\}`)
)

// token is one occurrence of a variable.
type token struct {
	start, end int
	escaped    bool
	name       string
	kind, args string
	fallback   *string
}

func (o *TemplateOptions) tokens(tpl string) []token {
	re := strictToken
	if o != nil && o.Loose {
		re = looseToken
	}
	found := re.FindAllStringSubmatchIndex(tpl, -1)
	out := make([]token, len(found))
	group := func(m []int, i int) (string, bool) {
		if m[2*i] < 0 {
			return "", false
		}
		return tpl[m[2*i]:m[2*i+1]], true
	}
	for i, m := range found {
		t := token{start: m[0], end: m[1]}
		back, _ := group(m, 1)
		t.escaped = back != ""
		t.name, _ = group(m, 2)
		t.kind, _ = group(m, 3)
		t.args, _ = group(m, 4)
		if fallback, ok := group(m, 5); ok {
			t.fallback = &fallback
		}
		out[i] = t
	}
	return out
}

// Variables returns the variables of a template in the order of their first
// occurrence. opts may be nil.
func Variables(tpl string, opts *TemplateOptions) []VariableSpec {
	var out []VariableSpec
	for _, t := range opts.tokens(tpl) {
		if t.escaped || slices.ContainsFunc(out, func(v VariableSpec) bool { return v.Name == t.name }) {
			continue
		}
		out = append(out, t.spec())
	}
	return out
}

// spec returns the definition of the variable that an occurrence contains.
func (t *token) spec() VariableSpec {
	v := VariableSpec{Name: t.name, Type: VarType(strings.ToLower(t.kind)), Default: t.fallback}
	switch v.Type {
	case VarMultiline:
	case VarNumber:
		low, high, _ := strings.Cut(t.args, ",")
		high, _, _ = strings.Cut(high, ",")
		v.Min, v.Max = number(low), number(high)
	case VarSelect:
		v.Options = choices(t.args)
	case VarList:
		for _, c := range choices(t.args) {
			if key, n, ok := strings.Cut(c, "="); ok && strings.EqualFold(strings.TrimSpace(key), "max") {
				if limit, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
					v.Limit = &limit
				}
				continue
			}
			v.Options = append(v.Options, c)
		}
	default:
		v.Type = VarText
	}
	return v
}

func number(s string) *float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != f {
		return nil
	}
	return &f
}

func choices(args string) []string {
	var out []string
	for _, c := range strings.Split(args, ",") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// Render inserts values into a template. For a missing or blank value it uses the default
// of the occurrence, or else that of the variable's first occurrence, or else nothing.
// Values are inserted unchanged, in one pass. opts may be nil. Render accepts any value;
// [Validate] checks them.
func Render(tpl string, values map[string]string, opts *TemplateOptions) string {
	if strings.TrimSpace(tpl) == "" {
		return ""
	}
	strict := opts == nil || !opts.Loose
	first := map[string]*string{}
	var b strings.Builder
	at := 0
	for _, t := range opts.tokens(tpl) {
		b.WriteString(tpl[at:t.start])
		at = t.end
		if t.escaped {
			b.WriteString(tpl[t.start+1 : t.end])
			continue
		}
		if _, seen := first[t.name]; !seen {
			first[t.name] = t.fallback
		}
		value := values[t.name]
		if strings.TrimSpace(value) == "" {
			value = ""
			switch {
			case t.fallback != nil:
				value = *t.fallback
			case strict && first[t.name] != nil:
				value = *first[t.name]
			}
		}
		b.WriteString(value)
	}
	b.WriteString(tpl[at:])
	return b.String()
}

// Unfilled returns the variables of a template that have neither a value nor a default,
// in the order of their first occurrence: ask for them before you render the template. A
// default may be empty, as in {{note=}}. opts may be nil.
func Unfilled(tpl string, values map[string]string, opts *TemplateOptions) []VariableSpec {
	return slices.DeleteFunc(Variables(tpl, opts), func(v VariableSpec) bool {
		return v.Default != nil || strings.TrimSpace(values[v.Name]) != ""
	})
}

// Check reports an invalid value: a number out of bounds, a choice that is not offered,
// more choices than allowed. A blank value is valid; [Unfilled] says whether one is
// needed.
func (v *VariableSpec) Check(value string) error {
	if value = strings.TrimSpace(value); value == "" {
		return nil
	}
	if err := v.check(value); err != nil {
		return fmt.Errorf("prompt: template variable %q: %w", v.Name, err)
	}
	return nil
}

// Validate reports values that [VariableSpec.Check] refuses, and values for variables
// that the template does not have. It returns nil if there are none; [Unfilled] reports
// missing values. A list value consists of its choices joined by ", ". opts may be nil.
func Validate(tpl string, values map[string]string, opts *TemplateOptions) error {
	var problems []error
	known := map[string]bool{}
	for _, v := range Variables(tpl, opts) {
		known[v.Name] = true
		if err := v.Check(values[v.Name]); err != nil {
			problems = append(problems, err)
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		if !known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		problems = append(problems, fmt.Errorf("prompt: the template has no variable %q: %w", name, llm.ErrInvalid))
	}
	return errors.Join(problems...)
}

func (v *VariableSpec) check(value string) error {
	switch v.Type {
	case VarNumber:
		f := number(value)
		switch {
		case f == nil:
			return fmt.Errorf("%q is no number: %w", value, llm.ErrInvalid)
		case v.Min != nil && *f < *v.Min:
			return fmt.Errorf("%s is less than %v: %w", value, *v.Min, llm.ErrInvalid)
		case v.Max != nil && *f > *v.Max:
			return fmt.Errorf("%s is more than %v: %w", value, *v.Max, llm.ErrInvalid)
		}
	case VarSelect:
		if len(v.Options) > 0 && !slices.Contains(v.Options, value) {
			return fmt.Errorf("%q is none of %s: %w", value, strings.Join(v.Options, ", "), llm.ErrInvalid)
		}
	case VarList:
		picked := choices(value)
		for _, p := range picked {
			if len(v.Options) > 0 && !slices.Contains(v.Options, p) {
				return fmt.Errorf("%q is none of %s: %w", p, strings.Join(v.Options, ", "), llm.ErrInvalid)
			}
		}
		if v.Limit != nil && len(picked) > *v.Limit {
			return fmt.Errorf("%d are picked, and at most %d may be: %w", len(picked), *v.Limit, llm.ErrInvalid)
		}
	}
	return nil
}

// RenderedSize returns the maximum size in bytes of what [Render] would return, without
// rendering.
func RenderedSize(tpl string, values map[string]string, opts *TemplateOptions) int {
	size := len(tpl)
	first := map[string]int{}
	for _, t := range opts.tokens(tpl) {
		n := len(values[t.name])
		if t.fallback != nil {
			n = max(n, len(*t.fallback))
		}
		if _, seen := first[t.name]; !seen {
			first[t.name] = n
		}
		size += max(n, first[t.name])
	}
	return size
}
