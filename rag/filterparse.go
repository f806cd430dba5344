package rag

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of [ParseFilter], which reads text that other people and models write.
const (
	maxFilterBytes = 8 << 10
	maxFilterList  = 1000
)

// FilterError reports where and why [ParseFilter] rejected a text. It matches [ErrInvalid].
type FilterError struct {
	Line, Column int // from 1; the column counts runes
	Offset       int // in bytes, from 0
	Message      string
}

func (e *FilterError) Error() string {
	return fmt.Sprintf("rag: filter, line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Unwrap returns [ErrInvalid].
func (e *FilterError) Unwrap() error { return ErrInvalid }

// ParseFilter reads a filter expression such as
//
//	lang == 'go' AND (year >= 2020 OR draft IS NULL) AND tag NOT IN ['old', 'private']
//
// A comparison has a key, an operator (== != > >= < <=) and a constant; IN, NIN and NOT IN
// take a list, IS NULL and IS NOT NULL nothing. A key is a name, two names with a dot
// between them, or a quoted string. A constant is a string in single or double quotes, in
// which a backslash escapes the next character, a 64-bit integer, a decimal, or true or
// false. AND (&&) binds tighter than OR (||). NOT binds loosest: it negates everything to
// its right, up to the closing parenthesis. Words are all upper case or all lower case; a
// key that equals one must be quoted. A leading WHERE is allowed.
//
// The text may have up to 8 KiB, a list up to 1,000 constants, and the filter up to 64
// nested levels. Errors are of the type [*FilterError].
func ParseFilter(text string) (Filter, error) {
	p := &filterParser{text: text}
	if len(text) > maxFilterBytes {
		return Filter{}, p.errorAt(0, "the filter has %d bytes: at most %d are allowed", len(text), maxFilterBytes)
	}
	f, err := p.parse()
	if err != nil {
		return Filter{}, err
	}
	if f.check(maxDepth) != nil { // every other part is checked while parsing
		return Filter{}, p.errorAt(0, "the filter is nested more than %d deep", maxDepth)
	}
	return f, nil
}

type tokenKind int

const (
	tokenEnd    tokenKind = iota
	tokenWord             // a reserved word, in upper case
	tokenKey              // a name, or two with a dot
	tokenString           // value: its text
	tokenNumber           // value: int64 or float64
	tokenSymbol           // == != > >= < <= ( ) [ ] ,
)

type filterToken struct {
	kind  tokenKind
	at    int
	text  string
	value any
}

// describe names a token in an error.
func (t filterToken) describe() string {
	if t.kind == tokenEnd {
		return "the end of the filter"
	}
	if len(t.text) > 40 {
		return strconv.Quote(strings.ToValidUTF8(t.text[:40], "")) + "…"
	}
	return strconv.Quote(t.text)
}

type filterParser struct {
	text  string
	at    int // where the next token begins
	token filterToken
	depth int
}

func (p *filterParser) errorAt(at int, format string, args ...any) error {
	before := p.text[:at]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &FilterError{Line: line, Column: column, Offset: at, Message: fmt.Sprintf(format, args...)}
}

func (p *filterParser) expected(what string) error {
	return p.errorAt(p.token.at, "%s expected, not %s", what, p.token.describe())
}

func (p *filterParser) parse() (Filter, error) {
	if err := p.next(); err != nil {
		return Filter{}, err
	}
	if p.token.kind == tokenEnd {
		return Filter{}, p.errorAt(0, "the filter is empty")
	}
	if p.isWord("WHERE") {
		if err := p.next(); err != nil {
			return Filter{}, err
		}
	}
	f, err := p.or()
	if err != nil {
		return Filter{}, err
	}
	switch {
	case p.token.kind == tokenEnd:
		return f, nil
	case p.isSymbol(")"):
		return Filter{}, p.errorAt(p.token.at, "there is no ( for this )")
	case p.token.kind == tokenKey && reserved(p.token.text):
		return Filter{}, p.errorAt(p.token.at, "write %s in upper case or in lower case", p.token.text)
	}
	return Filter{}, p.expected("AND, OR or the end of the filter")
}

func (p *filterParser) or() (Filter, error)  { return p.chain(OpOr, p.and) }
func (p *filterParser) and() (Filter, error) { return p.chain(OpAnd, p.operand) }

// chain reads filters that op joins.
func (p *filterParser) chain(op Op, part func() (Filter, error)) (Filter, error) {
	first, err := part()
	if err != nil || !p.isWord(string(op)) {
		return first, err
	}
	joined := Filter{Op: op, Filters: []Filter{first}}
	for p.isWord(string(op)) {
		if err := p.next(); err != nil {
			return Filter{}, err
		}
		f, err := part()
		if err != nil {
			return Filter{}, err
		}
		joined.Filters = append(joined.Filters, f)
	}
	return joined, nil
}

// operand reads a comparison, a filter in parentheses, or NOT and all that follows it.
func (p *filterParser) operand() (Filter, error) {
	open := p.token
	not := p.isWord("NOT")
	if !not && !p.isSymbol("(") {
		return p.comparison()
	}
	if p.depth++; p.depth > maxDepth {
		return Filter{}, p.errorAt(open.at, "the filter is nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	if err := p.next(); err != nil {
		return Filter{}, err
	}
	f, err := p.or()
	if err != nil {
		return Filter{}, err
	}
	if not {
		return Filter{Op: OpNot, Filters: []Filter{f}}, nil
	}
	if !p.isSymbol(")") {
		return Filter{}, p.expected("AND, OR or )")
	}
	return f, p.next()
}

func (p *filterParser) comparison() (Filter, error) {
	var f Filter
	switch p.token.kind {
	case tokenKey:
		f.Key = p.token.text
	case tokenString:
		f.Key = p.token.value.(string)
		if f.Key == "" {
			return f, p.errorAt(p.token.at, "a key must not be empty")
		}
	case tokenWord:
		return f, p.errorAt(p.token.at, "a key expected: put %s in quotes if it is one", p.token.text)
	default:
		return f, p.expected("a key")
	}
	if err := p.next(); err != nil {
		return f, err
	}
	at := p.token.at
	switch {
	case p.token.kind == tokenSymbol && strings.ContainsAny(p.token.text, "=<>"):
		f.Op = Op(p.token.text)
	case p.isWord("IS"):
		return p.isNull(f)
	case p.isWord("IN"):
		f.Op = OpIn
	case p.isWord("NIN"):
		f.Op = OpNotIn
	case p.isWord("NOT"):
		if err := p.next(); err != nil {
			return f, err
		}
		if !p.isWord("IN") {
			return f, p.expected("IN")
		}
		f.Op = OpNotIn
	case p.token.kind == tokenKey && reserved(p.token.text):
		return f, p.errorAt(at, "write %s in upper case or in lower case", p.token.text)
	default:
		return f, p.expected("an operator such as ==, IN or IS NULL")
	}
	if err := p.next(); err != nil {
		return f, err
	}
	if f.Op == OpIn || f.Op == OpNotIn {
		list, err := p.list()
		f.Value = list
		return f, err
	}
	at = p.token.at
	value, err := p.constant()
	if err != nil {
		return f, err
	}
	f.Value = value
	if _, truth := value.(bool); truth && f.Op != OpEqual && f.Op != OpNotEqual {
		return f, p.errorAt(at, "%s needs a string or a number: true and false have no order", f.Op)
	}
	return f, nil
}

func (p *filterParser) isNull(f Filter) (Filter, error) {
	f.Op = OpIsNull
	if err := p.next(); err != nil {
		return f, err
	}
	if p.isWord("NOT") {
		f.Op = OpIsNotNull
		if err := p.next(); err != nil {
			return f, err
		}
	}
	if !p.isWord("NULL") {
		return f, p.expected("NULL")
	}
	return f, p.next()
}

func (p *filterParser) list() ([]any, error) {
	if !p.isSymbol("[") {
		return nil, p.expected("a list in [ ]")
	}
	var list []any
	for {
		if err := p.next(); err != nil {
			return nil, err
		}
		if len(list) == 0 && p.isSymbol("]") {
			return nil, p.errorAt(p.token.at, "the list is empty")
		}
		if len(list) == maxFilterList {
			return nil, p.errorAt(p.token.at, "the list has more than %d constants", maxFilterList)
		}
		v, err := p.constant()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.isSymbol("]") {
			return list, p.next()
		}
		if !p.isSymbol(",") {
			return nil, p.expected(", or ]")
		}
	}
}

func (p *filterParser) constant() (any, error) {
	v := p.token.value
	switch {
	case p.token.kind == tokenString || p.token.kind == tokenNumber:
	case p.isWord("TRUE"):
		v = true
	case p.isWord("FALSE"):
		v = false
	case p.isWord("NULL"):
		return nil, p.errorAt(p.token.at, "NULL is no constant: write IS NULL or IS NOT NULL")
	default:
		return nil, p.expected("a constant (a string in quotes, a number, true or false)")
	}
	return v, p.next()
}

func (p *filterParser) isWord(word string) bool {
	return p.token.kind == tokenWord && p.token.text == word
}

func (p *filterParser) isSymbol(symbol string) bool {
	return p.token.kind == tokenSymbol && p.token.text == symbol
}

// next reads the next token.
func (p *filterParser) next() error {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	p.token = filterToken{at: p.at}
	rest := p.text[p.at:]
	if rest == "" {
		return nil
	}
	for _, s := range []string{"==", "!=", ">=", "<=", "&&", "||", ">", "<", "(", ")", "[", "]", ","} {
		if !strings.HasPrefix(rest, s) {
			continue
		}
		p.token.kind, p.token.text = tokenSymbol, s
		p.at += len(s)
		switch {
		case s == "&&":
			p.token.kind, p.token.text = tokenWord, "AND"
		case s == "||":
			p.token.kind, p.token.text = tokenWord, "OR"
		case strings.HasSuffix(s, "=") && strings.HasPrefix(p.text[p.at:], "="):
			return p.errorAt(p.at, "an operator has at most one = more than its first character")
		}
		return nil
	}
	switch c := rest[0]; {
	case c == '\'' || c == '"':
		return p.quoted(c)
	case isDigit(c) || c == '.' || c == '+' || c == '-':
		return p.number()
	case isLetter(c):
		return p.name()
	case c == '=':
		return p.errorAt(p.at, "write == to compare")
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return p.errorAt(p.at, "the character %q is not allowed here", r)
}

func (p *filterParser) quoted(quote byte) error {
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case quote:
			p.token.kind, p.token.text, p.token.value = tokenString, p.text[p.at:i+1], b.String()
			p.at = i + 1
			return nil
		case '\\':
			if i++; i < len(p.text) {
				b.WriteByte(p.text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return p.errorAt(p.at, "the string has no closing %c", quote)
}

func (p *filterParser) number() error {
	i := p.at
	if p.text[i] == '+' || p.text[i] == '-' {
		i++
	}
	from := i
	digits := func() (n int) {
		for i < len(p.text) && isDigit(p.text[i]) {
			i++
			n++
		}
		return n
	}
	count, decimal := digits(), false
	if i < len(p.text) && p.text[i] == '.' {
		decimal = true
		i++
		count += digits()
	}
	if count == 0 {
		return p.errorAt(from, "a number expected")
	}
	literal := p.text[p.at:i]
	if !decimal && i < len(p.text) && (p.text[i] == 'l' || p.text[i] == 'L') {
		i++
	}
	if i < len(p.text) && (isLetter(p.text[i]) || isDigit(p.text[i]) || p.text[i] == '.') {
		return p.errorAt(i, "a number must not run into %q", p.text[i])
	}
	p.token.kind, p.token.text = tokenNumber, p.text[p.at:i]
	var err error
	if decimal {
		var v float64
		v, err = strconv.ParseFloat(literal, 64)
		p.token.value = v
		if math.IsInf(v, 0) {
			err = strconv.ErrRange
		}
	} else {
		p.token.value, err = strconv.ParseInt(literal, 10, 64)
	}
	if err != nil {
		return p.errorAt(p.at, "the number is out of range")
	}
	p.at = i
	return nil
}

// name reads a reserved word or a key.
func (p *filterParser) name() error {
	i := p.at
	part := func() string {
		from := i
		for i < len(p.text) && (isLetter(p.text[i]) || i > from && isDigit(p.text[i])) {
			i++
		}
		return p.text[from:i]
	}
	first := part()
	p.token.kind, p.token.text = tokenKey, first
	upper := strings.ToUpper(first)
	if reserved(first) && (first == upper || first == strings.ToLower(first)) {
		p.token.kind, p.token.text = tokenWord, upper
	} else if i < len(p.text) && p.text[i] == '.' {
		i++
		if part() == "" {
			return p.errorAt(i, "a name expected after the dot")
		}
		if i < len(p.text) && p.text[i] == '.' {
			return p.errorAt(i, "a key has at most one dot: put other keys in quotes")
		}
		p.token.text = p.text[p.at:i]
	}
	if i < len(p.text) && p.text[i] == '-' {
		return p.errorAt(i, "a key has letters, digits and _ only: put other keys in quotes")
	}
	p.at = i
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
