package dom

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// Selector is a compiled CSS selector. It is immutable.
//
// Supported are the selectors of CSS 3 (types, ids, classes, attributes, the combinators,
// the structural pseudo-classes, :not, :enabled, :disabled, :checked, :link), :is, :where
// and :has, and jsoup's :contains, :containsOwn, :eq, :lt, :gt, [^prefix], [name!=value],
// [abs:name], ns|tag and a leading combinator. As in jsoup, values and classes are
// compared without regard to case, :contains ignores case and whitespace, and :eq, :lt
// and :gt count the position of an element among its siblings from 0. In [name~=word],
// word is a word if it consists of letters, digits, "-" and "_", and otherwise a regular
// expression (RE2). Dynamic pseudo-classes (:hover, :focus) match nothing.
type Selector struct {
	list list
}

// list is a list of alternative selectors, separated by commas.
type list struct {
	complexes []complexSel
	// single means that each alternative is one compound without a leading combinator, so
	// that an element can be tested by itself.
	single bool
}

// complexSel is a sequence of compounds with combinators between them. Bit i of a mask
// says that the compounds up to i have been matched.
type complexSel struct {
	compounds []compound
}

// maxCompounds is the number of bits in a mask.
const maxCompounds = 64

// compound holds the conditions that one element must meet.
type compound struct {
	// before is the combinator to the left of the compound: 0 for none, ' ', '>', '+' or
	// '~'.
	before byte
	tests  []test
}

// test is one condition on an element.
type test interface {
	match(m *matcher, n *html.Node) bool
}

// The types of conditions. Their test methods are in conditions.go unless they have a
// separate file.
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
	wordTest     struct{ word string } // :empty, :root and others without arguments
	containsTest struct {
		text string
		own  bool
	}
	notTest struct{ list *list }
	isTest  struct{ list *list }
	hasTest struct{ list *list }
)

// ByID returns a selector for elements with this id. ByID, [ByTag] and [ByClass] accept
// any name.
func ByID(id string) *Selector { return single(idTest{id}) }

// ByTag returns a selector for elements with this tag.
func ByTag(tag string) *Selector {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if tag == "*" {
		return single()
	}
	return single(tagTest{tag})
}

// ByClass returns a selector for elements with this class.
func ByClass(name string) *Selector { return single(classTest{name}) }

func single(tests ...test) *Selector {
	return &Selector{list: list{complexes: []complexSel{{compounds: []compound{{tests: tests}}}}, single: true}}
}
