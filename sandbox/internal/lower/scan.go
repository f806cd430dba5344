package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/sandbox/internal/jstext"
	"github.com/localpass/localpass/toolspec"
)

// Limits for the translator in addition to [Limits]. Each protects one of its algorithms,
// and ordinary code stays far below it. Measured with esbuild 0.28.2.
const (
	// Arrow functions in arrow functions without brackets: cubic, 0.25 s at 500.
	maxArrows = 200
	// a<b<c: each < is tried as the start of type arguments, 1.6 s at 5000.
	maxAngles = 500
	// a ? (b) : c => d: the text after the colon is parsed twice, to distinguish a return
	// type from a branch. Each nested arrow function of this kind doubles the work.
	maxDoubtful = 5
	// Arrow functions in the parameters of arrow functions: the parser of the engine
	// parses possible parameters twice, so each level doubles the work.
	maxParameters = 6
	// Strings of enum members that are composed of other members: they are evaluated at
	// translation time, and a string that contains another twice is twice as long.
	maxEnumParts = 12
	// Decorators: quadratic in one class, 1.4 s at 13,000.
	maxDecorators = 1000
)

// scan makes one pass over code, without recursion. It confirms the findings of [detect]
// and refuses code that must not be passed to the translator.
//
// It distinguishes strings, templates, comments and regular expressions well enough not
// to refuse legitimate code; where the grammar is ambiguous without parsing, it guesses.
// The length limit bounds the damage of a wrong guess.
func scan(code string, typescript bool, limits Limits) (feature, *toolspec.Problem) {
	s := scanner{src: code, limits: limits, typescript: typescript}
	s.open = append(s.open, level{})
	at, why := s.run()
	if why == "" {
		return s.seen, nil
	}
	line, column := jstext.Position(code, at)
	p := reject(ReasonCodeTooDeep, line, column, why, "split the code into statements and functions that nest less")
	return s.seen, &p
}

// level is one open bracket, with what has been seen directly in it since the last
// statement or element began.
type level struct {
	counts
	commas   int
	free     bool // contains elements of an array or object, which do not nest
	template bool // opened by ${ in a template
	control  bool // the parentheses of if, for, while or with
	enum     bool // the body of an enum
	// question: a "?" was seen. colon: after it, a ")" followed by a colon; an arrow
	// function from here on is doubtful.
	question, colon bool
	// params is the nesting depth so far of arrow functions in the parameters of others;
	// group is the depth that the last parentheses would have as parameters.
	params, group int
	typed         bool // after a ")" and a colon, which may begin a return type
}

// counts holds the numbers of constructs that could each nest the next one deeper.
type counts struct{ links, arrows, angles, doubtful int }

type scanner struct {
	src        string
	limits     Limits
	typescript bool
	pos        int
	open       []level // open[0] is the code itself
	sum        counts  // over open
	seen       feature

	decorators, enumParts int

	// The last two tokens: a word, a punctuator's last byte, or "" for a literal.
	last, before string
	// operand says that the last token ended a value, so that a slash means division;
	// fresh says that a line has ended since.
	operand, fresh bool
}

// run returns the offset where the code exceeds a limit, and a description.
func (s *scanner) run() (int, string) {
	for s.pos < len(s.src) {
		at := s.pos
		c := s.src[at]
		switch {
		case c == '\n':
			s.fresh = true
			s.pos++
			continue
		case c <= ' ':
			s.pos++
			continue
		case c == '/' && s.comment():
			continue
		case jstext.IsWord(c), c == '#' && at+1 < len(s.src) && jstext.IsWord(s.src[at+1]):
			for s.pos++; s.pos < len(s.src) && jstext.IsWord(s.src[s.pos]); s.pos++ {
			}
			s.word(s.src[at:s.pos])
		case c == '"' || c == '\'':
			s.pos = jstext.StringEnd(s.src, at, s.escaped)
			s.token("", true)
		case c == '`':
			s.pos++
			if s.operand {
				s.link()
			}
			s.template()
		case c == '/':
			s.slash()
		case c == '(' || c == '[' || c == '{':
			s.push(c)
		case c == ')' || c == ']' || c == '}':
			s.pop(c)
		default:
			s.punctuator(c)
		}
		s.fresh = false
		if why := s.tooMuch(); why != "" {
			return at, why
		}
	}
	return 0, ""
}

func (s *scanner) tooMuch() string {
	switch {
	case len(s.open)-1 > s.limits.Nesting:
		return fmt.Sprintf("the code nests deeper than %d levels", s.limits.Nesting)
	case s.sum.links > s.limits.Links:
		return fmt.Sprintf("the code chains more than %d operators in one expression", s.limits.Links)
	case s.top().commas > s.limits.Links && !s.top().free:
		return fmt.Sprintf("the code has more than %d commas in one expression", s.limits.Links)
	case s.sum.arrows > maxArrows:
		return fmt.Sprintf("the code nests more than %d arrow functions", maxArrows)
	case s.top().params > maxParameters:
		return fmt.Sprintf("the code nests more than %d arrow functions in parameters of arrow functions", maxParameters)
	case s.decorators > maxDecorators:
		return fmt.Sprintf("the code has more than %d decorators", maxDecorators)
	case s.typescript && s.sum.angles > maxAngles:
		return fmt.Sprintf("the code has more than %d < in one expression", maxAngles)
	case s.typescript && s.sum.doubtful > maxDoubtful:
		return fmt.Sprintf("the code nests more than %d arrow functions in conditions like a ? (b) : c => d", maxDoubtful)
	case s.typescript && s.enumParts > maxEnumParts:
		return fmt.Sprintf("the code puts together more than %d strings in enums", maxEnumParts)
	}
	return ""
}

