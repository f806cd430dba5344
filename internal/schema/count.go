package schema

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/maphash"
	"math/big"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

var (
	errSteps = errors.New("schema: to check this value against this schema takes too many steps")
	errDepth = errors.New("schema: to check this value, the schema is applied too deep inside of itself")
)

// cost is what a schema adds to a step, in eighths of a microsecond.
type cost struct {
	names   int // members looked up in each object
	listed  int // bytes of the names in an error
	enum    int // values to compare with
	shown   int // bytes of the enum values, or of the alternative schemas, in an error
	deep    int // bytes of the enum values that are lists or objects
	pattern int // instructions
}

func costOf(s *jsonschema.Schema) cost {
	c := cost{enum: len(s.Enum)}
	names := func(list []string) {
		for _, name := range list {
			c.names++
			c.listed += len(name)
		}
	}
	c.names = len(s.Properties) + len(s.DependentSchemas) + len(s.DependencySchemas)
	names(s.Required)
	for _, list := range s.DependentRequired {
		names(list)
	}
	for _, list := range s.DependencyStrings {
		names(list)
	}
	for _, e := range s.Enum {
		n := bulk(e)
		c.deep += n
		c.shown += min(n, maxPrinted)
	}
	if s.Const != nil {
		c.deep += bulk(*s.Const)
	}
	for _, choice := range slices.Concat(s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.Contains}) {
		if choice != nil {
			c.shown += 20 + len(choice.ID) + len(choice.Anchor) + len(choice.DynamicAnchor)
		}
	}
	if s.Pattern != "" {
		c.pattern = size(s.Pattern)
	}
	return c
}

// bulk returns roughly how many bytes a value has as JSON.
func bulk(v any) int {
	n := 4
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, item := range v {
			n += bulk(item)
		}
	case map[string]any:
		for name, member := range v {
			n += len(name) + bulk(member)
		}
	}
	return n
}

// fits reports whether a value has a type that the schema allows.
func (r *rule) fits(v any) bool {
	if r.Type == "" && r.Types == nil {
		return true
	}
	is := func(kinds ...string) bool {
		return slices.Contains(kinds, r.Type) || slices.ContainsFunc(r.Types, func(t string) bool { return slices.Contains(kinds, t) })
	}
	switch v.(type) {
	case nil:
		return is("null")
	case bool:
		return is("boolean")
	case string:
		return is("string")
	case []any:
		return is("array")
	case map[string]any:
		return is("object")
	}
	return is("number", "integer")
}

// count walks like the check, without checking, and adds up what the check would cost.
// Besides its steps, the library compares, copies and prints whole values, lists and
// paths each time a schema does not match.
type count struct {
	steps, eighths int
	depth          int
	tried          int // the depth of the nearest schema that may fail, or 0
	wraps          int // bytes that an error here would copy
}

// spend adds work, in eighths of a microsecond.
func (c *count) spend(eighths int) error {
	c.eighths += eighths
	c.steps += c.eighths / 8
	c.eighths %= 8
	if c.steps > maxSteps {
		return errSteps
	}
	return nil
}

// text adds the cost of bytes more in the text of an error: each enclosing schema copies
// the text. An error that ends the check is written once.
func (c *count) text(bytes int) error {
	if c.tried == 0 {
		if c.wraps+bytes*c.depth > maxWraps {
			return errDepth
		}
		return nil
	}
	return c.spend(bytes * (2 + c.depth - c.tried) / 128)
}

func (c *count) all(rules []*rule, v any) error {
	for _, r := range rules {
		if err := c.one(r, v); err != nil {
			return err
		}
	}
	return nil
}

func (c *count) one(r *rule, v any) error {
	if c.depth++; c.depth > maxDepth {
		return errDepth
	}
	was, wraps := c.tried, (len(r.path)+12)*c.depth
	if r.tried {
		c.tried = c.depth
	}
	c.wraps += wraps
	defer func() { c.depth, c.tried, c.wraps = c.depth-1, was, c.wraps-wraps }()
	if err := cmp.Or(c.spend(8), c.text(len(r.path)+12)); err != nil {
		return err
	}
	if r.ref != nil {
		if err := c.one(r.ref, v); err != nil {
			return err
		}
	}
	if !r.fits(v) { // the check ends here
		return nil
	}
	if err := c.self(r, v); err != nil {
		return err
	}
	if err := c.all(r.beside, v); err != nil {
		return err
	}
	switch v := v.(type) {
	case []any:
		return c.items(r, v)
	case map[string]any:
		return c.members(r, v)
	}
	return nil
}

