package scan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/poison"
	"github.com/localpass/localpass/mcphub/scan/internal/clause"
)

// Verdict is what a scan says of a tool.
type Verdict string

// The verdicts, from the best.
const (
	Clean  Verdict = "clean"  // there are no findings, or only medium ones
	Review Verdict = "review" // a person should look before the tool is served
	Block  Verdict = "block"  // the text works against the user
)

// Severity is how much a finding weighs.
type Severity = poison.Severity

// The severities.
const (
	Medium   = poison.Medium
	High     = poison.High
	Critical = poison.Critical
)

// Finding is one place in what a server says.
type Finding struct {
	// Rule is the stable name of the rule, such as "ORDER_BEFORE_OTHERS".
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Where is the place in the definition: "description",
	// "inputSchema.properties.path.description", or "name".
	Where string `json:"where"`
	// Offset and Length are in bytes of the text there, at the bounds of characters.
	Offset int `json:"offset"`
	Length int `json:"length"`
	// Text is what was found, cut short, with characters that cannot be seen written as
	// \u{200B}.
	Text string `json:"text"`
	// Why says what text of this kind does, as a sentence.
	Why string `json:"why"`
	// Do says what a person can do about it.
	Do string `json:"do"`
}

// Report is what a scan found in one tool, prompt or resource, or in the instructions of a
// server.
type Report struct {
	Server string `json:"server,omitempty"`
	// Tool is the name of the tool, prompt or resource; empty for the instructions.
	Tool     string    `json:"tool,omitempty"`
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
}

// Server is what one server says about itself. The definitions are those of the protocol, as
// in the result of tools/list.
type Server struct {
	Name         string
	Instructions string
	Tools        []json.RawMessage
	Prompts      []json.RawMessage
	Resources    []json.RawMessage
}

// Scanner scans servers. The zero value is ready to use, and safe for concurrent use.
type Scanner struct{}

// What the findings of one tool together must weigh.
const (
	blockAt  = 10
	evenAt   = 8 // where poisoned and honest are equally likely in the half that was learned from
	reviewAt = 6
	tenths   = 10 // of a point
)

// Scan judges everything that the servers say, in the order given, which is that of trust.
// Servers that are scanned together are compared: a tool whose name looks like one of a server
// before its own, or that sends the model to a tool of any other, is found. It never fails: a definition that is no JSON object is itself a
// finding.
func (s *Scanner) Scan(servers ...Server) []Report {
	var out []Report
	all := namesOf(servers)
	for i := range servers {
		server := &servers[i]
		siblings, foreign, avoid := all.of(i), all.besides(i), all.avoid(i)
		if server.Instructions != "" {
			c := &context{siblings: siblings, foreign: foreign, avoid: avoid, server: true}
			out = append(out, c.report(server.Name, "", []text{{where: "instructions", text: server.Instructions}}, nil))
		}
		for _, raw := range slices.Concat(server.Tools, server.Prompts, server.Resources) {
			d, problem := read(raw)
			c := &context{name: folded(d.name), params: d.params, siblings: siblings, foreign: foreign, avoid: avoid}
			c.purpose = purposeOf(&d)
			found := problem
			found = append(found, all.lookAlike(i, d.name)...)
			found = append(found, contradictions(&d)...)
			out = append(out, c.report(server.Name, d.name, d.texts, found))
		}
	}
	return out
}

// purposeOf returns the classes of the words that say what a tool is for: its name and the
// first sentence of its description.
func purposeOf(d *definition) clause.Class {
	var is clause.Class
	for _, text := range []string{spaced(d.name), d.title, d.description} {
		if sentences := clause.Sentences(text); len(sentences) > 0 {
			for _, t := range sentences[0].Tokens[:min(14, len(sentences[0].Tokens))] {
				is |= t.Is
			}
		}
	}
	return is
}

// report judges the texts of one definition.
func (c *context) report(server, name string, texts []text, found []Finding) Report {
	weight := 0
	for i := range found {
		weight += weightOf(found[i].Severity)
	}
	best := 0
	for _, t := range texts {
		for _, f := range poison.Scan(t.text, c.avoid...) {
			if f.Rule == rulePrecall {
				f.Severity = Medium // it is weighed in its sentence below
			}
			found = append(found, Finding{Rule: f.Rule, Severity: f.Severity, Where: t.where, Offset: f.Offset, Length: f.Length, Text: f.Text, Why: "It " + poison.Why(f.Rule) + ".", Do: adviceFor(f.Rule)})
			weight += weightOf(f.Severity)
		}
		if len(t.text) > poison.MaxText {
			unread := newFinding(ruleUnread, High, t.where, "")
			found, weight = append(found, unread), weight+weightOf(High)
			t.text = strings.ToValidUTF8(t.text[:poison.MaxText], "")
		}
		if t.name {
			continue
		}
		c.param, c.output = t.param, strings.HasPrefix(t.where, "outputSchema")
		demands := c.demands(t.text)
		points := total(demands) / tenths
		best = max(best, points)
		if points < reviewAt {
			continue
		}
		severity := High
		if points >= blockAt {
			severity = Critical
		}
		for _, d := range demands {
			if d.points < 3*tenths {
				continue
			}
			found = append(found, Finding{Rule: d.rule, Severity: severity, Where: t.where, Offset: d.from, Length: d.to - d.from, Text: excerpt(t.text[d.from:d.to]), Why: why(d.rule), Do: adviceFor(d.rule)})
		}
	}
	weight += best
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(weightOf(b.Severity), weightOf(a.Severity)) })
	r := Report{Server: server, Tool: name, Verdict: Clean, Findings: found}
	switch {
	case weight >= blockAt && len(found) > 0:
		r.Verdict = Block
	case len(found) > 0 && (weight >= reviewAt || found[0].Severity != Medium):
		r.Verdict = Review
	}
	return r
}

// total is the weight of the demands of a text: that of its strongest two sentences, and a
// part of the rest of them.
func total(demands []demand) int {
	bySentence := map[int]int{}
	for _, d := range demands {
		// Several rules that see the same sentence strengthen each other a little.
		if old := bySentence[d.from]; old > 0 {
			bySentence[d.from] = max(old, d.points) + max(min(old, d.points)/10, 0)
		} else {
			bySentence[d.from] = d.points
		}
	}
	var points []int
	for _, p := range bySentence {
		points = append(points, p)
	}
	slices.Sort(points)
	slices.Reverse(points)
	sum := 0
	for i, p := range points {
		switch {
		case i == 0:
			sum += p
		case i == 1 && p >= 3*tenths:
			sum += p / 3
		}
	}
	return sum
}

func weightOf(s Severity) int {
	switch s {
	case Critical:
		return blockAt
	case High:
		return 5
	default:
		return 1
	}
}