func (s *scanner) top() *level { return &s.open[len(s.open)-1] }

func (s *scanner) token(text string, operand bool) {
	s.before, s.last, s.operand = s.last, text, operand
}

func (s *scanner) link() {
	s.top().links++
	s.sum.links++
}

// reset clears the counts of nesting, at the beginning of a statement or list element.
func (s *scanner) reset() {
	top := s.top()
	s.sum.links -= top.links
	s.sum.arrows -= top.arrows
	s.sum.angles -= top.angles
	s.sum.doubtful -= top.doubtful
	top.counts = counts{}
	top.question, top.colon, top.typed, top.group = false, false, false, 0
}

// word handles a name, keyword or number.
func (s *scanner) word(w string) {
	if s.last == "." {
		s.token("", true)
		return
	}
	s.features(w)
	if s.fresh && (s.operand || s.last == "}") && !goesOn(w) && !prefixes(s.last) {
		s.reset()
		s.top().commas = 0
	} else if s.operand {
		s.link()
	}
	operand := true
	switch w {
	case "typeof", "void", "delete", "await", "yield", "new", "if", "else", "for", "while", "do", "with", "in", "instanceof", "extends", "class":
		s.link()
		operand = false
	case "return", "const", "let", "var", "throw", "case", "default", "switch", "break", "continue":
		s.reset()
		operand = false
	case "of", "async", "function":
		operand = false
	}
	s.token(w, operand)
}

// goesOn reports whether a word at the beginning of a line can continue the expression or
// statement of the previous line.
func goesOn(w string) bool {
	switch w {
	case "in", "instanceof", "of", "as", "satisfies", "is", "extends", "implements", "else", "catch", "finally", "while":
		return true
	}
	return false
}

// prefixes reports whether a word may be a prefix that must be followed by something, as
// in TypeScript types.
func prefixes(w string) bool {
	switch w {
	case "keyof", "readonly", "unique", "infer", "asserts", "is", "as", "satisfies", "declare", "abstract", "override", "accessor",
		"public", "private", "protected", "static", "type", "interface", "namespace", "module", "enum", "implements", "get", "set":
		return true
	}
	return false
}

// features records the syntax that has to be translated.
func (s *scanner) features(w string) {
	switch {
	case w == "await":
		if s.last == "for" {
			s.seen |= translation
		}
	case s.last == "using":
		if s.before != "." && !s.fresh && w != "in" && w != "of" && w != "instanceof" {
			s.seen |= translation
		}
	case s.last == "accessor" && !s.fresh:
		s.seen |= translation
	case w == "in" && strings.HasPrefix(s.last, "#"):
		s.seen |= translation
	}
}

// punctuator handles one byte that is not part of a word, literal or bracket.
func (s *scanner) punctuator(c byte) {
	s.pos++
	top := s.top()
	switch c {
	case ';':
		s.reset()
		top.commas = 0
	case ',':
		s.reset()
		top.commas++
	case '.':
		s.link()
		if s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' && !s.operand {
			s.token("", true) // part of a number
			return
		}
	case '@':
		s.seen |= translation
		s.decorators++
	case '*':
		s.link()
		if s.last == "async" || s.last == "function" && s.before == "async" {
			s.seen |= translation
		}
	case '<':
		s.link()
		top.angles++
		s.sum.angles++
	case '>':
		if s.last == "=" && s.src[s.pos-2] == '=' {
			s.arrow()
		}
	case '?':
		s.link()
		top.question = true
	case ':':
		s.link()
		top.typed = s.last == ")"
		top.colon = top.colon || top.question && top.typed
	case '+', '-':
		s.link()
		if c == '+' && top.enum {
			s.enumParts++
		}
		if s.pos < len(s.src) && s.src[s.pos] == c {
			s.pos++ // ++ and -- do not change whether a value has ended
			s.token(string(c), s.operand)
			return
		}
	case '!', '~', '=', '|', '&', '^', '%':
		s.link()
		if c == '!' && s.operand && s.typescript && !has(s.src, s.pos, "=") {
			s.token("", true) // the non-null operator after a value
			return
		}
	}
	s.token(s.src[s.pos-1:s.pos], false)
}

func (s *scanner) arrow() {
	top := s.top()
	top.arrows++
	s.sum.arrows++
	if top.colon {
		top.doubtful++
		s.sum.doubtful++
	}
	if s.before == ")" || top.typed {
		top.params = max(top.params, top.group)
	}
}

func (s *scanner) push(c byte) {
	l := level{enum: s.top().enum}
	switch c {
	case '(':
		l.control = slices.Contains([]string{"if", "for", "while", "with"}, s.last)
	case '[':
		l.free = !s.operand
	case '{':
		switch s.last {
		case "", ")", ";", "{", "}", ">", "else", "do", "try", "finally":
			// A block, or unknown.
		default:
			l.free = true
			l.enum = l.enum || s.before == "enum"
		}
	}
	if s.operand {
		s.link()
	}
	s.open = append(s.open, l)
	s.pos++
	s.token(s.src[s.pos-1:s.pos], false)
}

func (s *scanner) pop(c byte) {
	s.pos++
	if len(s.open) == 1 { // an extra closing bracket, which the parser will report
		s.token(s.src[s.pos-1:s.pos], c != '}')
		return
	}
	s.reset()
	closed := *s.top()
	s.open = s.open[:len(s.open)-1]
	top := s.top()
	top.params = max(top.params, closed.params)
	if c == ')' {
		top.group = closed.params + 1
	}
	s.token(s.src[s.pos-1:s.pos], c != '}' && !(c == ')' && closed.control))
	if closed.template && c == '}' {
		s.template()
	}
}
