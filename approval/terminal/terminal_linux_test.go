package terminal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/approval/terminal"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestTerminalAnswers(t *testing.T) {
	t.Parallel()
	l5 := approvaltest.Request("r1", toolspec.L5)
	l5.Confirm, l5.Scopes = "writeNote", []approval.Scope{approval.ScopeOnce}
	for name, tc := range map[string]struct {
		request approval.Request
		keys    []string
		want    approval.Decision
	}{
		"yes":               {approvaltest.Request("r1", toolspec.L3), []string{"y\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"upper case":        {approvaltest.Request("r1", toolspec.L3), []string{"YES\r\n"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"no":                {approvaltest.Request("r1", toolspec.L3), []string{"n\r"}, approval.Decision{Outcome: approval.Declined}},
		"nothing":           {approvaltest.Request("r1", toolspec.L0), []string{"\r"}, approval.Decision{Outcome: approval.Declined}},
		"conversation":      {approvaltest.Request("r1", toolspec.L3), []string{"a\n"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeConversation}},
		"same arguments":    {approvaltest.Request("r1", toolspec.L3), []string{"s\n"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeArguments}},
		"reason":            {approvaltest.Request("r1", toolspec.L3), []string{"t not this file\r"}, approval.Decision{Outcome: approval.Declined, Reason: "not this file"}},
		"no with a reason":  {approvaltest.Request("r1", toolspec.L3), []string{"no it is late\r"}, approval.Decision{Outcome: approval.Declined, Reason: "it is late"}},
		"nonsense, then no": {approvaltest.Request("r1", toolspec.L3), []string{"sure\r", "y please\r", "n\r"}, approval.Decision{Outcome: approval.Declined}},
		"corrected":         {approvaltest.Request("r1", toolspec.L3), []string{"yx\x7f\x1b[D\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"killed line":       {approvaltest.Request("r1", toolspec.L3), []string{"n\x15y\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"pasted":            {approvaltest.Request("r1", toolspec.L3), []string{"y\ry\r", "n\r"}, approval.Decision{Outcome: approval.Declined}},
		"L4 in full":        {approvaltest.Request("r1", toolspec.L4), []string{"yes\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"scope not offered": {l5, []string{"a\r", "s\r", "n\r"}, approval.Decision{Outcome: approval.Declined}},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newScreen(t).watch()
			result := s.ask(t.Context(), terminal.Options{}, tc.request)
			for _, keys := range tc.keys {
				s.answer(keys)
			}
			got := <-result
			require.NoError(t, got.err)
			tc.want.Request, tc.want.Via, tc.want.By = "r1", "terminal", toolspec.Principal{Subject: "local", Via: "terminal"}
			assert.Equal(t, []approval.Decision{tc.want}, got.decisions)
		})
	}
}

// From L4 on, one letter is not enough; at L5 the name must be typed.
func TestTerminalConfirms(t *testing.T) {
	t.Parallel()
	l5 := approvaltest.Request("r1", toolspec.L5)
	l5.Confirm = "writeNote"
	unknown := approvaltest.Request("r1", toolspec.LevelUnknown)
	for name, tc := range map[string]struct {
		request     approval.Request
		first, then string
		want        approval.Outcome
	}{
		"L4, yes":              {approvaltest.Request("r1", toolspec.L4), "y\r", "yes\r", approval.Approved},
		"L4, y":                {approvaltest.Request("r1", toolspec.L4), "y\r", "y\r", ""},
		"L4, conversation":     {approvaltest.Request("r1", toolspec.L4), "a\r", "yes\r", approval.Approved},
		"unknown level":        {unknown, "y\r", "y\r", ""},
		"L5, the name":         {l5, "y\r", "writeNote\r", approval.Approved},
		"L5, yes":              {l5, "yes\r", "yes\r", ""},
		"L5, another case":     {l5, "y\r", "writenote\r", ""},
		"L5, nothing":          {l5, "y\r", "\r", ""},
		"L5, pasted with more": {l5, "y\r", "writeNote\r\nwriteNote\r", ""},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newScreen(t).watch()
			result := s.ask(t.Context(), terminal.Options{}, tc.request)
			s.answer(tc.first)
			s.expect("It may write one file.")
			s.expect(": ")
			s.typed(tc.then)
			if tc.want == "" {
				s.expect("Not approved")
				s.answer("n\r")
				tc.want = approval.Declined
			}
			got := <-result
			require.NoError(t, got.err)
			require.Len(t, got.decisions, 1)
			assert.Equal(t, tc.want, got.decisions[0].Outcome)
			if tc.want == approval.Approved {
				assert.Equal(t, tc.request.Confirm, got.decisions[0].Confirm)
			}
		})
	}
}

// Input before the question accepts answers is discarded.
func TestTerminalDiscardsTypeAhead(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t)
	s.typed("y\ry\nyes\n")
	s.watch()
	result := s.ask(t.Context(), terminal.Options{Arm: 2 * time.Second}, approvaltest.Request("r1", toolspec.L3), approvaltest.Request("r2", toolspec.L3))
	for range 2 {
		s.expect("Approval needed")
		s.typed("y\r")
		s.expect("why ")
		s.typed("y\r")
		s.answer("n\r")
	}
	got := <-result
	require.NoError(t, got.err)
	require.Len(t, got.decisions, 2)
	for _, d := range got.decisions {
		assert.Equal(t, approval.Declined, d.Outcome)
	}
}

