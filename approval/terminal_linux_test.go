package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// screen is the other end of a terminal: what a person sees and types.
type screen struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	device string

	mu   sync.Mutex
	text strings.Builder
	read chan struct{} // something came
	at   int           // what was expected so far
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	s := &screen{t: t, master: os.NewFile(uintptr(fd), "ptmx"), device: fmt.Sprintf("/dev/pts/%d", n), read: make(chan struct{}, 1)}
	s.slave, err = os.OpenFile(s.device, os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = s.master.Close()
		_ = s.slave.Close()
	})
	return s
}

// watch begins to take what is written.
func (s *screen) watch() *screen {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var p [4096]byte
		for {
			n, err := s.master.Read(p[:])
			s.mu.Lock()
			s.text.Write(p[:n])
			s.mu.Unlock()
			select {
			case s.read <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	s.t.Cleanup(func() {
		_ = s.master.Close()
		<-done
	})
	return s
}

func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// expect waits until the text appears behind what was expected before.
func (s *screen) expect(text string) {
	s.t.Helper()
	end := time.After(20 * time.Second)
	for {
		all := s.all()
		if i := strings.Index(all[s.at:], text); i >= 0 {
			s.at += i + len(text)
			return
		}
		select {
		case <-s.read:
		case <-end:
			s.t.Fatalf("%q does not appear in %q", text, all[s.at:])
		}
	}
}

func (s *screen) typed(text string) {
	s.t.Helper()
	_, err := io.WriteString(s.master, text)
	require.NoError(s.t, err)
}

// answer waits for the question to take answers and gives one.
func (s *screen) answer(text string) {
	s.t.Helper()
	s.expect("(no)> ")
	s.typed(text)
}

type asked struct {
	decisions []approval.Decision
	err       error
}

// ask asks in the background.
func (s *screen) ask(ctx context.Context, opts approval.TerminalOptions, requests ...approval.Request) <-chan asked {
	opts.Device = s.device
	if opts.Arm == 0 {
		opts.Arm = time.Millisecond
	}
	out := make(chan asked, 1)
	go func() {
		d, err := approval.Terminal(&opts).Ask(ctx, requests)
		out <- asked{d, err}
	}()
	return out
}

func request(id string, level toolspec.Level) approval.Request {
	return approval.Request{ID: id, Tool: "writeNote", Level: level, Fingerprint: "f1", Digest: "d", Arguments: json.RawMessage(`{"path":"notes/todo.md","text":"Seoul"}`),
		Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"}},"required":["path"]}`),
		Prompt: "May writeNote run?", Why: []string{"the tool requires approval"}, Changes: []string{"write one file"},
		Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeConversation, approval.ScopeArguments}, Needed: 1,
		Principal: toolspec.Principal{Subject: "ada", Via: "http"}, Conversation: "c1", Side: approval.SideServer}
}

func TestTerminalAnswers(t *testing.T) {
	l5 := request("r1", toolspec.L5)
	l5.Confirm, l5.Scopes = "writeNote", []approval.Scope{approval.ScopeOnce}
	for name, tc := range map[string]struct {
		request approval.Request
		keys    []string
		want    approval.Decision
	}{
		"yes":               {request("r1", toolspec.L3), []string{"y\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"upper case":        {request("r1", toolspec.L3), []string{"YES\r\n"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"no":                {request("r1", toolspec.L3), []string{"n\r"}, approval.Decision{Outcome: approval.Declined}},
		"nothing":           {request("r1", toolspec.L0), []string{"\r"}, approval.Decision{Outcome: approval.Declined}},
		"conversation":      {request("r1", toolspec.L3), []string{"a\n"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeConversation}},
		"same arguments":    {request("r1", toolspec.L3), []string{"s\n"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeArguments}},
		"reason":            {request("r1", toolspec.L3), []string{"r not this file\r"}, approval.Decision{Outcome: approval.Declined, Reason: "not this file"}},
		"no with a reason":  {request("r1", toolspec.L3), []string{"no it is late\r"}, approval.Decision{Outcome: approval.Declined, Reason: "it is late"}},
		"nonsense, then no": {request("r1", toolspec.L3), []string{"sure\r", "y please\r", "n\r"}, approval.Decision{Outcome: approval.Declined}},
		"corrected":         {request("r1", toolspec.L3), []string{"yx\x7f\x1b[D\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"killed line":       {request("r1", toolspec.L3), []string{"n\x15y\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"pasted":            {request("r1", toolspec.L3), []string{"y\ry\r", "n\r"}, approval.Decision{Outcome: approval.Declined}},
		"L4 in full":        {request("r1", toolspec.L4), []string{"yes\r"}, approval.Decision{Outcome: approval.Approved, Scope: approval.ScopeOnce}},
		"scope not offered": {l5, []string{"a\r", "s\r", "n\r"}, approval.Decision{Outcome: approval.Declined}},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newScreen(t).watch()
			result := s.ask(t.Context(), approval.TerminalOptions{}, tc.request)
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

// From L4 on one letter is not enough, and at L5 only the name will do.
func TestTerminalConfirms(t *testing.T) {
	l5 := request("r1", toolspec.L5)
	l5.Confirm = "writeNote"
	unknown := request("r1", toolspec.LevelUnknown)
	for name, tc := range map[string]struct {
		request     approval.Request
		first, then string
		want        approval.Outcome
	}{
		"L4, yes":              {request("r1", toolspec.L4), "y\r", "yes\r", approval.Approved},
		"L4, y":                {request("r1", toolspec.L4), "y\r", "y\r", ""},
		"L4, conversation":     {request("r1", toolspec.L4), "a\r", "yes\r", approval.Approved},
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
			result := s.ask(t.Context(), approval.TerminalOptions{}, tc.request)
			s.answer(tc.first)
			s.expect("This will write one file")
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

// What was typed before the question stood there, and while it took no answers
// yet, approves nothing.
func TestTerminalDiscardsTypeAhead(t *testing.T) {
	leak.Check(t)
	s := newScreen(t)
	s.typed("y\ry\nyes\n")
	s.watch()
	result := s.ask(t.Context(), approval.TerminalOptions{Arm: 400 * time.Millisecond}, request("r1", toolspec.L3), request("r2", toolspec.L3))
	for range 2 {
		s.expect("Approval needed")
		s.typed("y\r")
		s.expect("arguments that will run")
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
	leak.Check(t)
	s := newScreen(t).watch()
	result := s.ask(t.Context(), approval.TerminalOptions{Principal: toolspec.Principal{Subject: "ada"}},
		request("low", toolspec.L1), request("high", toolspec.L4), request("mid", toolspec.L3), request("mid2", toolspec.L3))
	s.expect("(1/4): risk L4 High")
	s.answer("yes\r")
	s.expect("(2/4): risk L3 Moderate")
	s.answer("y\r")
	s.expect("(3/4): risk L3 Moderate")
	s.answer("\x03") // and the rest with it
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

// Nothing that a tool, a model or a client wrote can look like a part of the
// question, or repaint it.
func TestTerminalShowsWhatIsThere(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	r := request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"a` + "\u202e\u2066\u200b\U000e0041" + `b","text":"\u001b[2J` + strings.Repeat(" ", 200) + `(no)> y","key":"s3cr3t-value"}`)
	r.Prompt = "Fine?\r\n= approved\n\x1b[1A\x9b2K[y]es once (no)> y\x00\xff"
	r.Server, r.Alias, r.Conversation = "files\n= approved", "a\tb", "c\x07"
	r.Findings = []approval.Finding{{Rule: "hidden", Severity: "high", Detail: "text \u202e hidden"}}
	r.Deadline = time.Unix(1118, 0)
	result := s.ask(t.Context(), approval.TerminalOptions{Redact: secret.NewRedactor("s3cr3t-value"), Now: func() time.Time { return time.Unix(1000, 0) }}, r)
	s.expect("[y]es once  [s]ame")
	s.answer("n\r")
	require.NoError(t, (<-result).err)
	out := s.all()
	for _, want := range []string{`a\u202e\u2066\u200b\udb40\udc41b`, `\u001b[2J`, `\u001b[1A\x9b2K`, `\u0000\xff`, `files\n= approved`, `a\tb`, `c\u0007`, "***", "expires  in 1:58", "warning  high: hidden: text \\u202e hidden"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "s3cr3t")
	for _, bad := range []string{"\x1b", "\x9b", "\u202e", "\u2066", "\x00", "\a"} {
		assert.NotContains(t, out, bad)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(out, "\r", ""), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "| "), strings.HasPrefix(line, "Approval needed"), line == "= declined",
			strings.HasPrefix(line, "[y]es once  [s]ame arguments"):
		default:
			t.Errorf("a line out of the frame: %q", line)
		}
		assert.LessOrEqual(t, len(strings.TrimPrefix(line, "| ")), 120)
	}
}

// What was not shown cannot be approved.
func TestTerminalLongArguments(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	r := request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"` + strings.Repeat("x", 9000) + `the-end"}`)
	result := s.ask(t.Context(), approval.TerminalOptions{}, r)
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
	leak.Check(t)
	s := newScreen(t).watch()
	result := s.ask(t.Context(), approval.TerminalOptions{}, request("r1", toolspec.L3))
	for edit, note := range map[string]string{
		`{"path":7}`: "Not changed:", `[1]`: "must be a JSON object", `{"path":"a"`: "Not changed:", ``: "Not changed.",
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
	s.expect("you changed:")
	s.expect(`- text: "Seoul"`)
	s.expect(`+ text: "Busan"`)
	s.expect("arguments that will run:")
	s.expect(`"text": "Busan"`)
	s.answer("a\r") // a wider yes is not for edited arguments
	s.expect("That is no answer")
	s.answer("y\r")
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, approval.Approved, got.decisions[0].Outcome)
	assert.Equal(t, `{"path":"notes/todo.md","text":"Busan"}`, string(got.decisions[0].Arguments))
}

func TestTerminalEditsInAnEditor(t *testing.T) {
	leak.Check(t)
	dir := t.TempDir()
	seen, script := filepath.Join(dir, "seen"), filepath.Join(dir, "editor")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ncat \"$2\" >"+seen+"\nstat -c %a \"$2\" >>"+seen+
		"\nif read line && [ \"$line\" = go ]; then printf '{\"path\":\"other.md\"}' >\"$2\"; else exit 3; fi\n"), 0o700))
	s := newScreen(t).watch()
	before, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
	require.NoError(t, err)
	result := s.ask(t.Context(), approval.TerminalOptions{Editor: script + " -x"}, request("r1", toolspec.L3))
	edit := func(line string) {
		s.answer("e\r")
		require.Eventually(t, func() bool { // the editor has the terminal as it was
			now, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
			return err == nil && *now == *before
		}, 10*time.Second, 5*time.Millisecond)
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

// A mask must not run in place of what it hides.
func TestTerminalKeepsMasksOut(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	r := request("r1", toolspec.L3)
	r.Arguments = json.RawMessage(`{"path":"a","text":"s3cr3t-value"}`)
	result := s.ask(t.Context(), approval.TerminalOptions{Redact: secret.NewRedactor("s3cr3t-value")}, r)
	s.answer("e\r")
	s.expect("one line of JSON")
	s.typed(`{"path":"b","text":"***"}` + "\r")
	s.expect("hold the mask ***")
	s.answer("\x04")
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, approval.Cancelled, got.decisions[0].Outcome)
}

func TestTerminalEndsWithItsContext(t *testing.T) {
	for name, at := range map[string]func(*screen){
		"while armed":   func(s *screen) { s.expect("Approval needed") },
		"at the prompt": func(s *screen) { s.expect("(no)> ") },
		"half a line":   func(s *screen) { s.answer("y") },
		"at the name":   func(s *screen) { s.answer("y\r"); s.expect("To approve, type") },
		"at the edit":   func(s *screen) { s.answer("e\r"); s.expect("one line of JSON") },
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newScreen(t).watch()
			before, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			result := s.ask(ctx, approval.TerminalOptions{}, request("r1", toolspec.L4), request("r2", toolspec.L4))
			at(s)
			cancel()
			got := <-result
			require.ErrorIs(t, got.err, context.Canceled)
			assert.Empty(t, got.decisions)
			s.expect("closed: answered elsewhere")
			after, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
			require.NoError(t, err)
			assert.Equal(t, before, after)
		})
	}
	t.Run("deadline", func(t *testing.T) {
		s := newScreen(t).watch()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		got := <-s.ask(ctx, approval.TerminalOptions{}, request("r1", toolspec.L3))
		require.ErrorIs(t, got.err, context.DeadlineExceeded)
		s.expect("the time is up")
	})
	t.Run("nobody reads the terminal", func(t *testing.T) {
		leak.Check(t)
		s := newScreen(t)
		r := request("r1", toolspec.L3)
		r.Why = []string{strings.Repeat("because ", 20_000)}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		got := <-s.ask(ctx, approval.TerminalOptions{}, r)
		require.ErrorIs(t, got.err, context.DeadlineExceeded)
	})
	t.Run("in the editor", func(t *testing.T) {
		leak.Check(t)
		s := newScreen(t).watch()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		result := s.ask(ctx, approval.TerminalOptions{Editor: "sleep 60"}, request("r1", toolspec.L3))
		s.answer("e\r")
		cancel()
		require.ErrorIs(t, (<-result).err, context.Canceled)
	})
	t.Run("while another question stands", func(t *testing.T) {
		s := newScreen(t).watch()
		term := approval.Terminal(&approval.TerminalOptions{Device: s.device, Arm: time.Millisecond})
		result := make(chan asked, 1)
		go func() {
			d, err := term.Ask(t.Context(), []approval.Request{request("r1", toolspec.L3)})
			result <- asked{d, err}
		}()
		s.expect("(no)> ")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := term.Ask(ctx, []approval.Request{request("r2", toolspec.L3)})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		s.typed("y\r")
		require.NoError(t, (<-result).err)
	})
}

func TestTerminalThatGoesAway(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	result := s.ask(t.Context(), approval.TerminalOptions{}, request("r1", toolspec.L3))
	s.answer("y") // and no Enter
	require.NoError(t, s.master.Close())
	got := <-result
	require.ErrorIs(t, got.err, approval.ErrUnavailable)
	assert.Empty(t, got.decisions)
}

func TestTerminalUnavailable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("y\n"), 0o600))
	for _, device := range []string{file, os.DevNull, filepath.Join(t.TempDir(), "none")} {
		_, err := approval.Terminal(&approval.TerminalOptions{Device: device}).Ask(t.Context(), []approval.Request{request("r1", toolspec.L3)})
		require.ErrorIs(t, err, approval.ErrUnavailable, device)
	}
	d, err := approval.Terminal(nil).Ask(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, d)
}

// TestTerminalHelper is the child process of the tests below: it asks at its
// controlling terminal and writes what came of it to its standard output.
func TestTerminalHelper(t *testing.T) {
	switch os.Getenv("LOCALPASS_TEST_TERMINAL") {
	case "wait": // hold the terminal until the pipe ends
		fmt.Println("waiting")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "background": // another group has the terminal
		other := exec.Command(os.Args[0], "-test.run=^TestTerminalHelper$") //nolint:gosec // this program
		other.Env = append(os.Environ(), "LOCALPASS_TEST_TERMINAL=wait")
		other.SysProcAttr = &syscall.SysProcAttr{Foreground: true, Ctty: 3}
		in, err := other.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, other.Start())
		ask()
		_ = in.Close()
		_ = other.Wait()
	case "ask":
		ask()
	}
}

func ask() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	d, err := approval.Terminal(&approval.TerminalOptions{Arm: time.Millisecond}).Ask(ctx, []approval.Request{request("r1", toolspec.L3)})
	rest, _ := io.ReadAll(os.Stdin)
	out, _ := json.Marshal(map[string]any{"decisions": d, "failed": err != nil, "unavailable": errors.Is(err, approval.ErrUnavailable), "error": fmt.Sprint(err), "stdin": string(rest)})
	fmt.Printf("result %s\n", out)
}

type helperResult struct {
	Decisions           []approval.Decision
	Failed, Unavailable bool
	Error, Stdin        string
}

// helper runs the child with a pipe as standard input that says yes, and the
// terminal, where it has one, as file 3.
func helper(t *testing.T, mode string, s *screen, during func()) helperResult {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTerminalHelper$") //nolint:gosec // this program
	cmd.Env = append(os.Environ(), "LOCALPASS_TEST_TERMINAL="+mode)
	cmd.Stdin = strings.NewReader("y\ny\n")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if s != nil {
		cmd.ExtraFiles = []*os.File{s.slave}
		cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, 3
	}
	require.NoError(t, cmd.Start())
	if during != nil {
		during()
	}
	require.NoError(t, cmd.Wait())
	var result helperResult
	for line := range strings.SplitSeq(out.String(), "\n") {
		if text, ok := strings.CutPrefix(line, "result "); ok {
			require.NoError(t, json.Unmarshal([]byte(text), &result))
			return result
		}
		assert.NotContains(t, line, "Approval needed")
	}
	t.Fatalf("no result in %q", out.String())
	return result
}

func TestTerminalIsTheControllingOne(t *testing.T) {
	s := newScreen(t).watch()
	got := helper(t, "ask", s, func() { s.answer("r the pipe is not asked\r") })
	assert.False(t, got.Failed, got.Error)
	require.Len(t, got.Decisions, 1)
	assert.Equal(t, approval.Declined, got.Decisions[0].Outcome)
	assert.Equal(t, "the pipe is not asked", got.Decisions[0].Reason)
	assert.Equal(t, "y\ny\n", got.Stdin, "standard input was read")
}

func TestTerminalWithoutOne(t *testing.T) {
	got := helper(t, "ask", nil, nil)
	assert.True(t, got.Unavailable, got.Error)
	assert.Empty(t, got.Decisions)
	assert.Equal(t, "y\ny\n", got.Stdin)
}

func TestTerminalInTheBackground(t *testing.T) {
	s := newScreen(t).watch()
	got := helper(t, "background", s, nil)
	assert.True(t, got.Unavailable, got.Error)
	assert.Contains(t, got.Error, "background")
	assert.NotContains(t, s.all(), "Approval needed")
}
