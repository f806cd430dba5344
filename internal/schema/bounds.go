package schema

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schemas come from untrusted sources, and the library follows them without limit: a
// reference that leads back to itself ends the process (Go cannot recover from a stack
// overflow), doubled references take twice the time with each level, and reading nested
// schemas takes time quadratic in their depth. So a schema is refused if this happens for
// every value, and a value is refused if it would happen for that value.
const (
	maxNesting = 200         // levels of a schema's text and of a value's text, as in a message
	maxSteps   = 1_000_000   // steps of about a microsecond that the check of one value may take
	maxDepth   = 2_000       // schemas applied within each other: 8 MB of stack
	maxWraps   = 100_000_000 // bytes that are copied for the error messages of one value
)

// rule is a schema with the schemas that are applied to the same value, and with the
// patterns that select the members for other schemas.
type rule struct {
	*jsonschema.Schema
	path     string
	ref      *rule
	beside   []*rule
	depends  map[string]*rule
	members  map[string]*rule
	patterns []pattern
	others   []*rule // for members without another rule
	every    []*rule // for each member, or for each item
	first    []*rule // for the first items
	rest     []*rule // for the items after these
	tried    bool    // if it does not match, another schema may, and the check continues
	cost     cost
}

type pattern struct {
	*regexp.Regexp
	*rule
	size int
}

// resource is a part of a schema to which references are relative.
type resource struct {
	at      *url.URL
	path    string
	anchors map[string]*rule
}

// reader finds what each reference of a schema leads to.
type reader struct {
	paths     map[string]*rule
	resources map[string]*resource
	dynamic   map[string][]*rule
	refs      []reference
}

type reference struct {
	from    *rule
	base    *resource
	to      string
	dynamic bool
}

// readRule makes the rules for a schema that the library has accepted.
func readRule(root *jsonschema.Schema) (*rule, error) {
	at := &url.URL{}
	d := reader{paths: map[string]*rule{}, resources: map[string]*resource{}, dynamic: map[string][]*rule{}}
	base := &resource{at: at, anchors: map[string]*rule{}}
	d.resources[at.String()] = base
	top := d.visit(root, "", base)
	for _, ref := range d.refs {
		to, err := d.resolve(ref)
		switch {
		case err != nil:
			return nil, err
		case ref.dynamic:
			ref.from.beside = append(ref.from.beside, to...)
		default:
			ref.from.ref = to[0]
		}
	}
	return top, circle(d.paths)
}

