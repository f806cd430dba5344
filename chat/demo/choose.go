package demo

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/lexical"
	"github.com/localpass/localpass/toolspec"
)

// choice is a tool with the score of how well it fits a question.
type choice struct {
	def     *toolspec.Definition
	form    *shape
	score   float64  // decides whether the tool fits
	rank    float64  // how well it fits compared with the other tools
	matched []string // words of the question that match the tool
}

// enough is the minimum score for a call: more than one matching word of a description,
// or one of a name.
const enough = 1.8

// profile holds the words that describe a tool.
type profile struct {
	def                     *toolspec.Definition
	form                    *shape
	name, about, params, id []string
	values                  []string // values of enumerations
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

// strength returns how strongly a word of a question indicates the tool.
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

// box holds the tools of a request, prepared for ranking. It is immutable.
type box struct {
	tools []profile
	index *lexical.Index
}

// newBox copies the definitions, since they belong to the request.
func newBox(defs []toolspec.Definition) *box {
	defs = slices.Clone(defs)
	for i := range defs {
		defs[i].InputSchema, defs[i].OutputSchema = bytes.Clone(defs[i].InputSchema), bytes.Clone(defs[i].OutputSchema)
	}
	b := &box{tools: profiles(defs)}
	documents := make([]lexical.Document, len(defs))
	for i := range b.tools {
		p := &b.tools[i]
		var params strings.Builder
		for _, f := range p.form.fields {
			params.WriteString(f.name + " " + f.about + "\n")
		}
		documents[i] = lexical.Document{ID: strconv.Itoa(i), Fields: []lexical.Field{{Text: p.def.Name + " " + p.def.Title, Weight: 3}, {Text: p.def.Description}, {Text: params.String(), Weight: 0.3}}}
	}
	b.index = lexical.New(documents)
	return b
}

// holds reports whether defs are the tools of the box, in all fields that matter for
// ranking.
func (b *box) holds(defs []toolspec.Definition) bool {
	return b != nil && slices.EqualFunc(b.tools, defs, func(p profile, d toolspec.Definition) bool {
		o := p.def
		return o.Name == d.Name && o.Title == d.Title && o.Description == d.Description && o.Level == d.Level && destructive(o) == destructive(&d) &&
			bytes.Equal(o.InputSchema, d.InputSchema) && bytes.Equal(o.OutputSchema, d.OutputSchema)
	})
}

func destructive(d *toolspec.Definition) bool {
	return d.Annotations.Destructive != nil && *d.Annotations.Destructive
}

// rank scores how well each tool fits a question. Words that match many tools count less.
// without lists words that are already used.
func (b *box) rank(question string, without []string) []choice {
	var words, query []string
	for _, raw := range split(question) {
		w := stem(raw)
		if contains(without, w) {
			continue
		}
		query = append(query, raw)
		if weight(w) > 0 && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	lower := lowerASCII(question)
	out := make([]choice, len(b.tools))
	for i := range b.tools {
		p := &b.tools[i]
		out[i] = choice{def: p.def, form: p.form}
		if spelledOut(lower, p.def.Name) && !slices.Contains(without, named(p.def.Name)) {
			out[i].score, out[i].rank = spelled, spelled
			out[i].matched = append(out[i].matched, p.name...)
		}
	}
	for _, m := range b.index.Search(strings.Join(query, " "), 0) {
		i, _ := strconv.Atoi(m.ID)
		out[i].rank += m.Score
	}
	strengths := make([]float64, len(b.tools))
	for _, w := range words {
		known := 0
		for i := range b.tools {
			if strengths[i] = b.tools[i].strength(w); strengths[i] > 0 {
				known++
			}
		}
		if known == 0 {
			continue
		}
		rare := (1 + math.Log(float64(len(b.tools))/float64(known))) / (1 + math.Log(float64(len(b.tools))))
		for i, s := range strengths {
			if s > 0 {
				out[i].score += s * weight(w) * rare
				out[i].matched = append(out[i].matched, w)
			}
		}
	}
	return out
}

// spelled is the score of a tool that the question names.
const spelled = 100

// spelledOut reports whether a question names a tool. A name that is an everyday word
// counts only after a word that announces a tool.
func spelledOut(question, name string) bool {
	at := mentionAt(question, lowerASCII(name), 0)
	if at < 0 || len(split(name)) > 1 {
		return at >= 0
	}
	return slices.Contains([]string{"tool", "use", "call", "run"}, wordBefore(question[:at]))
}

// named returns the entry for a tool in the list of words that are already used.
func named(tool string) string { return "\x00" + tool }

// mentionAt returns the first position, not before from, of a name as a separate word in
// a text, -1 if there is none.
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

// lowerASCII returns s with ASCII letters in lower case; offsets do not change.
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

// best returns the index of the choice that fits best, among those that score at least
// least and that allowed accepts; of equal ones the first. It returns -1 if there is
// none.
func best(choices []choice, least float64, allowed func(*choice) bool) int {
	at := -1
	for i := range choices {
		c := &choices[i]
		if c.score >= least && allowed(c) && (at < 0 || c.rank > choices[at].rank) {
			at = i
		}
	}
	return at
}
