package dom

import (
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a selector, in addition to its length.
const (
	maxAlternatives = 64
	maxNesting      = 8
	maxTests        = 256
	maxPattern      = 256 // bytes of a regular expression
)

// Compile parses a selector of at most limit bytes. Its errors wrap [ErrSelector].
func Compile(text string, limit int) (*Selector, error) {
	if len(text) > limit {
		return nil, fmt.Errorf("%w: it has %d bytes; the limit is %d", ErrSelector, len(text), limit)
	}
	p := selectorParser{text: text}
	l := p.list(false)
	p.space()
	if p.err == nil && p.pos < len(p.text) {
		p.fail("unexpected " + strconv.Quote(p.rest()))
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Selector{list: l}, nil
}

type selectorParser struct {
	text           string
	pos            int
	nesting, tests int
	err            error
}

func (p *selectorParser) fail(what string) {
	p.pos = min(p.pos, len(p.text)) // a backslash may be the last character
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s at character %d of %q", ErrSelector, what, utf8.RuneCountInString(p.text[:p.pos])+1, clip.To(p.text, 80))
	}
	p.pos = len(p.text)
}

func (p *selectorParser) rest() string { return clip.To(p.text[p.pos:], 80) }

func (p *selectorParser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *selectorParser) take(c byte) bool {
	if p.peek() == c && p.pos < len(p.text) {
		p.pos++
		return true
	}
	return false
}

func (p *selectorParser) space() bool {
	start := p.pos
	for p.pos < len(p.text) && isSpace(p.text[p.pos]) {
		p.pos++
	}
	return p.pos > start
}

// list reads alternatives up to the end of the text or, if inside, up to the closing
// parenthesis.
func (p *selectorParser) list(inside bool) list {
	l := list{single: true}
	for p.err == nil {
		c := p.complex(inside)
		l.complexes = append(l.complexes, c)
		if len(c.compounds) != 1 || c.compounds[0].before != 0 {
			l.single = false
		}
		if len(l.complexes) > maxAlternatives {
			p.fail("more than " + strconv.Itoa(maxAlternatives) + " alternatives")
		}
		if !p.take(',') {
			break
		}
	}
	return l
}

func (p *selectorParser) complex(inside bool) complexSel {
	var c complexSel
	p.space()
	before := p.combinator()
	for p.err == nil {
		p.space()
		one := p.compound(before)
		c.compounds = append(c.compounds, one)
		if len(c.compounds) > maxCompounds {
			p.fail("more than " + strconv.Itoa(maxCompounds) + " parts")
		}
		spaced := p.space()
		switch next := p.peek(); {
		case p.pos == len(p.text), next == ',', inside && next == ')':
			return c
		}
		if before = p.combinator(); before == 0 {
			if !spaced {
				p.fail("unexpected " + strconv.Quote(p.rest()))
			}
			before = ' '
		}
	}
	return c
}

func (p *selectorParser) combinator() byte {
	switch c := p.peek(); c {
	case '>', '+', '~':
		p.pos++
		return c
	}
	return 0
}

func (p *selectorParser) compound(before byte) compound {
	c := compound{before: before}
	start := p.pos
	for p.err == nil && p.pos < len(p.text) {
		var t test
		switch ch := p.peek(); {
		case ch == '*':
			p.pos++
			if p.take('|') {
				name := strings.ToLower(p.name())
				t = suffixTest{":" + name}
			}
		case ch == '#':
			p.pos++
			t = idTest{p.name()}
		case ch == '.':
			p.pos++
			t = classTest{p.name()}
		case ch == '[':
			p.pos++
			t = p.attribute()
		case ch == ':':
			p.pos++
			t = p.pseudo()
		case isNameByte(ch) && p.pos == start:
			name := p.name()
			if p.peek() == '|' && p.pos+1 < len(p.text) && isNameByte(p.text[p.pos+1]) {
				p.pos++
				name += ":" + p.name()
			}
			t = tagTest{strings.ToLower(name)}
		default:
			if p.pos == start {
				p.fail("unexpected " + strconv.Quote(p.rest()))
			}
			return c
		}
		if t != nil {
			c.tests = append(c.tests, t)
			if p.tests++; p.tests > maxTests {
				p.fail("more than " + strconv.Itoa(maxTests) + " conditions")
			}
		}
	}
	if p.pos == start {
		p.fail("a tag, #id, .class, [attribute] or :pseudo-class is missing")
	}
	return c
}

func isNameByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '\\' || c >= utf8.RuneSelf
}

