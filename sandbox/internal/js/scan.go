package js

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/jstext"
	"github.com/localpass/localpass/toolspec"
)

// Reasons of the problems that this package reports.
const (
	ReasonCodeTooLong       = "code-too-long"
	ReasonCodeTooDeep       = "code-too-deep"
	ReasonSyntaxError       = "syntax-error"
	ReasonUnsupportedSyntax = "unsupported-syntax"
	ReasonUnsupportedGlobal = "unsupported-global"
	ReasonNotGranted        = files.ReasonNotGranted
	ReasonUndeclared        = "undeclared-name"
)

// Scan refuses, in one pass without recursion, code that must not be passed to the
// parser: too long, not UTF-8, or nested so deeply that a recursive parser would exhaust
// the stack. It returns nil if the code may be parsed.
//
// It distinguishes strings, templates, comments and regular expressions well enough not
// to refuse legitimate code; where JavaScript is ambiguous without parsing, it guesses.
// The stack limit of the worker is the second line of defense.
func Scan(code string, lim *Limits) *toolspec.Problem {
	if len(code) > lim.SourceBytes {
		return reject(ReasonCodeTooLong, 0, 0,
			fmt.Sprintf("the code is %d bytes long; the limit is %d", len(code), lim.SourceBytes),
			"make the code shorter, or move data out of it into a parameter")
	}
	if !utf8.ValidString(code) {
		return reject(ReasonSyntaxError, 0, 0, "the code is not valid UTF-8", "save the code as UTF-8")
	}
	s := scanner{src: code, lim: lim}
	s.open = append(s.open, bracket{})
	if at := s.run(); at >= 0 {
		line, column := jstext.Position(code, at)
		message := fmt.Sprintf("the code nests deeper than %d levels", lim.Nesting)
		if s.links > lim.Links {
			message = fmt.Sprintf("the code chains more than %d operators in one expression", lim.Links)
		} else if s.open[len(s.open)-1].params > maxParameters {
			message = fmt.Sprintf("the code nests more than %d arrow functions in parameters of arrow functions", maxParameters)
		}
		return reject(ReasonCodeTooDeep, line, column, message, "split the code into statements and functions that nest less")
	}
	return nil
}

func reject(reason string, line, column int, message, remedy string) *toolspec.Problem {
	return &toolspec.Problem{
		Code: toolspec.CodeResolver, Severity: toolspec.SeverityError, Reason: reason, Pointer: "code",
		Message: message, Remedy: remedy, Line: line, Column: column,
	}
}

// bracket is one open bracket, and how many operators have been seen directly
// in it that could each nest the next one deeper.
type bracket struct {
	links    int
	template bool // opened by ${ in a template
	// params is the nesting depth so far of arrow functions in the parameters of others;
	// group is the depth that the last parentheses would have as parameters.
	params, group int
}

// maxParameters limits the nesting of arrow functions in the parameters of arrow
// functions: the parser parses possible parameters twice, so each level doubles its work
// (measured: 15 s at 24).
const maxParameters = 6

type scanner struct {
	src   string
	lim   *Limits
	open  []bracket // open[0] is the code itself
	links int       // the sum over open
	// closed says that the last token was a ")"; arrow says that a "=" followed it.
	closed, arrow bool
	// operand says that the last token ended a value, so that a slash means division.
	operand bool
}

// run returns the offset at which the code nests too deeply, or -1.
func (s *scanner) run() int {
	for i := 0; i < len(s.src); {
		c := s.src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case jstext.IsWord(c):
			start := i
			for i < len(s.src) && jstext.IsWord(s.src[i]) {
				i++
			}
			s.word(s.src[start:i])
		case c == '"' || c == '\'':
			i = jstext.StringEnd(s.src, i, nil)
			s.operand = true
		case c == '`':
			i = s.skipTemplate(i + 1)
		case c == '/':
			i = s.slash(i)
		case c == '(' || c == '[' || c == '{':
			s.open = append(s.open, bracket{})
			s.operand = false
			i++
		case c == ')' || c == ']' || c == '}':
			template := s.pop(c)
			s.operand = c != '}'
			i++
			if template && c == '}' {
				i = s.skipTemplate(i)
			}
		case c == ';' || c == ',':
			s.reset()
			s.operand = false
			i++
		default:
			if (c == '+' || c == '-') && i+1 < len(s.src) && s.src[i+1] == c {
				i++ // ++ and -- do not change whether a value has ended
			} else {
				s.operand = false
			}
			if strings.IndexByte("!~+-=?:*", c) >= 0 {
				s.link()
			}
			if c == '>' && s.arrow {
				top := &s.open[len(s.open)-1]
				top.params = max(top.params, top.group)
			}
			i++
		}
		s.arrow = c == '=' && s.closed
		s.closed = c == ')'
		if len(s.open)-1 > s.lim.Nesting || s.links > s.lim.Links || s.open[len(s.open)-1].params > maxParameters {
			return i - 1
		}
	}
	return -1
}

// word takes a name, keyword or number.
func (s *scanner) word(w string) {
	switch w {
	case "typeof", "void", "delete", "await", "yield", "new", "if", "else", "for", "while", "do", "with":
		s.link()
		s.operand = false
	case "return", "const", "let", "var", "function", "throw", "case", "default", "class", "switch", "break", "continue":
		s.reset() // a statement begins, or its value
		s.operand = false
	case "in", "of", "instanceof", "extends", "async":
		s.operand = false
	default:
		s.operand = true
	}
}

func (s *scanner) link() {
	s.open[len(s.open)-1].links++
	s.links++
}

func (s *scanner) reset() {
	top := &s.open[len(s.open)-1]
	s.links -= top.links
	top.links, top.group = 0, 0
}

func (s *scanner) pop(c byte) (template bool) {
	if len(s.open) == 1 {
		return false // an extra closing bracket, which the parser will report
	}
	s.reset()
	closed := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	top := &s.open[len(s.open)-1]
	top.params = max(top.params, closed.params)
	if c == ')' {
		top.group = closed.params + 1
	}
	return closed.template
}

// skipTemplate continues in a template's text, up to its end or its next ${.
func (s *scanner) skipTemplate(i int) int {
	i, end := jstext.TemplateText(s.src, i, nil)
	switch end {
	case jstext.Closed:
		s.operand = true
	case jstext.Substitution:
		s.open = append(s.open, bracket{template: true})
		s.operand = false
	}
	return i
}

// slash skips a comment, a regular expression or a division sign.
func (s *scanner) slash(i int) int {
	if end := jstext.CommentEnd(s.src, i); end > i {
		return end
	}
	if s.operand {
		s.operand = false
		return i + 1
	}
	if end, ok := jstext.PatternEnd(s.src, i+1); ok {
		s.operand = true
		return end + 1
	}
	return i + 1
}