// self adds the cost of checking a value against a schema without the schemas that it
// applies.
func (c *count) self(r *rule, v any) error {
	if err := cmp.Or(c.spend(r.cost.enum), c.text(r.cost.shown)); err != nil {
		return err
	}
	if r.DynamicRef != "" {
		if err := c.spend(c.depth); err != nil {
			return err
		}
	}
	switch v := v.(type) {
	case string:
		if r.Pattern != "" || r.MinLength != nil || r.MaxLength != nil {
			return cmp.Or(c.spend(len(v)/64+len(v)*r.cost.pattern/16), c.text(len(v)+len(r.Pattern)))
		}
	case []any:
		if r.UniqueItems {
			if err := c.unique(v); err != nil {
				return err
			}
		}
		return c.spend(len(v)/2 + r.cost.deep)
	case map[string]any:
		return cmp.Or(c.spend(len(v)/2+r.cost.names+r.cost.deep), c.text(r.cost.listed))
	}
	return nil
}

func (c *count) items(r *rule, v []any) error {
	for i, item := range v {
		rules := r.rest
		if i < len(r.first) {
			rules = r.first[i : i+1]
		}
		if err := c.all(rules, item); err != nil {
			return err
		}
		if err := c.all(r.every, item); err != nil {
			return err
		}
	}
	return nil
}

func (c *count) members(r *rule, v map[string]any) error {
	for name, inner := range r.depends {
		if _, has := v[name]; has {
			if err := c.one(inner, v); err != nil {
				return err
			}
		}
	}
	names := 0
	for name, member := range v {
		names += len(name)
		if err := c.member(r, name, member); err != nil {
			return err
		}
	}
	if r.PropertyNames != nil || r.AdditionalProperties != nil { // their errors list the names
		return cmp.Or(c.spend(names/8), c.text(names))
	}
	return nil
}

func (c *count) member(r *rule, name string, member any) error {
	own := r.members[name]
	if own != nil {
		if err := c.one(own, member); err != nil {
			return err
		}
	}
	matched := own != nil
	for _, p := range r.patterns {
		if err := c.spend(8 + len(name)*p.size/8); err != nil { // the pattern is matched twice: by the library, and here
			return err
		}
		if p.MatchString(name) {
			matched = true
			if err := c.one(p.rule, member); err != nil {
				return err
			}
		}
	}
	if !matched {
		if err := c.all(r.others, member); err != nil {
			return err
		}
	}
	for _, each := range r.every {
		of := member
		if each.Schema == r.PropertyNames {
			of = name
		}
		if err := c.one(each, of); err != nil {
			return err
		}
	}
	return nil
}

var seed = maphash.MakeSeed()

// unique adds the cost of finding two equal items. The library compares all items with
// the same hash; the hash ignores the ends of strings and treats null like false, so many
// different items may have the same one.
func (c *count) unique(items []any) error {
	alike := make(map[uint64]int, len(items))
	seen := make(map[uint64]bool, len(items))
	for _, item := range items {
		exact, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if err := c.spend(8 + len(exact)/4); err != nil {
			return err
		}
		whole := maphash.Bytes(seed, exact)
		if seen[whole] { // the check ends here
			return nil
		}
		seen[whole] = true
		var h maphash.Hash
		h.SetSeed(seed)
		blend(&h, item)
		if err := c.spend(alike[h.Sum64()] * (4 + len(exact)/4)); err != nil {
			return err
		}
		alike[h.Sum64()]++
	}
	return nil
}

// blend writes the same data as the library's hash of a value.
func blend(h *maphash.Hash, v any) {
	number := func(n int) { _, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) }
	switch v := v.(type) {
	case nil:
		_ = h.WriteByte(0)
	case bool:
		if v {
			_ = h.WriteByte(1)
		} else {
			_ = h.WriteByte(0)
		}
	case string:
		_, _ = h.WriteString(v)
	case float64:
		r := new(big.Rat).SetFloat64(v)
		number(r.Sign() + 1)
		_, _ = h.Write(r.Num().Bytes())
		_, _ = h.Write(r.Denom().Bytes())
	case []any:
		number(len(v))
		for _, item := range v {
			blend(h, item)
		}
	case map[string]any:
		number(len(v))
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			_, _ = h.WriteString(name)
			blend(h, v[name])
		}
	}
}
