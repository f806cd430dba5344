package demo

import (
	"math"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// choice is a tool and how well it fits a question.
type choice struct {
	def     *toolspec.Definition
	form    *shape
	score   float64
	matched []string // words of the question that speak for it
}

// enough is the score from which a tool is called: more than one word of a
// description, or one of a name.
const enough = 1.8

// profile is a tool as words.
type profile struct {
	def                     *toolspec.Definition
	form                    *shape
	name, about, params, id []string
	values                  []string // of enumerations
}

func profiles(defs []toolspec.Definition) []profile {
	out := make([]profile, len(defs))
	for i := range defs {
		p := profile{def: &defs[i], form: parseShape(defs[i].InputSchema)}
		p.name = append(wordsOf(p.def.Name), wordsOf(p.def.Title)...)
		p.about = wordsOf(p.def.Description)
		for _, f := range p.form.fields {
			p.id = append(p.id, wordsOf(f.name)...)
			p.params = append(p.params, wordsOf(f.about)...)
			for _, v := range f.enum {
				if s, ok := v.(string); ok {
					p.values = append(p.values, wordsOf(s)...)
				}
			}
		}
		out[i] = p
	}
	return out
}

// strength is how much a word of a question speaks for the tool.
func (p *profile) strength(w string) float64 {
	switch {
	case contains(p.name, w):
		return 3
	case contains(p.values, w):
		return 2
	case contains(p.about, w):
		return 1.5
	case contains(p.id, w):
		return 1
	case contains(p.params, w):
		return 0.5
	}
	return 0
}

// rank scores tools for a question. Words that speak for many tools count less.
// without are words that are spoken for already.
func rank(all []profile, question string, without []string) []choice {
	var words []string
	for _, w := range wordsOf(question) {
		if weight(w) > 0 && !contains(words, w) && !contains(without, w) {
			words = append(words, w)
		}
	}
	lower := lowerASCII(question)
	out := make([]choice, len(all))
	for i := range all {
		out[i] = choice{def: all[i].def, form: all[i].form}
		if mentions(lower, lowerASCII(all[i].def.Name)) && !contains(without, "\x00"+all[i].def.Name) {
			out[i].score += 20
			out[i].matched = append(out[i].matched, all[i].name...)
		}
	}
	for _, w := range words {
		known := 0
		for i := range all {
			if all[i].strength(w) > 0 {
				known++
			}
		}
		if known == 0 {
			continue
		}
		rare := (1 + math.Log(float64(len(all))/float64(known))) / (1 + math.Log(float64(len(all))))
		for i := range all {
			if s := all[i].strength(w); s > 0 {
				out[i].score += s * weight(w) * rare
				out[i].matched = append(out[i].matched, w)
			}
		}
	}
	return out
}

// mentions reports whether a text holds a name as a word of its own.
func mentions(text, name string) bool { return mentionAt(text, name, 0) >= 0 }

// mentionAt is where, from a place on, a text holds a name as a word of its own; -1
// when it does not.
func mentionAt(text, name string, from int) int {
	for name != "" && from < len(text) {
		at := strings.Index(text[from:], name)
		if at < 0 {
			break
		}
		at += from
		end := at + len(name)
		if (at == 0 || !inName(text[at-1])) && (end == len(text) || !inName(text[end])) {
			return at
		}
		from = at + 1
	}
	return -1
}

// lowerASCII is s with small letters for the capitals of ASCII: what stands where
// stays there.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func inName(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}

// best is the place of the choice that fits best, the first of those that fit
// equally, among those that allowed lets through; -1 when none reaches least.
func best(choices []choice, least float64, allowed func(*choice) bool) int {
	at := -1
	for i := range choices {
		c := &choices[i]
		if c.score >= least && allowed(c) && (at < 0 || c.score > choices[at].score) {
			at = i
		}
	}
	return at
}