func TestTerminalBatch(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t).watch()
	result := s.ask(t.Context(), terminal.Options{Principal: toolspec.Principal{Subject: "ada"}},
		approvaltest.Request("low", toolspec.L1), approvaltest.Request("high", toolspec.L4), approvaltest.Request("mid", toolspec.L3), approvaltest.Request("mid2", toolspec.L3))
	s.expect("(1/4) - L4 High")
	s.answer("yes\r")
	s.expect("(2/4) - L3 Moderate")
	s.answer("y\r")
	s.expect("(3/4) - L3 Moderate")
	s.answer("\x03") // declines the rest too
	got := <-result
	require.NoError(t, got.err)
	by := toolspec.Principal{Subject: "ada"}
	assert.Equal(t, []approval.Decision{
		{Request: "high", Outcome: approval.Approved, Scope: approval.ScopeOnce, By: by, Via: "terminal"},
		{Request: "mid", Outcome: approval.Approved, Scope: approval.ScopeOnce, By: by, Via: "terminal"},
		{Request: "mid2", Outcome: approval.Cancelled, By: by, Via: "terminal"},
		{Request: "low", Outcome: approval.Cancelled, By: by, Via: "terminal"},
	}, got.decisions)
}

// No text of a tool, a model or a client can look like a part of the question or
// overwrite it.
func TestTerminalEscapesText(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t).watch()
	r := approvaltest.Request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"a` + "\u202e\u2066\u200b\U000e0041" + `b","text":"\u001b[2J` + strings.Repeat(" ", 200) + `(no)> y","key":"s3cr3t-value"}`)
	r.Prompt = "Fine?\r\n= approved\n\x1b[1A\x9b2K[y]es once (no)> y\x00\xff"
	r.Server, r.Alias, r.Conversation = "files\n= approved", "a\tb", "c\x07"
	r.Findings = []approval.Finding{{Rule: "hidden", Severity: "high", Detail: "text \u202e hidden"}}
	r.Deadline = time.Unix(1118, 0)
	result := s.ask(t.Context(), terminal.Options{Redactor: secret.NewRedactor("s3cr3t-value"), Clock: func() time.Time { return time.Unix(1000, 0) }}, r)
	s.expect("[y]es once  [s]ame")
	s.answer("n\r")
	require.NoError(t, (<-result).err)
	out := s.all()
	for _, want := range []string{`a\u202e\u2066\u200b\udb40\udc41b`, `\u001b[2J`, `\u001b[1A\x9b2K`, `\u0000\xff`, `files\n= approved`, `a\tb`, `c\u0007`, "***", "expires in 1:58", "! high: hidden: text \\u202e hidden"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "s3cr3t")
	for _, bad := range []string{"\x1b", "\x9b", "\u202e", "\u2066", "\x00", "\a"} {
		assert.NotContains(t, out, bad)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(out, "\r", ""), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "| "), strings.HasPrefix(line, "+ Approval needed"), line == "= declined",
			strings.HasPrefix(line, "[y]es once  [s]ame arguments"):
		default:
			t.Errorf("a line out of the frame: %q", line)
		}
		assert.LessOrEqual(t, len(strings.TrimPrefix(line, "| ")), 120)
	}
}

// Arguments that were not shown completely cannot be approved.
func TestTerminalLongArguments(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t).watch()
	r := approvaltest.Request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"` + strings.Repeat("x", 9000) + `the-end"}`)
	result := s.ask(t.Context(), terminal.Options{}, r)
	s.answer("y\r")
	s.expect("Not all of the arguments have been shown")
	assert.NotContains(t, s.all(), "the-end")
	s.answer("v\r")
	s.expect("the-end")
	s.answer("y\r")
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, approval.Approved, got.decisions[0].Outcome)
}

