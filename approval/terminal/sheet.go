package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/toolspec/secret"
)

const (
	// sheetLines and sheetBytes are how much of the arguments is shown at first.
	sheetLines = 24
	sheetBytes = 4000
)

// sheet is a question as a person sees it.
type sheet struct {
	request *approval.Request
	redact  *secret.Redactor
	edited  json.RawMessage // what the person made of the arguments
	whole   bool            // show everything
	seen    bool            // everything was shown
}

func newSheet(r *approval.Request, redact *secret.Redactor) *sheet {
	return &sheet{request: r, redact: redact}
}

// arguments are what would run.
func (q *sheet) arguments() json.RawMessage {
	if q.edited != nil {
		return q.edited
	}
	return q.request.Arguments
}

// scope is the scope that an answer grants; "" for a word that does not approve.
func (q *sheet) scope(word string) approval.Scope {
	var scope approval.Scope
	switch word {
	case "y", "yes":
		return approval.ScopeOnce
	case "a":
		scope = approval.ScopeConversation
	case "s":
		scope = approval.ScopeArguments
	}
	// An approval of a wider scope is about the arguments that were asked about.
	if q.edited != nil || !slices.Contains(q.request.Scopes, scope) {
		return ""
	}
	return scope
}

// editable reports whether the arguments may be changed: two people must
// approve the same, and without a schema the new arguments could not be checked.
func (q *sheet) editable() bool { return q.request.Needed <= 1 && len(q.request.Schema) > 0 }

// choices is the line of answers.
func (q *sheet) choices() string {
	list := []string{"[y]es once"}
	if q.scope("s") != "" {
		list = append(list, "[s]ame arguments")
	}
	if q.scope("a") != "" {
		list = append(list, "[a]ll in this conversation")
	}
	if q.editable() {
		list = append(list, "[e]dit")
	}
	list = append(list, "[n]o", "[r]eason for a no")
	if !q.seen {
		list = append(list, "[v]iew all")
	}
	return strings.Join(list, "  ")
}

// text is the question without its frame and the arguments, in lines that may
// be longer than the screen is wide.
func (q *sheet) text(now time.Time) []string {
	r := q.request
	var out []string
	add := func(name, text string) {
		if text != "" {
			out = append(out, fmt.Sprintf("%-8s %s", name, termtext.Escape(q.redact.String(text))))
		}
	}
	add("tool", r.Tool)
	if r.Alias != r.Tool {
		add("as", r.Alias)
	}
	add("server", r.Server)
	add("title", r.Title)
	add("asked by", q.asker())
	for line := range strings.SplitSeq(strings.TrimRight(r.Prompt, "\r\n"), "\n") {
		add("question", strings.TrimRight(line, "\r"))
	}
	for _, why := range r.Why {
		add("why", why)
	}
	for _, change := range r.Changes {
		add("effect", change)
	}
	for _, f := range r.Findings {
		add("warning", strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", f.Severity, f.Rule, f.Detail), ": "))
	}
	if r.Needed > 1 {
		add("needs", fmt.Sprintf("%d different people", r.Needed))
	}
	if !r.Deadline.IsZero() {
		left := max(r.Deadline.Sub(now), 0).Round(time.Second)
		add("expires", fmt.Sprintf("in %d:%02d", int(left.Minutes()), int(left.Seconds())%60))
	}
	return out
}

func (q *sheet) asker() string {
	parts := []string{string(q.request.Side)}
	if p := q.request.Principal.String(); p != "" {
		parts = append(parts, p)
	}
	if q.request.Conversation != "" {
		parts = append(parts, "conversation "+q.request.Conversation)
	}
	return strings.Join(parts, ", ")
}

// argumentText is the arguments, a member a line.
func (q *sheet) argumentText() string {
	var b bytes.Buffer
	raw := q.redact.JSON(q.arguments())
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	return termtext.EscapeLines(b.String())
}

// changes are the members that an edit changed.
func (q *sheet) changes() []string {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(q.request.Arguments, &before) != nil || json.Unmarshal(q.edited, &after) != nil {
		return nil
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := before[name]
		is, has := after[name]
		if had && has && bytes.Equal(was, is) {
			continue
		}
		if had {
			out = append(out, fmt.Sprintf("- %s: %s", name, was))
		}
		if has {
			out = append(out, fmt.Sprintf("+ %s: %s", name, is))
		}
	}
	for i := range out {
		out[i] = termtext.Escape(q.redact.String(out[i]))
	}
	return out
}

// show writes the question, and discards what was typed until it was displayed.
func (s *sitting) show(ctx context.Context, q *sheet, place, note string) error {
	columns := s.console.width() - 3
	var b strings.Builder
	fmt.Fprintf(&b, "\r\nApproval needed%s: risk %s\r\n", place, q.request.Level.Label())
	frame := func(lines ...string) {
		for _, line := range lines {
			for _, piece := range wrap(line, columns) {
				b.WriteString("| " + piece + "\r\n")
			}
		}
	}
	frame(q.text(s.clock.Now())...)
	if q.edited != nil {
		frame("you changed:")
		frame(q.changes()...)
	}
	frame("arguments that will run:")
	lines := wrap(q.argumentText(), columns)
	size, n := 0, 0
	for n < len(lines) && (q.whole || n < sheetLines && size+len(lines[n]) <= sheetBytes) {
		size += len(lines[n])
		n++
	}
	frame(lines[:n]...)
	if n < len(lines) {
		frame(fmt.Sprintf("... and %d lines more, that v shows", len(lines)-n))
	} else {
		q.seen = true
	}
	if note != "" {
		b.WriteString(note + "\r\n")
	}
	if err := s.console.write(ctx, []byte(b.String())); err != nil {
		return err
	}
	if err := s.arm(ctx); err != nil {
		return err
	}
	return s.console.write(ctx, []byte(q.choices()+" (no)> "))
}

// lines writes a text within the frame.
func (s *sitting) lines(ctx context.Context, text string) error {
	var b strings.Builder
	for _, line := range wrap(termtext.EscapeLines(text), s.console.width()-3) {
		b.WriteString("| " + line + "\r\n")
	}
	return s.console.write(ctx, []byte(b.String()))
}
