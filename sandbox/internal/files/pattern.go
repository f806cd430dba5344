package files

import (
	"context"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// pattern is a regular expression (RE2: linear time, no look-around and no
// back-references) whose work is limited: the time grows with the length of a line times
// the size of the expression, so both are limited.
type pattern struct {
	re   *regexp.Regexp
	size int // approximate number of instructions
}

// atOnce is the maximum work without a check of the context, in bytes times instructions:
// at most about 100 ms.
const atOnce = 1 << 22

// compile compiles a pattern; reason is the reason of the error for an invalid one.
func (s *Service) compile(expr string, fold bool, reason string) (*pattern, error) {
	if len(expr) > s.limits.PatternBytes {
		return nil, invalid(reason, "the pattern is longer than %d bytes", s.limits.PatternBytes)
	}
	if fold {
		expr = "(?i)" + expr
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, invalid(reason, "the pattern is no regular expression of RE2: %s", patternError(err))
	}
	size := instructions(tree, s.limits.PatternSize)
	if size > s.limits.PatternSize {
		return nil, invalid(reason, "the pattern is too large with its repetitions written out")
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, invalid(reason, "the pattern is no regular expression of RE2: %s", patternError(err))
	}
	return &pattern{re: re, size: size}, nil
}

func patternError(err error) string {
	if e, ok := err.(*syntax.Error); ok { //nolint:errorlint // syntax.Parse returns it bare
		return e.Code.String()
	}
	return "it cannot be compiled"
}

// instructions estimates the number of instructions of an expression before it is
// compiled. Above most, it returns only some number greater than most.
func instructions(re *syntax.Regexp, most int) int {
	n := 2
	switch re.Op {
	case syntax.OpLiteral:
		n += len(re.Rune)
	case syntax.OpRepeat:
		// The inner expression is compiled once per repetition.
		n += max(re.Min+1, re.Max) * instructions(re.Sub[0], most)
	default:
		for _, sub := range re.Sub {
			if n += instructions(sub, most); n > most {
				break
			}
		}
	}
	return min(n, most+1)
}

// matches reports whether a line contains a match of the pattern.
func (p *pattern) matches(ctx context.Context, line string) (bool, error) {
	if len(line) <= atOnce/p.size {
		return p.re.MatchString(line), ended(ctx)
	}
	found := p.re.MatchReader(&watched{ctx: ctx, rest: line, every: max(1, atOnce/p.size)})
	return found, ended(ctx)
}

// watched reads a line; when the context is done, it reports the end of the line early.
type watched struct {
	ctx   context.Context
	rest  string
	every int
	read  int
}

func (w *watched) ReadRune() (rune, int, error) {
	if len(w.rest) == 0 {
		return 0, 0, io.EOF
	}
	if w.read++; w.read%w.every == 0 && w.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	r, n := utf8.DecodeRuneInString(w.rest)
	w.rest = w.rest[n:]
	return r, n, nil
}
