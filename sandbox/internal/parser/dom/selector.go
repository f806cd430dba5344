package dom

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// Selector is a compiled CSS selector. It is immutable.
//
// Read are the selectors of CSS 3 (types, ids, classes, attributes, the
// combinators, the structural pseudo-classes, :not, :enabled, :disabled,
// :checked, :link), :is and :where, :has, and jsoup's :contains, :containsOwn,
// :eq, :lt, :gt, [^prefix], [name!=value], [abs:name], ns|tag and a leading
// combinator. As in jsoup, values and classes are compared whatever their case,
// :contains whatever case and whitespace, and :eq, :lt and :gt count an
// element's place among its siblings from 0. [name~=word] looks for a word, or
// with anything else than letters, digits, "-" and "_" for a regular expression
// (RE2). Dynamic pseudo-classes (:hover, :focus) match nothing.
type Selector struct {
	list list
}

// list is alternatives.
type list struct {
	complexes []complexSel
	// single: each alternative is one compound, without a leading combinator,
	// so an element can be tested by itself.
	single bool
}

// complexSel is compounds with combinators between them. Bit i of a mask says
// that compounds up to i have been found.
type complexSel struct {
	compounds []compound
}

// maxCompounds is the number of bits in a mask.
const maxCompounds = 64

// compound is what one element must be.
type compound struct {
	// before is the combinator to its left: 0 for none, ' ', '>', '+' or '~'.
	before byte
	tests  []test
}

// test is one condition on an element.
type test interface {
	match(m *matcher, n *html.Node) bool
}

// The conditions. Those without a file of their own are in conditions.go.
type (
	tagTest       struct{ name string }
	suffixTest    struct{ suffix string } // *|tag
	idTest        struct{ id string }
	classTest     struct{ name string }
	attrTest      struct{ name string }
	attrStartTest struct{ prefix string }
	valueTest     struct {
		name, value string
		op          byte // '=', '!', '^', '$', '*', '~' (word), '|'
	}
	patternTest struct {
		name    string
		pattern *regexp.Regexp
	}
	positionTest struct {
		a, b           int // a*n + b, from 1
		last, sameType bool
	}
	onlyTest  struct{ sameType bool }
	indexTest struct {
		op byte // '=', '<', '>'
		n  int
	}
	wordTest     struct{ word string } // :empty, :root and others without argument
	containsTest struct {
		text string
		own  bool
	}
	notTest struct{ list *list }
	isTest  struct{ list *list }
	hasTest struct{ list *list }
)

// ByID, ByTag and ByClass make the selectors of one condition, for any name.
func ByID(id string) *Selector { return single(idTest{id}) }

// ByTag: see [ByID].
func ByTag(tag string) *Selector {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if tag == "*" {
		return single()
	}
	return single(tagTest{tag})
}

// ByClass: see [ByID].
func ByClass(name string) *Selector { return single(classTest{name}) }

func single(tests ...test) *Selector {
	return &Selector{list: list{complexes: []complexSel{{compounds: []compound{{tests: tests}}}}, single: true}}
}
