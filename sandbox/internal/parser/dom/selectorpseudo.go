package dom

import (
	"strconv"
	"strings"
)

// pseudo reads the rest of a pseudo-class, after the colon.
func (p *selectorParser) pseudo() test {
	if p.peek() == ':' {
		p.fail("pseudo-elements select nothing here")
		return nil
	}
	at := p.pos
	name := strings.ToLower(p.name())
	if p.err != nil {
		return nil
	}
	if p.peek() != '(' {
		if t, ok := plainPseudo(name); ok {
			return t
		}
		p.pos = at
		p.fail("the pseudo-class :" + name + " is not known")
		return nil
	}
	p.pos++
	switch name {
	case "not", "is", "where", "matches-any", "has":
		return p.nested(name)
	}
	arg, ok := p.balanced()
	if !ok {
		return nil
	}
	switch name {
	case "contains", "containsown":
		text := unquote(strings.TrimSpace(arg))
		s := sink{limit: len(text) + 1, lower: true}
		s.text(text, false)
		if len(s.buf) == 0 {
			p.fail("the text of :" + name + " is missing")
		}
		return containsTest{text: string(s.buf), own: name == "containsown"}
	case "eq", "lt", "gt":
		n, err := strconv.Atoi(strings.TrimSpace(arg))
		if err != nil {
			p.fail("the number of :" + name + " cannot be read")
		}
		return indexTest{op: map[string]byte{"eq": '=', "lt": '<', "gt": '>'}[name], n: n}
	case "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type":
		a, b, ok := nth(arg)
		if !ok {
			p.fail("the formula of :" + name + " cannot be read")
		}
		return positionTest{a: a, b: b, last: strings.Contains(name, "last"), sameType: strings.HasSuffix(name, "type")}
	case "lang":
		return valueTest{name: "lang", value: strings.TrimSpace(arg), op: '|'}
	}
	p.pos = at
	p.fail("the pseudo-class :" + name + "() is not known")
	return nil
}

func plainPseudo(name string) (test, bool) {
	switch name {
	case "first-child":
		return positionTest{b: 1}, true
	case "last-child":
		return positionTest{b: 1, last: true}, true
	case "first-of-type":
		return positionTest{b: 1, sameType: true}, true
	case "last-of-type":
		return positionTest{b: 1, last: true, sameType: true}, true
	case "only-child":
		return onlyTest{}, true
	case "only-of-type":
		return onlyTest{sameType: true}, true
	case "empty", "root", "enabled", "disabled", "checked", "link", "any-link",
		"hover", "active", "focus", "visited", "target":
		return wordTest{name}, true
	}
	return nil, false
}

func (p *selectorParser) nested(name string) test {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("more than " + strconv.Itoa(maxNesting) + " levels of selectors")
		return nil
	}
	l := p.list(true)
	p.nesting--
	if p.err == nil && !p.take(')') {
		p.fail(") is missing")
	}
	switch name {
	case "not":
		return notTest{&l}
	case "has":
		return hasTest{&l}
	}
	return isTest{&l}
}

// balanced reads up to the matching closing parenthesis, ignoring parentheses in quotes.
func (p *selectorParser) balanced() (string, bool) {
	start, depth := p.pos, 0
	var quote byte
	for ; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		switch {
		case c == '\\':
			p.pos++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && p.pos == start: // an apostrophe further on is text
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			p.pos++
			return p.text[start : p.pos-1], true
		}
	}
	p.pos = min(start, len(p.text))
	p.fail(") is missing")
	return "", false
}

// unquote removes the quotes and backslashes of a text.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		s = s[1 : n-1]
	}
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// nth reads the formula an+b.
func nth(s string) (a, b int, ok bool) {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	switch s {
	case "odd":
		return 2, 1, true
	case "even":
		return 2, 0, true
	}
	before, after, found := strings.Cut(s, "n")
	if !found {
		b, err := strconv.Atoi(s)
		return 0, b, err == nil && inRange(b)
	}
	switch before {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		n, err := strconv.Atoi(before)
		if err != nil || !inRange(n) {
			return 0, 0, false
		}
		a = n
	}
	if after != "" {
		n, err := strconv.Atoi(after)
		if err != nil || !inRange(n) || after[0] != '+' && after[0] != '-' {
			return 0, 0, false
		}
		b = n
	}
	return a, b, true
}

func inRange(n int) bool { return n > -1<<31 && n < 1<<31 }
