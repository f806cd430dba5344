package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// The cost of reading a schema grows faster than its text: each level reads its content
// again, each part keeps its whole path, each reference is resolved against the whole
// enclosing address, and a repetition in a pattern multiplies. At these bounds, reading
// takes a second and about 100 MB; the schemas of tools stay below a tenth of each.
const (
	maxReading  = 10_000_000 // bytes of the text, each counted once per level of nesting
	maxParts    = 20_000     // schemas within a schema
	maxPaths    = 16 << 20   // bytes of the paths of all parts, and of all addresses
	maxPattern  = 10_000     // bytes of one pattern
	maxPatterns = 100_000    // instructions of all patterns
)

var (
	errDeep     = fmt.Errorf("is nested deeper than %d levels", maxNesting)
	errReading  = errors.New("is too large for how deep it is nested")
	errParts    = fmt.Errorf("has more than %d parts", maxParts)
	errPaths    = errors.New("has too many parts below long names")
	errAddress  = errors.New("has too many references below long addresses")
	errPatterns = errors.New("has patterns that are too large")
)

// outline rejects text that costs too much to read, before any recursive code reads it.
func outline(raw json.RawMessage) error {
	var names [maxNesting + 1]int // length of the path to each level
	var depth, reading, parts, paths, start int
	quoted := false
	for i := 0; i < len(raw); i++ {
		if reading += depth; reading > maxReading {
			return errReading
		}
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
			reading += depth
		case c == '"':
			if quoted = !quoted; quoted {
				start = i
			}
		case quoted:
		case c == ':': // the text before it was a name
			if depth > 0 {
				names[depth] = names[depth-1] + i - start
			}
		case c == '{' || c == '[' || c == 't' || c == 'f': // an object, or true, or false
			if c != '[' {
				parts++
				if paths += names[depth]; paths > maxPaths {
					return errPaths
				}
				if parts > maxParts {
					return errParts
				}
			}
			if c == 't' || c == 'f' {
				continue
			}
			if depth++; depth > maxNesting {
				return errDeep
			}
			names[depth] = names[depth-1]
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		}
	}
	return nil
}

// nesting rejects a value that is nested deeper than any message may be.
func nesting(raw json.RawMessage) error {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNesting {
				return errDeep
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// measure adds up what resolving a schema would cost.
type measure struct{ addresses, patterns int }

func (m *measure) one(s *jsonschema.Schema, base int) error {
	if s == nil {
		return nil
	}
	base += len(s.ID)
	for _, address := range []string{s.ID, s.Ref, s.DynamicRef} {
		if address == "" {
			continue
		}
		if m.addresses += base + len(address); m.addresses > maxPaths {
			return errAddress
		}
	}
	if s.Pattern != "" {
		if err := m.pattern(s.Pattern); err != nil {
			return err
		}
	}
	for pattern := range s.PatternProperties {
		if err := m.pattern(pattern); err != nil {
			return err
		}
	}
	for _, inner := range []*jsonschema.Schema{
		s.ContentSchema, s.Not, s.If, s.Then, s.Else, s.AdditionalProperties, s.PropertyNames,
		s.UnevaluatedProperties, s.Contains, s.UnevaluatedItems, s.Items, s.AdditionalItems,
	} {
		if err := m.one(inner, base); err != nil {
			return err
		}
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems, s.ItemsArray} {
		for _, inner := range list {
			if err := m.one(inner, base); err != nil {
				return err
			}
		}
	}
	for _, named := range []map[string]*jsonschema.Schema{
		s.Defs, s.Definitions, s.DependentSchemas, s.DependencySchemas, s.Properties, s.PatternProperties,
	} {
		for _, inner := range named {
			if err := m.one(inner, base); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *measure) pattern(expression string) error {
	if len(expression) > maxPattern {
		return errPatterns
	}
	if m.patterns += size(expression); m.patterns > maxPatterns {
		return errPatterns
	}
	return nil
}

// size returns roughly how many instructions a pattern compiles to. The library reports
// invalid patterns.
func size(expression string) int {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0
	}
	return instructions(tree)
}

func instructions(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	} else {
		n += len(re.Rune) / 16 // a class is one instruction, plus its table
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// maxText is the largest length of an error text, in bytes: it contains text from
// untrusted sources.
const maxText = 2000

// brief cuts the text of an error in the middle, because it begins with the place and
// ends with the fault.
func brief(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if len(text) <= maxText {
		return err
	}
	head, tail := maxText/2, len(text)-maxText/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return errors.New(text[:head] + " … " + text[tail:])
}
