package lower

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPattern is the maximum length of a rewritten pattern, in bytes. A class such as
// \p{L} takes about 10 KiB; the cost of a long pattern is its compilation. The value has
// no external source.
const MaxPattern = 64 << 10

// maxWork is the maximum number of ranges processed for the patterns of one code, about
// 0.2 s (measured).
const maxWork = 1 << 21

// maxClassNesting is the maximum depth of nested classes, which the flag v allows.
const maxClassNesting = 50

// PatternError says why a regular expression cannot be supported.
type PatternError struct {
	// Offset is the byte offset of the error in the pattern. Beyond len(pattern), it is
	// in the flags, as if they followed the pattern and a slash.
	Offset int
	// Unsupported says that the pattern is valid but this engine does not support it. If
	// false, the pattern is invalid in any engine: a SyntaxError.
	Unsupported bool
	Message     string
}

// Error returns the message, such as "there is no property \p{Letters}".
func (e *PatternError) Error() string { return e.Message }

func unsupported(message string) error { return &PatternError{Unsupported: true, Message: message} }
func invalid(message string) error     { return &PatternError{Message: message} }

// RewritePattern converts a regular expression to a form that the engine matches as the
// language requires. With the flag u it replaces \p{L}, \P{L} and other properties with
// ranges, and [^] and [] with forms that are also correct beyond U+1FFFF; with the flag v
// it also evaluates nested classes, &&, -- and \q{a|b}, and replaces the flag v with u.
// Any other pattern is returned unchanged after a quick check.
//
// source is the pattern as RegExp accepts it, without slashes. The error is a
// [*PatternError]: for the flag d, an unknown property, and a pattern that is invalid or
// becomes longer than [MaxPattern]. Errors unrelated to the rewriting are left to the
// engine. RewritePattern is safe for concurrent use.
//
// RegExp.prototype.source shows the rewritten pattern, and flags shows u in place of v.
func RewritePattern(source, flags string) (pattern, newFlags string, err error) {
	return rewrite(source, flags, nil)
}

// rewrite implements RewritePattern; k is nil for a single pattern.
func rewrite(source, flags string, k *known) (pattern, newFlags string, err error) {
	if !strings.ContainsAny(flags, "uvd") {
		return source, flags, nil
	}
	if i := strings.IndexByte(flags, 'd'); i >= 0 {
		return "", "", &PatternError{Offset: len(source) + 1 + i, Unsupported: true, Message: "the regular expression flag d (indices) is not supported; work with index and the lengths of the groups"}
	}
	sets := strings.Contains(flags, "v")
	if sets && strings.Contains(flags, "u") {
		return source, flags, nil // invalid in any engine
	}
	if !sets && !needsRewriting(source) {
		return source, flags, nil
	}
	if k == nil {
		k = &known{}
	}
	w := rewriter{src: source, sets: sets, fold: strings.Contains(flags, "i"), known: k}
	if err := w.run(); err != nil {
		return "", "", err
	}
	return w.out.String(), strings.Replace(flags, "v", "u", 1), nil
}

// known is the state shared by the patterns of one program: the properties looked up so
// far (case-folded if the key ends with i), and the work done so far.
type known struct {
	sets map[string]set
	work int
}

// spend counts processed ranges.
func (k *known) spend(n int) error {
	if k.work += n; k.work > maxWork {
		return unsupported("the regular expression takes too long to write out; use fewer or smaller classes")
	}
	return nil
}

// needsRewriting reports whether a pattern with the flag u may contain syntax that the
// engine treats differently.
func needsRewriting(source string) bool {
	return strings.Contains(source, `\p`) || strings.Contains(source, `\P`) ||
		strings.Contains(source, "[]") || strings.Contains(source, "[^]")
}

// rewriter rewrites a pattern in one pass.
type rewriter struct {
	src   string
	pos   int
	sets  bool // flag v
	fold  bool // flag i
	depth int  // nesting of classes
	known *known
	out   strings.Builder
}

func (w *rewriter) run() error {
	for w.pos < len(w.src) {
		at := w.pos
		switch c := w.src[w.pos]; c {
		case '\\':
			if !w.propertyAhead() {
				w.pos++
				if w.pos < len(w.src) {
					_, size := utf8.DecodeRuneInString(w.src[w.pos:])
					w.pos += size
				}
				w.out.WriteString(w.src[at:w.pos])
				break
			}
			s, err := w.property()
			if err != nil {
				return w.place(err, at)
			}
			if s, err = w.fit(s); err != nil {
				return w.place(err, at)
			}
			if err := w.class(s, nil); err != nil {
				return w.place(err, at)
			}
		case '[':
			if err := w.bracket(); err != nil {
				return w.place(err, w.pos)
			}
		default:
			w.pos++
			w.out.WriteByte(c)
		}
		if w.out.Len() > MaxPattern {
			return &PatternError{Offset: at, Unsupported: true, Message: fmt.Sprintf("the regular expression is too long when its classes are written out: more than %d KiB; use fewer or smaller classes", MaxPattern>>10)}
		}
	}
	return nil
}