func TestTerminalEditsALine(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t).watch()
	result := s.ask(t.Context(), terminal.Options{}, approvaltest.Request("r1", toolspec.L3))
	for edit, note := range map[string]string{
		`{"path":7}`: "Not changed:", `[1]`: "not a JSON", `{"path":"a"`: "Not changed:", ``: "Not changed.",
		`{"path":"a","path":"b"}`: "Not changed:", `{"text":"Seoul", "path":"notes/todo.md"}`: "as they were asked about",
	} {
		s.answer("e\r")
		s.expect("one line of JSON")
		s.expect(": ")
		s.typed(edit + "\r")
		s.expect(note)
	}
	s.answer("e\r")
	s.expect("one line of JSON")
	s.expect(": ")
	s.typed(`{"text": "Busan","path":"notes/todo.md"}` + "\r")
	s.expect("text  Busan")
	s.expect("you changed:")
	s.expect(`- text: "Seoul"`)
	s.expect(`+ text: "Busan"`)
	s.answer("a\r") // edited arguments have no wider scope
	s.expect("That is no answer")
	s.answer("y\r")
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, approval.Approved, got.decisions[0].Outcome)
	assert.Equal(t, `{"path":"notes/todo.md","text":"Busan"}`, string(got.decisions[0].Arguments))
}

func TestTerminalEditsInAnEditor(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	dir := t.TempDir()
	seen, script := filepath.Join(dir, "seen"), filepath.Join(dir, "editor")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ncat \"$2\" >"+seen+"\nstat -c %a \"$2\" >>"+seen+
		"\nif read line && [ \"$line\" = go ]; then printf '{\"path\":\"other.md\"}' >\"$2\"; else exit 3; fi\n"), 0o700))
	s := newScreen(t).watch()
	before, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	require.NoError(t, err)
	result := s.ask(t.Context(), terminal.Options{Editor: script + " -x"}, approvaltest.Request("r1", toolspec.L3))
	edit := func(line string) {
		s.answer("e\r")
		require.Eventually(t, func() bool { // the editor has the terminal in its original mode
			now, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
			return err == nil && *now == *before
		}, time.Minute, 5*time.Millisecond)
		s.typed(line)
	}
	edit("stop\n")
	s.expect("Not changed: the editor")
	edit("go\n")
	s.expect(`+ path: "other.md"`)
	s.answer("y\r")
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, `{"path":"other.md"}`, string(got.decisions[0].Arguments))
	text, err := os.ReadFile(seen)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"path": "notes/todo.md"`)
	assert.Contains(t, string(text), "600\n")
	after, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

// A mask cannot become an argument.
func TestTerminalKeepsMasksOut(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	s := newScreen(t).watch()
	r := approvaltest.Request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"a","text":"s3cr3t-value"}`)
	result := s.ask(t.Context(), terminal.Options{Redactor: secret.NewRedactor("s3cr3t-value")}, r)
	s.answer("e\r")
	s.expect("one line of JSON")
	s.typed(`{"path":"b","text":"***"}` + "\r")
	s.expect("in place of a secret")
	s.answer("\x04")
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, approval.Cancelled, got.decisions[0].Outcome)
}
