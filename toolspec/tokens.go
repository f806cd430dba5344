package toolspec

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/toolspec/internal/jsnames"
)

// tokenKind is the kind of a JavaScript token, as far as the lint needs it.
type tokenKind uint8

const (
	tokenName   tokenKind = iota + 1 // an identifier or a keyword
	tokenText                        // a string, or a part of a template
	tokenOther                       // a number, a regular expression or punctuation
	tokenBroken                      // something that does not end; the last token
)

// token is one token of the code.
type token struct {
	kind tokenKind
	text string // the source; for tokenText without the quotes
	// member says that the token is a name after a dot, so no reference.
	member bool
	// key says that the token is a name before a colon in an object literal.
	key    bool
	offset int
}

// tokens splits JavaScript into tokens and leaves out comments. It is no parser: the
// previous token decides whether a slash begins a regular expression. For invalid code
// the tokens are arbitrary.
//
// Tried: the lexer of github.com/tdewolff/parse/v2/js 2.8.20. It treats <!-- as the start
// of a comment, as browsers do, but goja runs the text after it, so the helpers in a
// posture would miss what the code uses. It also does not decide whether a slash begins a
// regular expression, and does not decode escapes in names, which is half of this file.
func tokens(code string) iter.Seq[token] {
	return func(yield func(token) bool) {
		l := lexer{code: code}
		// One token is held back, because the kind of a name depends on the next token.
		var held token
		var before string
		for {
			t, ok := l.next()
			if held.kind == tokenName && (before == "{" || before == ",") && ok && t.text == ":" && t.kind == tokenOther {
				held.key = true
			}
			if held.kind != 0 {
				if !yield(held) {
					return
				}
				before = held.text
				if held.kind == tokenText {
					before = ""
				}
			}
			if !ok {
				return
			}
			held = t
		}
	}
}

type lexer struct {
	code string
	i    int
	prev token
	// conditions holds, for each open parenthesis, whether it belongs to if, while, for
	// or with: a slash after it then begins a regular expression.
	conditions []bool
	closed     bool // the last ')' closed such a parenthesis
	// templates holds, for each open ${, how many braces are open in it.
	templates []int
	done      bool
}

func (l *lexer) next() (token, bool) {
	if l.done || !l.skip() {
		return token{}, false
	}
	t := l.scan()
	if t.kind == tokenName {
		t.member = l.prev.text == "." || l.prev.text == "?."
	}
	if t.kind == tokenBroken {
		l.done = true
	}
	l.prev = t
	return t, true
}

// skip moves to the next token; false at the end.
func (l *lexer) skip() bool {
	for l.i < len(l.code) {
		rest := l.code[l.i:]
		switch {
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexAny(rest, "\n\r\u2028\u2029"); end >= 0 {
				l.i += end
				continue
			}
			l.i = len(l.code)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return true // reported as broken
			}
			l.i += end + 4
		default:
			r, n := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return true
			}
			l.i += n
		}
	}
	return false
}

func (l *lexer) scan() token {
	start := l.i
	c := l.code[start]
	switch {
	case c == '"' || c == '\'':
		return l.quoted(c)
	case c == '`':
		l.i++
		return l.template(start)
	case c == '}' && len(l.templates) > 0 && l.templates[len(l.templates)-1] == 0:
		l.templates = l.templates[:len(l.templates)-1]
		l.i++
		return l.template(start)
	case c == '/':
		if strings.HasPrefix(l.code[start:], "/*") {
			l.i = len(l.code)
			return token{kind: tokenBroken, offset: start}
		}
		if l.regexpAllowed() {
			if end := regexpEnd(l.code, start); end > 0 {
				l.i = end
				return token{kind: tokenOther, text: "/re/", offset: start}
			}
		}
	case decimal(c) || c == '.' && start+1 < len(l.code) && decimal(l.code[start+1]):
		for l.i++; l.i < len(l.code) && (isNameByte(l.code[l.i]) || l.code[l.i] == '.'); l.i++ {
		}
		return token{kind: tokenOther, text: "0", offset: start}
	}
	if end := nameEnd(l.code, start); end > start {
		l.i = end
		return token{kind: tokenName, text: unescapeName(l.code[start:end]), offset: start}
	}
	return l.sign(start)
}

func (l *lexer) quoted(quote byte) token {
	start := l.i
	for i := start + 1; i < len(l.code); i++ {
		switch l.code[i] {
		case '\\':
			i++
		case quote:
			l.i = i + 1
			return token{kind: tokenText, text: l.code[start+1 : i], offset: start}
		case '\n':
			l.i = len(l.code)
			return token{kind: tokenBroken, offset: start}
		}
	}
	l.i = len(l.code)
	return token{kind: tokenBroken, offset: start}
}

