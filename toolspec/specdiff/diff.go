package specdiff

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec"
)

// Direction says what a change does to what a tool may do.
type Direction string

// The directions.
const (
	Wider    Direction = "wider"    // it may do more, or that cannot be determined
	Narrower Direction = "narrower" // it may do less
	Changed  Direction = "changed"  // neither
)

// Difference is what separates two versions of a spec on one host: what a
// person reviews before the new one takes the place of the old.
type Difference struct {
	// From and To are nil where there is no such version.
	From *Side `json:"from"`
	To   *Side `json:"to"`
	// Rows are the differences, those in what the tool may do first. No rows: the two
	// versions are interchangeable.
	Rows []Row `json:"rows"`
	// CodeDiff is the change of the code as unified hunks; empty when there is
	// none. It is not always the shortest: where more than a hundred lines
	// differ, the rest may show as replaced.
	CodeDiff string `json:"codeDiff,omitempty"`
	// Wider says that a row is wider: the new version may do something that
	// the old one may not, or that cannot be compared.
	Wider bool `json:"wider"`
}

// Side is one of the two versions.
type Side struct {
	Name        string         `json:"name"`
	Level       toolspec.Level `json:"level"`
	ContentHash string         `json:"contentHash"`
	// PostureHash is empty when the version cannot run on the host.
	PostureHash string `json:"postureHash,omitempty"`
}

// Row is one difference.
type Row struct {
	// Field is a stable slug. Of what the tool may do: posture, level, network,
	// hosts, fileRead, fileWrite, destructive, basePath, staticVariables,
	// approval, limits, classes. Of what it is: name, toolId, description,
	// category, tags, schema, outputSchema, code, language, tests, other.
	Field string `json:"field"`
	// Item names the part of the field, such as a parameter, where there are
	// several.
	Item string `json:"item,omitempty"`
	// Before and After are short, long texts cut to where they differ; empty
	// where there was or is nothing. Characters that cannot be seen are written
	// as \u200b.
	Before    string    `json:"before"`
	After     string    `json:"after"`
	Direction Direction `json:"direction"`
	// Text is the change as a sentence.
	Text string `json:"text"`
}

// Diff compares two versions of a spec by what they may do on the host, and by
// what they are. A nil from means that nothing was there, a nil to that nothing
// is left. A nil host is the shipped baseline, see [toolspec.Spec.Resolve].
//
// What counts is what is in force, not how the overrides are written. What
// cannot be compared is wider: another directory, a posture that the host
// refuses, a member of the overrides that this version does not know. Of static
// variables only names and placeholders are shown.
func Diff(from, to *toolspec.Spec, host *toolspec.Host) *Difference {
	d := &differ{host: host, from: from, to: to, out: &Difference{Rows: []Row{}}}
	if from == nil && to == nil {
		return d.out
	}
	d.posture()
	d.content()
	d.out.Wider = slices.ContainsFunc(d.out.Rows, func(r Row) bool { return r.Direction == Wider })
	return d.out
}

// differ collects the rows.
type differ struct {
	host     *toolspec.Host
	from, to *toolspec.Spec
	out      *Difference
}

func (d *differ) row(field, item, before, after string, direction Direction, text string) {
	if field == "hosts" { // each of them counts
		before, after = termtext.Escape(before), termtext.Escape(after)
	} else {
		before, after = aroundDifference(before, after)
	}
	d.out.Rows = append(d.out.Rows, Row{Field: field, Item: termtext.Escape(item), Before: before, After: after, Direction: direction, Text: termtext.Escape(text)})
}

// changed adds a row when the two differ.
func (d *differ) changed(field, item, before, after, text string) {
	if before != after {
		d.row(field, item, before, after, Changed, text)
	}
}

// maxDiffText is how many characters of a text a row shows.
const maxDiffText = 400

// aroundDifference cuts two long texts to where they begin to differ, and writes
// out what cannot be seen.
func aroundDifference(before, after string) (string, string) {
	const ahead = 100
	same := 0
	for i, r := range before {
		n := utf8.RuneLen(r)
		if n < 1 || !strings.HasPrefix(after[min(i, len(after)):], before[i:min(i+n, len(before))]) {
			break
		}
		same = i + n
	}
	cut := func(text string) string {
		lead := ""
		if utf8.RuneCountInString(text) > maxDiffText && utf8.RuneCountInString(text[:min(same, len(text))]) > ahead {
			skip := []rune(text[:min(same, len(text))])
			text = string(skip[len(skip)-ahead:]) + text[min(same, len(text)):]
			lead = "…"
		}
		if utf8.RuneCountInString(text) > maxDiffText {
			text = string([]rune(text)[:maxDiffText]) + "…"
		}
		return lead + termtext.Escape(text)
	}
	return cut(before), cut(after)
}
