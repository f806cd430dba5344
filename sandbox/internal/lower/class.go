package lower

import (
	"cmp"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// setClass evaluates a class of the flag v that begins at "[": a set of characters, and
// strings of zero or several characters.
func (w *rewriter) setClass() (set, []string, error) {
	if w.depth++; w.depth > maxClassNesting {
		return nil, nil, unsupported("the regular expression nests classes too deep")
	}
	defer func() { w.depth-- }()
	start := w.pos
	w.pos++
	not := w.ahead("^")
	if not {
		w.pos++
	}
	s, words, err := w.setOperands()
	if err != nil {
		return nil, nil, err
	}
	if !not {
		return s, words, nil
	}
	if len(words) > 0 {
		return nil, nil, w.place(invalid("the regular expression excludes a class that holds words"), start)
	}
	return s.complement(), nil, nil
}

func (w *rewriter) ahead(text string) bool {
	return len(w.src)-w.pos >= len(text) && w.src[w.pos:w.pos+len(text)] == text
}

// setOperands reads the contents of a class up to its "]": a union, or operands separated
// by && or by --.
func (w *rewriter) setOperands() (set, []string, error) {
	var s set
	var words []string
	for first := true; ; first = false {
		if w.pos >= len(w.src) {
			return nil, nil, invalid("the regular expression has a class that is not closed")
		}
		if w.ahead("]") {
			w.pos++
			s, err := w.fit(normal(s))
			return s, words, err
		}
		at := w.pos
		operand, single, more, err := w.setOperand()
		if err != nil {
			return nil, nil, w.place(err, at)
		}
		if first && (w.ahead("&&") || w.ahead("--")) {
			if operand, err = w.fit(operand); err != nil {
				return nil, nil, err
			}
			return w.setChain(operand, more)
		}
		if single && w.ahead("-") && !w.ahead("--") {
			w.pos++
			last, isSingle, _, err := w.setOperand()
			if err != nil {
				return nil, nil, w.place(err, at)
			}
			if !isSingle || last[0].lo < operand[0].lo {
				return nil, nil, w.place(invalid("the regular expression has a range in a class that has no order"), at)
			}
			operand = set{{operand[0].lo, last[0].lo}}
		}
		if w.ahead("&&") || w.ahead("--") {
			return nil, nil, w.place(invalid("the regular expression mixes operators in a class: put brackets around one of them"), w.pos)
		}
		if err := w.known.spend(len(operand)); err != nil {
			return nil, nil, w.place(err, at)
		}
		s = append(s, operand...)
		words = append(words, more...)
	}
}

// setChain reads the rest of a class after its first operand, where all operators must be
// the same.
func (w *rewriter) setChain(s set, words []string) (set, []string, error) {
	operator := w.src[w.pos : w.pos+2]
	for {
		if w.ahead("]") {
			w.pos++
			return s, words, nil
		}
		if !w.ahead(operator) {
			return nil, nil, w.place(invalid("the regular expression mixes operators in a class: put brackets around one of them"), w.pos)
		}
		w.pos += 2
		if w.pos >= len(w.src) || w.ahead("]") || w.ahead("&") {
			return nil, nil, w.place(invalid("the regular expression has an operator in a class with nothing behind it"), w.pos)
		}
		at := w.pos
		operand, _, more, err := w.setOperand()
		if err != nil {
			return nil, nil, w.place(err, at)
		}
		if w.fold && len(words)+len(more) > 0 {
			return nil, nil, w.place(unsupported("the regular expression takes words away from words and ignores case, which is not supported"), at)
		}
		if operand, err = w.fit(operand); err == nil {
			err = w.known.spend(len(operand) + len(s) + len(words)*len(more))
		}
		if err != nil {
			return nil, nil, w.place(err, at)
		}
		keep := operator == "&&"
		if keep {
			s = intersect(s, operand)
		} else {
			s = subtract(s, operand)
		}
		words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(more, word) != keep })
	}
}

