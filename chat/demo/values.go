package demo

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// field finds a value for a field that the question does not name and that is not a
// single number.
func (e *evidence) field(f *shape) (any, bool) {
	if len(f.enum) > 0 {
		return e.oneOf(f)
	}
	switch f.kind {
	case "boolean":
		return e.truth(f)
	case "array":
		return e.many(f)
	case "object":
		if !f.required {
			return nil, false
		}
		args, missing := e.fillObject(f)
		return args, len(missing) == 0 && f.fits(args)
	case "number", "integer": // all numbers are already assigned
		return nil, false
	case "null":
		return nil, f.required
	}
	return e.words(f)
}

// oneOf finds the value of an enumeration that the text contains: the one after the name
// of the field, as in "to EUR", otherwise the longest, otherwise the first. Each
// occurrence is used only once.
func (e *evidence) oneOf(f *shape) (any, bool) {
	lower, name := lowerASCII(e.text), split(f.name)
	words := wordsOf(e.text)
	var found any
	most, where := 0, -1
	for _, v := range f.enum {
		s := constantText(v)
		for from := 0; ; {
			at := mentionAt(lower, lowerASCII(s), from)
			if at < 0 {
				break
			}
			from = at + 1
			fit := 1000 + len(s)
			switch before := wordBefore(e.text[:at]); {
			case slices.Contains(name, before):
				fit += 1000
			case before == "from" || before == "to": // it belongs to another field
				fit -= 500
			}
			if fit > most && !e.used[at] && f.fits(v) {
				found, most, where = v, fit, at
			}
		}
		if own := wordsOf(s); most == 0 && len(own) > 0 && f.fits(v) &&
			!slices.ContainsFunc(own, func(w string) bool { return weight(w) == 0 || !contains(words, w) }) && mentionAt(lower, lowerASCII(s), 0) < 0 {
			found, most = v, 1
		}
	}
	if where >= 0 {
		e.used[where] = true
	}
	if found == nil && f.required && len(f.enum) == 1 && f.fits(f.enum[0]) {
		return f.enum[0], true
	}
	return found, most > 0
}

// truth returns true if the text mentions the field, and false if it negates it.
func (e *evidence) truth(f *shape) (any, bool) {
	all := split(e.text)
	for i, w := range all {
		if s := stem(w); weight(s) == 1 && contains(wordsOf(f.name), s) {
			no := i > 0 && slices.Contains([]string{"no", "not", "without", "never"}, all[i-1])
			return !no, f.fits(!no)
		}
	}
	return false, f.required && !f.given && f.fits(false)
}

// many creates a list from the unused evidence: numbers, quoted texts, or a list in
// prose.
func (e *evidence) many(f *shape) (any, bool) {
	if f.items == nil {
		return nil, false
	}
	var all []any
	switch f.items.kind {
	case "number", "integer":
		for _, n := range e.numbers {
			if v := json.Number(n.text); !e.used[n.at] && json.Valid([]byte(v)) && f.items.fits(v) {
				all = append(all, v)
			}
		}
	case "", "string":
		for _, q := range e.quoted {
			if !e.used[q.at] && f.items.fits(q.text) {
				all = append(all, q.text)
			}
		}
		if len(all) == 0 && f.required {
			from := e.reply
			if from == "" {
				from = e.after
			}
			if from == "" && strings.Contains(e.tail, ",") {
				from = e.tail
			}
			for _, one := range parts(from) {
				if f.items.fits(one) {
					all = append(all, one)
				}
			}
		}
	}
	return all, len(all) > 0 && f.fits(all)
}

// words finds a text for a field.
func (e *evidence) words(f *shape) (any, bool) {
	for _, p := range e.candidates(f) {
		if p.text == "" || p.at >= 0 && e.used[p.at] || p.at < 0 && slices.Contains(e.taken, p.text) || !utf8.ValidString(p.text) || !f.fits(p.text) {
			continue
		}
		if p.at >= 0 {
			e.used[p.at] = true
		}
		e.taken = append(e.taken, p.text)
		return p.text, true
	}
	return nil, false
}