// name reads an identifier, with CSS escapes.
func (p *selectorParser) name() string {
	start := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) && p.text[p.pos] != '\\' {
		p.pos++
	}
	if p.peek() != '\\' {
		if p.pos == start {
			p.fail("a name is missing")
		}
		return p.text[start:p.pos]
	}
	var b strings.Builder
	b.WriteString(p.text[start:p.pos])
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		if p.text[p.pos] == '\\' {
			p.pos++
			p.escape(&b)
			continue
		}
		b.WriteByte(p.text[p.pos])
		p.pos++
	}
	return b.String()
}

// escape reads the text after a backslash: up to six hex digits and one space, or any
// other character, which stands for itself.
func (p *selectorParser) escape(b *strings.Builder) {
	if p.pos == len(p.text) {
		p.fail("nothing follows the backslash")
		return
	}
	end := p.pos
	for end < len(p.text) && end < p.pos+6 && isHex(p.text[end]) {
		end++
	}
	if end > p.pos {
		code, _ := strconv.ParseUint(p.text[p.pos:end], 16, 32)
		r := rune(code)
		if code == 0 || code > utf8.MaxRune || !utf8.ValidRune(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		p.pos = end
		if p.pos < len(p.text) && isSpace(p.text[p.pos]) {
			p.pos++
		}
		return
	}
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	b.WriteRune(r)
	p.pos += size
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// attribute reads the rest of an attribute condition, after the opening bracket.
func (p *selectorParser) attribute() test {
	p.space()
	if p.take('^') {
		prefix := strings.ToLower(p.attributeName())
		p.closing(']')
		return attrStartTest{prefix}
	}
	name := strings.ToLower(p.attributeName())
	p.space()
	if p.take(']') {
		return attrTest{name}
	}
	op := p.peek()
	switch op {
	case '=':
		p.pos++
	case '!', '^', '$', '*', '~', '|':
		p.pos++
		if !p.take('=') {
			p.fail("= is missing")
		}
	default:
		p.fail("] is missing")
	}
	value := p.attributeValue()
	if p.err != nil {
		return nil
	}
	if op == '~' && strings.ContainsFunc(value, func(r rune) bool { return r >= utf8.RuneSelf || !isNameByte(byte(r)) || r == '\\' }) {
		return p.pattern(name, value)
	}
	return valueTest{name: name, value: value, op: op}
}

func (p *selectorParser) pattern(name, value string) test {
	if len(value) > maxPattern {
		p.fail("the regular expression is longer than " + strconv.Itoa(maxPattern) + " bytes")
		return nil
	}
	re, err := regexp.Compile(value)
	if err != nil {
		p.fail("the regular expression cannot be read (" + err.Error() + ")")
		return nil
	}
	return patternTest{name, re}
}

// attributeName reads up to the first character that cannot belong to an attribute name.
func (p *selectorParser) attributeName() string {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if !isNameByte(c) && c != ':' && c != '.' || c == '\\' {
			break
		}
		p.pos++
	}
	name := p.text[start:p.pos]
	if name == "" {
		p.fail("the name of an attribute is missing")
	}
	return name
}

// attributeValue reads a value, quoted or up to the closing bracket, and the bracket.
func (p *selectorParser) attributeValue() string {
	p.space()
	if q := p.peek(); q == '"' || q == '\'' {
		value := p.quoted(q)
		p.space()
		if p.peek()|0x20 == 'i' || p.peek()|0x20 == 's' { // the case flags of CSS 4 have no effect: case is always ignored
			p.pos++
		}
		p.closing(']')
		return value
	}
	depth := 0
	start := p.pos
	for ; p.pos < len(p.text); p.pos++ {
		switch p.text[p.pos] {
		case '\\':
			p.pos++
		case '[':
			depth++
		case ']':
			if depth == 0 {
				value := strings.TrimSpace(p.text[start:p.pos])
				p.pos++
				return value
			}
			depth--
		}
	}
	p.fail("] is missing")
	return ""
}

// quoted reads a quoted string. A backslash that does not begin a CSS escape is kept,
// since regular expressions need it.
func (p *selectorParser) quoted(quote byte) string {
	p.pos++
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == quote:
			p.pos++
			return b.String()
		case c == '\\' && p.pos+1 < len(p.text) && (p.text[p.pos+1] == quote || p.text[p.pos+1] == '\\'):
			if p.text[p.pos+1] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(p.text[p.pos+1])
			p.pos += 2
		default:
			b.WriteByte(c)
			p.pos++
		}
	}
	p.fail("the closing quote is missing")
	return ""
}

func (p *selectorParser) closing(c byte) {
	p.space()
	if !p.take(c) {
		p.fail(string(c) + " is missing")
	}
}