// setOperand reads one operand: a nested class, \q{abc}, an escape or a character.
func (w *rewriter) setOperand() (s set, single bool, words []string, err error) {
	if w.pos >= len(w.src) {
		return nil, false, nil, invalid("the regular expression has a class that is not closed")
	}
	switch c := w.src[w.pos]; {
	case c == '[':
		s, words, err = w.setClass()
		return s, false, words, err
	case w.ahead(`\q{`):
		s, words, err = w.quoted()
		return s, false, words, err
	case c == '\\':
		s, single, err = w.atom()
		return s, single, nil, err
	}
	r, size := utf8.DecodeRuneInString(w.src[w.pos:])
	if err := w.literal(r); err != nil {
		return nil, false, nil, err
	}
	w.pos += size
	return set{{r, r}}, true, nil, nil
}

// literal refuses characters that must be escaped in a class of the flag v.
func (w *rewriter) literal(r rune) error {
	doubled := w.pos+1 < len(w.src) && rune(w.src[w.pos+1]) == r
	switch r {
	case '(', ')', '[', ']', '{', '}', '/', '-', '|':
		return invalid("the regular expression has a character in a class that must be escaped: " + string(r))
	case '&', '!', '#', '$', '%', '*', '+', ',', '.', ':', ';', '<', '=', '>', '?', '@', '^', '`', '~':
		if doubled {
			return invalid("the regular expression has a doubled character in a class that must be escaped: " + string(r))
		}
	}
	return nil
}

// quoted reads \q{a|bc}: single characters, and strings of zero or several characters.
func (w *rewriter) quoted() (s set, words []string, err error) {
	w.pos += len(`\q{`)
	var word []rune
	end := func() {
		if len(word) == 1 {
			s = append(s, span{word[0], word[0]})
		} else {
			words = append(words, string(word))
		}
		word = nil
	}
	for w.pos < len(w.src) {
		switch c := w.src[w.pos]; c {
		case '}':
			end()
			w.pos++
			return normal(s), words, nil
		case '|':
			end()
			w.pos++
			continue
		}
		at := w.pos
		operand, single, more, err := w.setOperand()
		if err != nil {
			return nil, nil, w.place(err, at)
		}
		if !single || more != nil || operand[0].lo&^0x7FF == 0xD800 {
			return nil, nil, w.place(invalid(`the regular expression has something other than characters in \q`), at)
		}
		word = append(word, operand[0].lo)
	}
	return nil, nil, invalid(`the regular expression has a \q that is not closed`)
}

// class writes a class as a list of alternatives: the words, longest first, and then the
// class of characters.
func (w *rewriter) class(s set, words []string) error {
	if err := w.known.spend(len(s) + len(words)); err != nil {
		return err
	}
	if len(words) == 0 {
		w.chars(s)
		return nil
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a)) })
	w.out.WriteString("(?:")
	empty := false
	for i, word := range words {
		if word == "" {
			empty = true
			continue
		}
		if i > 0 {
			w.out.WriteByte('|')
		}
		for _, r := range word {
			w.char(r)
		}
	}
	if len(s) > 0 {
		if words[0] != "" {
			w.out.WriteByte('|')
		}
		w.chars(s)
	}
	if empty {
		w.out.WriteByte('|')
	}
	w.out.WriteByte(')')
	return nil
}

// chars writes a class of characters, as the set or the negated complement, whichever is
// shorter. It does not write [] and [^], since those of the engine end at U+1FFFF.
func (w *rewriter) chars(s set) {
	not := s.complement()
	switch {
	case len(s) == 0:
		w.out.WriteString("(?:(?!))")
		return
	case len(not) > 0 && len(not) < len(s):
		w.out.WriteString("[^")
		s = not
	default:
		w.out.WriteString("[")
	}
	for _, r := range s {
		w.char(r.lo)
		if r.hi > r.lo {
			if r.hi > r.lo+1 {
				w.out.WriteByte('-')
			}
			w.char(r.hi)
		}
	}
	w.out.WriteByte(']')
}

// char writes one character, escaped so that it stands for itself anywhere in a pattern
// and is readable.
func (w *rewriter) char(r rune) {
	var buf [8]byte
	hex := strconv.AppendUint(buf[:0], uint64(r), 16)
	switch {
	case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		w.out.WriteByte(byte(r))
	case r <= 0xFFFF && r&^0x7FF != 0xD800: // two adjacent surrogates would form one character
		w.out.WriteString(`\u0000`[:6-len(hex)])
		w.out.Write(hex)
	default:
		w.out.WriteString(`\u{`)
		w.out.Write(hex)
		w.out.WriteByte('}')
	}
}