// place sets the offset of an error that has none yet.
func (w *rewriter) place(err error, at int) error {
	if e, ok := err.(*PatternError); ok && e.Offset == 0 {
		e.Offset = min(at, len(w.src))
	}
	return err
}

// propertyAhead reports whether \p or \P is next. With the flags u and v, these always
// begin a property.
func (w *rewriter) propertyAhead() bool {
	return w.pos+1 < len(w.src) && w.src[w.pos] == '\\' && (w.src[w.pos+1] == 'p' || w.src[w.pos+1] == 'P')
}

// property reads a property such as \p{L} or \P{L}. With the flags i and v the complement
// is formed after case folding, otherwise before, as the language requires.
func (w *rewriter) property() (set, error) {
	not := w.src[w.pos+1] == 'P'
	text, ok := w.braced(w.pos + 2)
	if !ok {
		return nil, invalid(`\p must be followed by a property in braces`)
	}
	early := not && w.fold && w.sets
	key := text
	if early {
		key += "}i" // no property name contains this
	}
	s, ok := w.known.sets[key]
	if !ok {
		var err error
		if s, err = property(text); err != nil {
			return nil, w.place(err, w.pos)
		}
		if early {
			s = s.folded()
		}
		if w.known.sets == nil {
			w.known.sets = make(map[string]set)
		}
		w.known.sets[key] = s
	}
	if err := w.known.spend(len(s)); err != nil {
		return nil, w.place(err, w.pos)
	}
	w.pos += len(text) + 4
	if not {
		s = s.complement()
	}
	return s, nil
}

// fit folds the case of a set if the pattern ignores case.
func (w *rewriter) fit(s set) (set, error) {
	if !w.fold || len(s) == 0 {
		return s, nil
	}
	// Folding processes every letter that has a case.
	if err := w.known.spend(len(unicode.CaseRanges) + len(s)); err != nil {
		return nil, err
	}
	return s.folded(), nil
}

// braced returns the text in braces at i.
func (w *rewriter) braced(i int) (string, bool) {
	if i >= len(w.src) || w.src[i] != '{' {
		return "", false
	}
	end := strings.IndexByte(w.src[i:], '}')
	if end < 0 {
		return "", false
	}
	return w.src[i+1 : i+end], true
}

// bracket reads a class that begins at "[" and writes it.
func (w *rewriter) bracket() error {
	if w.sets {
		s, words, err := w.setClass()
		if err != nil {
			return err
		}
		return w.class(s, words)
	}
	end, special := w.classEnd()
	if end < 0 {
		return invalid("the regular expression has a class that is not closed")
	}
	if !special {
		w.out.WriteString(w.src[w.pos : end+1])
		w.pos = end + 1
		return nil
	}
	s, err := w.plainClass(end)
	if err != nil {
		return err
	}
	return w.class(s, nil)
}

// classEnd returns the end of a class that contains no nested ones, and whether it has to
// be rewritten.
func (w *rewriter) classEnd() (end int, special bool) {
	i := w.pos + 1
	if i < len(w.src) && w.src[i] == '^' {
		i++
	}
	special = i < len(w.src) && w.src[i] == ']'
	for ; i < len(w.src); i++ {
		switch w.src[i] {
		case ']':
			return i, special
		case '\\':
			i++
			if i < len(w.src) && (w.src[i] == 'p' || w.src[i] == 'P') {
				special = true
			}
		}
	}
	return -1, special
}

// plainClass evaluates a class of the flag u that ends at end.
func (w *rewriter) plainClass(end int) (set, error) {
	w.pos++
	not := w.src[w.pos] == '^'
	if not {
		w.pos++
	}
	var s set
	for w.pos < end {
		at := w.pos
		atom, single, err := w.atom()
		if err != nil {
			return nil, w.place(err, at)
		}
		if w.pos+1 < end && w.src[w.pos] == '-' {
			w.pos++
			last, isSingle, err := w.atom()
			if err != nil {
				return nil, w.place(err, at)
			}
			if !single || !isSingle || last[0].lo < atom[0].lo {
				return nil, w.place(invalid("the regular expression has a range in a class that has no order"), at)
			}
			atom = set{{atom[0].lo, last[0].lo}}
		}
		s = append(s, atom...)
	}
	w.pos = end + 1
	s, err := w.fit(normal(s))
	if err == nil && not {
		s = s.complement()
	}
	return s, err
}

// atom reads one member of a class: a character, or an escape that denotes one character
// (single) or several.
func (w *rewriter) atom() (s set, single bool, err error) {
	if w.src[w.pos] != '\\' {
		r, size := utf8.DecodeRuneInString(w.src[w.pos:])
		w.pos += size
		return set{{r, r}}, true, nil
	}
	if w.propertyAhead() {
		s, err = w.property()
		return s, false, err
	}
	if w.pos+1 >= len(w.src) {
		return nil, false, invalid(`the regular expression ends with a \`)
	}
	if s, ok := shorthand(w.src[w.pos+1], w.fold); ok {
		w.pos += 2
		return s, false, nil
	}
	r, err := w.escape()
	return set{{r, r}}, true, err
}
