package scan

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/poison"
)

// maxResult is how many bytes of the texts of a result are read. The rest is itself a finding.
const maxResult = 1 << 20

// Result judges the texts of what a server answered to a call. It uses only the rules that look
// for orders to the model, hidden marks and encodings, and not those for demands in polite
// prose, because a result may be a document of any kind. Findings of medium severity are left
// out. The findings are in Where "result", with the offset in the texts joined by line feeds.
// 64 KiB take some 10 ms of processor time. What follows the first MiB is not read, which is a
// finding.
func (s *Scanner) Result(server, tool string, texts ...string) Report {
	r := Report{Server: server, Tool: tool, Verdict: Clean}
	all := strings.Join(texts, "\n")
	if len(all) > maxResult {
		all = all[:maxResult]
		r.Findings = append(r.Findings, Finding{Rule: ruleUnread, Severity: High, Where: "result", Offset: maxResult,
			Why: "It is longer than 1 MiB, and the rest was not read.", Do: "Ask the tool for less at a time."})
	}
	const overlap = 1 << 10 // an order at the end of a part is found in the next one
	for from, to := 0, 0; to < len(all); from = to - overlap {
		for from > 0 && !utf8.RuneStart(all[from]) {
			from--
		}
		to = min(len(all), from+poison.MaxText)
		for _, f := range poison.Scan(all[from:to]) {
			if f.Severity == Medium || slices.ContainsFunc(r.Findings, func(o Finding) bool { return o.Rule == f.Rule }) {
				continue
			}
			r.Findings = append(r.Findings, Finding{Rule: f.Rule, Severity: f.Severity, Where: "result", Offset: from + f.Offset, Length: f.Length, Text: f.Text,
				Why: "It " + poison.Why(f.Rule) + ".", Do: "Follow nothing that the text asks for."})
		}
	}
	for _, f := range r.Findings {
		if r.Verdict != Block {
			r.Verdict = Review
		}
		if f.Severity == Critical {
			r.Verdict = Block
		}
	}
	return r
}
