package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/examples/clichat/internal/render"
	"github.com/localpass/localpass/internal/descriptors"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/internal/termtext"
)

// sheet is a question as a person sees it. Everything that others wrote is shown behind
// the bar at the left, with invisible characters escaped.
type sheet struct {
	r      *approval.Request
	place  string
	theme  render.Theme
	edited json.RawMessage // what the person made of the arguments
	seen   bool            // nothing of the arguments is hidden
	note   string
}

func newSheet(r *approval.Request, place string, theme render.Theme) *sheet {
	s := &sheet{r: r, place: place, theme: theme}
	s.look()
	return s
}

// arguments are what would run.
func (s *sheet) arguments() json.RawMessage {
	if s.edited != nil {
		return s.edited
	}
	return s.r.Arguments
}

// scope is how far an approval by this key reaches; empty: the key does not approve.
func (s *sheet) scope(key rune) approval.Scope {
	switch {
	case key == 'y':
		return approval.ScopeOnce
	case key == 's' && s.edited == nil && slices.Contains(s.r.Scopes, approval.ScopeArguments):
		return approval.ScopeArguments
	}
	return ""
}

// editable reports whether the arguments may be changed: without a schema the new
// arguments could not be checked, and two people must approve the same.
func (s *sheet) editable() bool { return len(s.r.Schema) > 0 && s.r.Needed <= 1 }

// rows is the question at a width.
func (s *sheet) rows(columns int, now time.Time) []string {
	t, r := s.theme, s.r
	head := "Approval needed" + s.place + t.Sign(" · ", " - ") + levelOf(r.Level)
	left := max(r.Deadline.Sub(now), 0)
	expires := fmt.Sprintf("expires in %d:%02d", int(left.Minutes()), int(left.Seconds())%60)
	effect := termtext.Escape(strings.Join(r.Changes, " "))
	if with := head + t.Sign(" · ", " - ") + effect; effect != "" && render.Width(with)+len(expires)+4 <= columns {
		head, effect = with, ""
	}
	head += strings.Repeat(" ", max(columns-render.Width(head)-len(expires)-2, 1)) + expires
	rows := []string{t.Paint(render.Bold, t.Sign("┌ ", "+ ")+head)}
	bar := t.Sign("│ ", "| ")
	add := func(text string) {
		for _, row := range render.Wrap(text, columns-2) {
			rows = append(rows, bar+row)
		}
	}
	from := "your tool"
	if r.Server != "" {
		from = "of the server " + termtext.Escape(r.Server)
	}
	add(fmt.Sprintf("%s  (%s, asked by this %s)", termtext.Escape(r.Tool), from, termtext.Escape(string(r.Side))))
	if p := termtext.Escape(r.Prompt); !strings.HasPrefix(p, "Run the tool ") {
		add("asks  " + clipText(p, 400))
	}
	lines, _ := s.members(columns - 2)
	for _, line := range lines {
		rows = append(rows, bar+line)
	}
	if s.edited != nil {
		add("you changed:")
		for _, line := range s.changes() {
			add("  " + line)
		}
	}
	if len(r.Why) > 0 {
		add("why   " + termtext.Escape(strings.Join(r.Why, t.Sign(" · ", " - "))))
	}
	if effect != "" {
		add("does  " + effect)
	}
	for _, f := range r.Findings {
		add("! " + termtext.Escape(f.Severity+": "+f.Rule+" "+f.Detail))
	}
	if s.note != "" {
		add("= " + termtext.Escape(s.note))
	}
	for i, row := range render.Wrap(s.choices(), columns-2) {
		corner := "  "
		if i == 0 {
			corner = t.Sign("└ ", "+ ")
		}
		rows = append(rows, t.Paint(render.Bold, corner+strings.TrimRight(row, " ")))
	}
	return rows
}

// choices is the line of answers.
func (s *sheet) choices() string {
	list := []string{"[y]es once"}
	if s.scope('s') != "" {
		list = append(list, "[s]ame arguments")
	}
	if s.editable() {
		list = append(list, "[e]dit")
	}
	list = append(list, "[n]o (default)", "[t]ell the model why")
	if !s.seen {
		list = append(list, "[v]iew")
	}
	return strings.Join(list, "  ")
}

const (
	// maxMembers and maxValue are how much of the arguments is shown at first, in
	// rows and in columns.
	maxMembers = 12
	maxValue   = 60
)

// look finds out whether the question shows all of the arguments.
func (s *sheet) look() { _, s.seen = s.members(maxValue + 8) }