// template reads a part of a template literal, up to its end or to "${".
func (l *lexer) template(start int) token {
	for i := l.i; i < len(l.code); i++ {
		switch {
		case l.code[i] == '\\':
			i++
		case l.code[i] == '`':
			text := l.code[l.i:i]
			l.i = i + 1
			return token{kind: tokenText, text: text, offset: start}
		case strings.HasPrefix(l.code[i:], "${"):
			text := l.code[l.i:i]
			l.i = i + 2
			l.templates = append(l.templates, 0)
			return token{kind: tokenText, text: text, offset: start}
		}
	}
	l.i = len(l.code)
	return token{kind: tokenBroken, offset: start}
}

func (l *lexer) sign(start int) token {
	c := l.code[start]
	n := 1
	switch {
	case strings.HasPrefix(l.code[start:], "..."):
		n = 3
	case strings.HasPrefix(l.code[start:], "?.") && !(start+2 < len(l.code) && decimal(l.code[start+2])),
		strings.HasPrefix(l.code[start:], "++"), strings.HasPrefix(l.code[start:], "--"):
		n = 2
	case c == '(':
		l.conditions = append(l.conditions, l.prev.kind == tokenName && !l.prev.member && isCondition(l.prev.text))
	case c == ')':
		l.closed = false
		if n := len(l.conditions); n > 0 {
			l.closed = l.conditions[n-1]
			l.conditions = l.conditions[:n-1]
		}
	case c == '{' && len(l.templates) > 0:
		l.templates[len(l.templates)-1]++
	case c == '}' && len(l.templates) > 0:
		l.templates[len(l.templates)-1]--
	case c >= utf8.RuneSelf:
		_, n = utf8.DecodeRuneInString(l.code[start:])
	}
	l.i = start + n
	return token{kind: tokenOther, text: l.code[start:l.i], offset: start}
}

func isCondition(word string) bool {
	return word == "if" || word == "while" || word == "for" || word == "with"
}

// regexpAllowed reports, based on the previous token, whether a slash begins a regular
// expression.
func (l *lexer) regexpAllowed() bool {
	switch l.prev.kind {
	case tokenText:
		// After a string a slash is a division; after "${" it begins a regular
		// expression.
		return strings.HasSuffix(l.code[:l.i], "${") || l.inTemplateStart()
	case tokenName:
		if l.prev.member {
			return false
		}
		switch l.prev.text {
		case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "do", "else", "instanceof", "yield", "await":
			return true
		}
		return false
	}
	switch l.prev.text {
	case ")":
		return l.closed
	case "]", "0", "/re/", "++", "--":
		return false
	}
	return true
}

// inTemplateStart reports whether the last token opened a "${" and only white space
// follows it up to here.
func (l *lexer) inTemplateStart() bool {
	return strings.HasSuffix(strings.TrimRightFunc(l.code[:l.i], unicode.IsSpace), "${") && len(l.templates) > 0
}

// regexpEnd returns the end of the regular expression at start; 0 if it does not end on
// its line or is unreasonably long.
func regexpEnd(code string, start int) int {
	const most = 2000
	class := false
	for i := start + 1; i < min(len(code), start+most); i++ {
		switch code[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n', '\r':
			return 0
		case '/':
			if !class {
				for i++; i < len(code) && isNameByte(code[i]); i++ {
				}
				return i
			}
		}
	}
	return 0
}

func isNameByte(c byte) bool { return c == '_' || c == '$' || decimal(c) || lower(c|0x20) }

// nameEnd returns the end of the identifier at start; start if there is none.
func nameEnd(code string, start int) int {
	i := start
	for i < len(code) {
		if isNameByte(code[i]) {
			i++
			continue
		}
		if code[i] == '\\' && i+1 < len(code) && code[i+1] == 'u' {
			i += 2
			if i < len(code) && code[i] == '{' {
				end := strings.IndexByte(code[i:], '}')
				if end < 0 {
					return len(code)
				}
				i += end + 1
			}
			continue // four hex digits are name bytes
		}
		r, n := utf8.DecodeRuneInString(code[i:])
		if r < utf8.RuneSelf || !jsnames.IsIdentifier("a"+string(r)) {
			break
		}
		i += n
	}
	return i
}

// unescapeName decodes \u0061 and \u{61} in an identifier.
func unescapeName(name string) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if name[i] != '\\' {
			b.WriteByte(name[i])
			i++
			continue
		}
		digits := name[i+2:]
		n := 2
		if strings.HasPrefix(digits, "{") {
			end := strings.IndexByte(digits, '}')
			if end < 0 {
				break // it does not end
			}
			digits, n = digits[1:end], 2+end+1
		} else {
			digits = digits[:min(4, len(digits))]
			n += len(digits)
		}
		var r rune
		for _, c := range []byte(digits) {
			r = r<<4 | rune(unhex(c))
		}
		b.WriteRune(r)
		i = min(i+n, len(name))
	}
	return b.String()
}

func unhex(c byte) byte {
	switch {
	case decimal(c):
		return c - '0'
	case lower(c | 0x20):
		return (c | 0x20) - 'a' + 10
	}
	return 0
}