func (d *reader) visit(s *jsonschema.Schema, path string, base *resource) *rule {
	if s == nil {
		return nil
	}
	r := &rule{Schema: s, path: path}
	d.paths[path] = r
	if name, is := strings.CutPrefix(s.ID, "#"); is { // as draft 7 spelled anchors
		base.anchors[name] = r
	} else if id, err := url.Parse(s.ID); s.ID != "" && err == nil {
		base = &resource{at: base.at.ResolveReference(id), path: path, anchors: map[string]*rule{}}
		d.resources[base.at.String()] = base
	}
	if s.Anchor != "" {
		base.anchors[s.Anchor] = r
	}
	if s.DynamicAnchor != "" {
		base.anchors[s.DynamicAnchor] = r
		d.dynamic[s.DynamicAnchor] = append(d.dynamic[s.DynamicAnchor], r)
	}
	r.cost = costOf(s)
	for i, value := range s.Enum {
		s.Enum[i] = printed(value)
	}
	if s.Const != nil {
		value := printed(*s.Const)
		s.Const = &value
	}
	if s.Ref != "" {
		d.refs = append(d.refs, reference{from: r, base: base, to: s.Ref})
	}
	if s.DynamicRef != "" {
		d.refs = append(d.refs, reference{from: r, base: base, to: s.DynamicRef, dynamic: true})
	}
	one := func(key string, s *jsonschema.Schema) []*rule {
		if s == nil {
			return nil
		}
		return []*rule{d.visit(s, path+"/"+key, base)}
	}
	list := func(key string, all []*jsonschema.Schema) (rules []*rule) {
		for i, s := range all {
			rules = append(rules, one(key+"/"+strconv.Itoa(i), s)...)
		}
		return rules
	}
	named := func(key string, all map[string]*jsonschema.Schema) map[string]*rule {
		rules := make(map[string]*rule, len(all))
		for name, s := range all {
			rules[name] = d.visit(s, path+"/"+key+"/"+escaper.Replace(name), base)
		}
		return rules
	}
	named("$defs", s.Defs)
	named("definitions", s.Definitions)
	one("contentSchema", s.ContentSchema)
	contains := one("contains", s.Contains)
	tries := slices.Concat(list("anyOf", s.AnyOf), list("oneOf", s.OneOf), one("not", s.Not), one("if", s.If))
	for _, inner := range slices.Concat(tries, contains) {
		if inner != nil {
			inner.tried = true
		}
	}
	r.beside = slices.Concat(list("allOf", s.AllOf), tries, one("then", s.Then), one("else", s.Else))
	r.depends = named("dependentSchemas", s.DependentSchemas)
	maps.Copy(r.depends, named("dependencies", s.DependencySchemas))
	r.members = named("properties", s.Properties)
	for expression, inner := range named("patternProperties", s.PatternProperties) {
		if compiled, err := regexp.Compile(expression); err == nil {
			r.patterns = append(r.patterns, pattern{compiled, inner, size(expression)})
		}
	}
	r.others = one("additionalProperties", s.AdditionalProperties)
	r.every = slices.Concat(one("propertyNames", s.PropertyNames), one("unevaluatedProperties", s.UnevaluatedProperties),
		contains, one("unevaluatedItems", s.UnevaluatedItems))
	r.first = slices.Concat(list("prefixItems", s.PrefixItems), list("items", s.ItemsArray))
	r.rest = slices.Concat(one("items", s.Items), one("additionalItems", s.AdditionalItems))
	return r
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// resolve returns the targets of a reference; a dynamic reference may lead to any schema
// with its name.
func (d *reader) resolve(ref reference) ([]*rule, error) {
	unknown := fmt.Errorf("the reference %q at %s leads to no schema of this document", ref.to, orTop(ref.from.path))
	to, err := url.Parse(ref.to)
	if err != nil {
		return nil, unknown
	}
	to = ref.base.at.ResolveReference(to)
	fragment := to.Fragment
	to.Fragment, to.RawFragment = "", ""
	target := d.resources[to.String()]
	if target == nil {
		return nil, unknown
	}
	var found *rule
	if fragment == "" || fragment[0] == '/' {
		found = d.paths[target.path+fragment]
	} else {
		found = target.anchors[fragment]
	}
	if found == nil {
		return nil, unknown
	}
	if ref.dynamic && fragment != "" && len(d.dynamic[fragment]) > 0 {
		return d.dynamic[fragment], nil
	}
	return []*rule{found}, nil
}

func orTop(path string) string {
	if path == "" {
		return "the top"
	}
	return path
}

// circle reports a schema that applies itself to the same value.
func circle(all map[string]*rule) error {
	const open, done = 1, 2
	state := make(map[*rule]int, len(all))
	var walk func(*rule) error
	walk = func(r *rule) error {
		switch state[r] {
		case open:
			return fmt.Errorf("the schema at %s refers to itself without end", orTop(r.path))
		case done:
			return nil
		}
		state[r] = open
		if r.ref != nil {
			if err := walk(r.ref); err != nil {
				return err
			}
		}
		for _, next := range r.beside {
			if err := walk(next); err != nil {
				return err
			}
		}
		for _, next := range r.depends {
			if err := walk(next); err != nil {
				return err
			}
		}
		state[r] = done
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(all)) { // the same report each time
		if err := walk(all[path]); err != nil {
			return err
		}
	}
	return nil
}
