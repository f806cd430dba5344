package poison

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxText is how many bytes of a text are read. Much shorter texts are already reported
// as padding.
const MaxText = 64 << 10

// maxFindings is how many findings of a text are reported. More would be of no use.
const maxFindings = 100

// Scan inspects a text that a model will read. It returns its findings in the order of
// the text; nil if there are none.
//
// others are the names of tools that the text has no reason to mention, such as
// those of other servers: telling the model to call one of them is a finding.
func Scan(text string, others ...string) []Finding {
	s := &scanner{text: text, whole: text}
	if len(text) > MaxText {
		end := MaxText
		for !utf8.RuneStart(text[end]) {
			end--
		}
		s.text = text[:end]
	}
	s.characters()
	s.homoglyphs()
	s.padding()
	original := unchangedView(s.text)
	folded := original.fold()
	s.phrases(folded)
	s.calls(folded, others)
	if decoded := decodeInline(original); decoded != nil {
		s.encoded(decoded.fold())
	}
	s.blobs()
	return s.sorted()
}

type scanner struct {
	text  string // the part that is read
	whole string
	found []Finding
}

func (s *scanner) report(rule string, offset, length int) {
	s.found = append(s.found, Finding{Rule: rule, Offset: offset, Length: length})
}

// matcher is one compiled pattern of a rule. It is run only on a text that contains one
// of needs.
type matcher struct {
	rule  string
	needs []string
	re    *regexp.Regexp
}

var matchers = sync.OnceValue(func() []matcher {
	var out []matcher
	for i := range rules {
		for _, p := range rules[i].patterns {
			m := matcher{rule: rules[i].ID, re: regexp.MustCompile(norm.NFKC.String(p.text))}
			for _, need := range p.needs {
				m.needs = append(m.needs, norm.NFKC.String(need))
			}
			out = append(out, m)
		}
	}
	return out
})

// matchPhrases calls visit for every match of a phrase in a folded text.
func matchPhrases(folded []byte, visit func(rule string, from, to int)) {
	text := string(folded)
	for _, m := range matchers() {
		if !slices.ContainsFunc(m.needs, func(need string) bool { return strings.Contains(text, need) }) {
			continue
		}
		for _, at := range m.re.FindAllStringIndex(text, maxFindings) {
			visit(m.rule, at[0], at[1])
		}
	}
}

func (s *scanner) phrases(v *view) {
	matchPhrases(v.text, func(rule string, from, to int) {
		offset, length := v.span(s.text, from, to)
		s.report(rule, offset, length)
	})
}

// encoded reports phrases that appear only when entities and percent escapes are decoded.
func (s *scanner) encoded(v *view) {
	seen := make(map[string]bool, len(s.found))
	for _, f := range s.found {
		seen[f.Rule] = true
	}
	matchPhrases(v.text, func(rule string, from, to int) {
		if !seen[rule] {
			offset, length := v.span(s.text, from, to)
			s.report(ruleEncoded, offset, length)
		}
	})
}

// blobs reports runs that decode to a phrase, or to a text of words.
func (s *scanner) blobs() {
	for _, at := range runs(s.text) {
		decoded, ok := decodeRun(s.text[at[0]:at[1]])
		if !ok {
			continue
		}
		hit := at[1]-at[0] >= longBlob && isProse(decoded)
		if !hit {
			matchPhrases(unchangedView(decoded).fold().text, func(string, int, int) { hit = true })
		}
		if hit {
			s.report(ruleEncoded, at[0], at[1]-at[0])
		}
	}
}

var verb = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:then\s(?:use|call|invoke)|first\s(?:call|use)|use|call|invoke|run)\s`)
})

// calls reports each verb that is followed, within 80 bytes, by the name of another tool.
func (s *scanner) calls(v *view, others []string) {
	const near = 80
	var names []string
	for _, name := range others {
		if folded := string(unchangedView(name).fold().text); folded != "" {
			names = append(names, folded)
		}
	}
	if len(names) == 0 {
		return
	}
	text := string(v.text)
	for _, at := range verb().FindAllStringIndex(text, -1) {
		after := text[at[1]:min(len(text), at[1]+near)]
		for _, name := range names {
			if i := wordIndex(after, name); i >= 0 {
				offset, length := v.span(s.text, at[0], at[1]+i+len(name))
				s.report(ruleCrossServer, offset, length)
				break
			}
		}
	}
}

// wordIndex finds a name that is not part of a longer word.
func wordIndex(text, name string) int {
	part := func(c byte) bool {
		return c == '_' || c >= utf8.RuneSelf || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(name)
		if (i == 0 || !part(text[i-1])) && (end == len(text) || !part(text[end])) {
			return i
		}
		from = i + 1
	}
}

// sorted returns the findings in order, without those that lie within another finding of
// the same rule.
func (s *scanner) sorted() []Finding {
	if len(s.found) == 0 {
		return nil
	}
	slices.SortFunc(s.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), strings.Compare(a.Rule, b.Rule), cmp.Compare(b.Length, a.Length))
	})
	ends := make(map[string]int)
	out := make([]Finding, 0, min(len(s.found), maxFindings))
	for _, f := range s.found {
		if end, ok := ends[f.Rule]; ok && f.Offset < end {
			continue
		}
		if len(out) == maxFindings {
			break
		}
		ends[f.Rule] = f.Offset + f.Length
		f.Severity = severityOf(f.Rule)
		f.Text = Excerpt(s.whole[f.Offset : f.Offset+f.Length])
		out = append(out, f)
	}
	return out
}

func severityOf(id string) Severity {
	for i := range rules {
		if rules[i].ID == id {
			return rules[i].Severity
		}
	}
	return Critical
}