// members is the arguments, a row each, and whether that is all of them.
func (s *sheet) members(columns int) (rows []string, all bool) {
	var values map[string]json.RawMessage
	if json.Unmarshal(s.arguments(), &values) != nil {
		return []string{"arguments  [v]iew"}, false
	}
	all = true
	names := slices.Sorted(maps.Keys(values))
	for i, name := range names {
		if i == maxMembers {
			return append(rows, fmt.Sprintf("and %d more  [v]iew", len(names)-i)), false
		}
		label := fmt.Sprintf("%-5s ", termtext.Escape(name))
		value, whole := valueLine(values[name], min(maxValue, columns-render.Width(label)-8))
		if render.Width(label) > columns/2 {
			label, whole = render.Fit(label, columns/2, "~")+" ", false
		}
		if !whole {
			value += "  [v]iew"
			all = false
		}
		rows = append(rows, label+value)
	}
	return rows, all
}

// valueLine is a value on one line, and whether that is all of it.
func valueLine(raw json.RawMessage, columns int) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = compact(raw)
	} else if n := strings.Count(strings.TrimRight(text, "\n"), "\n"); n > 0 {
		return fmt.Sprintf("%d lines, %d bytes", n+1, len(text)), false
	}
	shown := termtext.Escape(text)
	if render.Width(shown) > columns {
		return render.Fit(shown, max(columns-14, 8), "...") + fmt.Sprintf(" (%d bytes)", len(text)), false
	}
	return shown, true
}

// whole is all of the arguments.
func (s *sheet) whole(columns int) []string {
	bar := s.theme.Sign("│ ", "| ")
	rows := []string{bar + "all arguments of " + termtext.Escape(s.r.Tool) + ":"}
	for line := range strings.SplitSeq(termtext.EscapeLines(indented(s.arguments())), "\n") {
		for _, row := range render.Wrap(line, columns-2) {
			rows = append(rows, bar+row)
		}
	}
	return rows
}

// changes are the members that an edit changed.
func (s *sheet) changes() []string {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(s.r.Arguments, &before) != nil || json.Unmarshal(s.edited, &after) != nil {
		return nil
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := before[name]
		is, has := after[name]
		if had && has && compact(was) == compact(is) {
			continue
		}
		if had {
			out = append(out, "- "+termtext.Escape(name+": "+compact(was)))
		}
		if has {
			out = append(out, "+ "+termtext.Escape(name+": "+compact(is)))
		}
	}
	return out
}

// maxEdited bounds the file that an editor leaves, in bytes.
const maxEdited = 1 << 20

// edit lets the arguments be changed in the person's editor. They must match the
// tool's schema afterwards.
func (u *ui) edit(s *sheet) error {
	before := indented(s.arguments()) + "\n"
	after, err := u.editText("arguments.json", before)
	if err != nil || strings.TrimSpace(after) == strings.TrimSpace(before) {
		return err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(after), &object); err != nil || object == nil {
		return fmt.Errorf("it is no JSON object: %w", err)
	}
	form, err := schema.CompileObject(s.r.Schema)
	if err != nil {
		return err
	}
	if err := form.Validate(json.RawMessage(after)); err != nil {
		return fmt.Errorf("it does not match the tool's schema: %w", err)
	}
	s.edited = json.RawMessage(compact(json.RawMessage(after)))
	if s.edited != nil && compact(s.r.Arguments) == string(s.edited) {
		s.edited = nil
	}
	s.look()
	return nil
}

// editText runs the person's editor on a text, in a file that only this user can
// read, and returns the edited text.
func (u *ui) editText(name, text string) (string, error) {
	command := strings.Fields(os.Getenv("VISUAL"))
	if len(command) == 0 {
		command = strings.Fields(os.Getenv("EDITOR"))
	}
	if len(command) == 0 {
		return "", errors.New("set EDITOR to the editor to use")
	}
	dir, err := os.MkdirTemp("", "clichat-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's place for such files
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	u.screen.Tail()
	err = u.term.Outside(func() error {
		cmd := exec.Command(command[0], append(command[1:], file)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := descriptors.Keep(); err != nil {
			return err
		}
		return cmd.Run()
	})
	if err != nil {
		return "", fmt.Errorf("the editor %s: %w", command[0], err)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	after, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	if err == nil && len(after) > maxEdited {
		err = fmt.Errorf("it is longer than %d bytes", maxEdited)
	}
	return string(after), err
}
