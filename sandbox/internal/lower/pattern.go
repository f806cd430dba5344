package lower

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPattern bounds a rewritten pattern, in bytes. A class such as \p{L} takes
// about 10 KiB; compiling one is what a long pattern costs. The value is ours.
const MaxPattern = 64 << 10

// maxWork bounds the ranges that are gone through for the patterns of one code,
// 0.2 s of time (measured).
const maxWork = 1 << 21

// maxClassNesting bounds classes in classes, which the flag v allows.
const maxClassNesting = 50

// PatternError says why a regular expression cannot be honoured.
type PatternError struct {
	// Offset is where in the pattern, in bytes; beyond len(pattern) it is in the
	// flags, as if they followed a slash.
	Offset int
	// Unsupported says that the language has it and this engine has not. When
	// false the pattern is wrong in any engine: a SyntaxError.
	Unsupported bool
	Message     string
}

// Error gives the message: "there is no property \p{Letters}".
func (e *PatternError) Error() string { return e.Message }

func unsupported(message string) error { return &PatternError{Unsupported: true, Message: message} }
func invalid(message string) error     { return &PatternError{Message: message} }

// RewritePattern puts a regular expression into a form that the engine matches
// as the language says. With the flag u it writes \p{…} and \P{…} out as ranges,
// and [^] and [] as what they mean beyond U+1FFFF; with the flag v it also works
// out nested classes, &&, -- and \q{…}, and gives the flag u in place of v. Any
// other pattern comes back as it was, at no cost but a look.
//
// source is the pattern as RegExp takes it, without slashes. The error is a
// [*PatternError]: the flag d, a property that is not known here, a pattern
// that is wrong or grows beyond [MaxPattern]. Errors that have nothing to do with
// the rewriting are left to the engine. Safe for concurrent use.
//
// Rewritten patterns show in RegExp.prototype.source, and v as u in flags.
func RewritePattern(source, flags string) (pattern, newFlags string, err error) {
	return rewrite(source, flags, nil)
}

// rewrite is RewritePattern; k is nil for a pattern on its own.
func rewrite(source, flags string, k *known) (pattern, newFlags string, err error) {
	if !strings.ContainsAny(flags, "uvd") {
		return source, flags, nil
	}
	if i := strings.IndexByte(flags, 'd'); i >= 0 {
		return "", "", &PatternError{Offset: len(source) + 1 + i, Unsupported: true, Message: "the regular expression flag d (indices) is not supported; work with index and the lengths of the groups"}
	}
	sets := strings.Contains(flags, "v")
	if sets && strings.Contains(flags, "u") {
		return source, flags, nil // which no engine takes
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

// known is the state that the patterns of one program share: the properties that have
// been looked up (case-folded if the key ends with i), and the work done so far.
type known struct {
	sets map[string]set
	work int
}

// spend counts ranges that are gone through.
func (k *known) spend(n int) error {
	if k.work += n; k.work > maxWork {
		return unsupported("the regular expression takes too long to write out; use fewer or smaller classes")
	}
	return nil
}

// needsRewriting reports whether a pattern with the flag u may hold what the
// engine takes differently.
func needsRewriting(source string) bool {
	return strings.Contains(source, `\p`) || strings.Contains(source, `\P`) ||
		strings.Contains(source, "[]") || strings.Contains(source, "[^]")
}

// rewriter goes through a pattern once.
type rewriter struct {
	src   string
	pos   int
	sets  bool // flag v
	fold  bool // flag i
	depth int  // of classes
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

// place puts the offset into an error that has none yet.
func (w *rewriter) place(err error, at int) error {
	if e, ok := err.(*PatternError); ok && e.Offset == 0 {
		e.Offset = min(at, len(w.src))
	}
	return err
}

// propertyAhead reports whether \p or \P is next. With the flags u and v it is
// nothing else.
func (w *rewriter) propertyAhead() bool {
	return w.pos+1 < len(w.src) && w.src[w.pos] == '\\' && (w.src[w.pos+1] == 'p' || w.src[w.pos+1] == 'P')
}

// property takes \p{…} or \P{…}. With the flags i and v the complement is
// taken after folding, otherwise before, as the language has it.
func (w *rewriter) property() (set, error) {
	not := w.src[w.pos+1] == 'P'
	text, ok := w.braced(w.pos + 2)
	if !ok {
		return nil, invalid(`\p must be followed by a property in braces`)
	}
	early := not && w.fold && w.sets
	key := text
	if early {
		key += "}i" // which no property's name holds
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

// fit folds a set where case is ignored.
func (w *rewriter) fit(s set) (set, error) {
	if !w.fold || len(s) == 0 {
		return s, nil
	}
	// Folding considers each letter that has a case.
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

// bracket takes a class at [ and writes it.
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

// classEnd finds the end of a class without nested ones, and reports whether it
// has to be rewritten.
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

// plainClass works out a class of the flag u that ends at end.
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

// atom takes one member of a class: a character, or an escape that denotes one
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
