package terminal_test

import (
	"context"
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
)

func TestTerminalEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(*screen){
		"while armed":   func(s *screen) { s.expect("Approval needed") },
		"at the prompt": func(s *screen) { s.expect("(no)> ") },
		"half a line":   func(s *screen) { s.answer("y") },
		"at the name":   func(s *screen) { s.answer("y\r"); s.expect("to approve, type") },
		"at the edit":   func(s *screen) { s.answer("e\r"); s.expect("one line of JSON") },
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newScreen(t).watch()
			before, err := unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			result := s.ask(ctx, terminal.Options{}, approvaltest.Request("r1", toolspec.L4), approvaltest.Request("r2", toolspec.L4))
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		got := <-s.ask(ctx, terminal.Options{}, approvaltest.Request("r1", toolspec.L3))
		require.ErrorIs(t, got.err, context.DeadlineExceeded)
		s.expect("the time is up")
	})
	t.Run("nobody reads the terminal", func(t *testing.T) {
		leak.Check(t)
		s := newScreen(t)
		r := approvaltest.Request("r1", toolspec.L3)
		r.Why = []string{strings.Repeat("because ", 20_000)}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		got := <-s.ask(ctx, terminal.Options{}, r)
		require.ErrorIs(t, got.err, context.DeadlineExceeded)
	})
	t.Run("in the editor", func(t *testing.T) {
		leak.Check(t)
		s := newScreen(t).watch()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		result := s.ask(ctx, terminal.Options{Editor: "sleep 60"}, approvaltest.Request("r1", toolspec.L3))
		s.answer("e\r")
		cancel()
		require.ErrorIs(t, (<-result).err, context.Canceled)
	})
	t.Run("while another question stands", func(t *testing.T) {
		s := newScreen(t).watch()
		term := terminal.New(&terminal.Options{Device: s.device, Arm: time.Millisecond})
		result := make(chan asked, 1)
		go func() {
			d, err := term.Ask(t.Context(), []approval.Request{approvaltest.Request("r1", toolspec.L3)})
			result <- asked{d, err}
		}()
		s.expect("(no)> ")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := term.Ask(ctx, []approval.Request{approvaltest.Request("r2", toolspec.L3)})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		s.typed("y\r")
		require.NoError(t, (<-result).err)
	})
}

func TestTerminalThatGoesAway(t *testing.T) {
	leak.Check(t)
	s := newScreen(t).watch()
	result := s.ask(t.Context(), terminal.Options{}, approvaltest.Request("r1", toolspec.L3))
	s.answer("y") // without Enter
	require.NoError(t, s.master.Close())
	got := <-result
	require.ErrorIs(t, got.err, approval.ErrUnavailable)
	assert.Empty(t, got.decisions)
}

func TestTerminalUnavailable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("y\n"), 0o600))
	for _, device := range []string{file, os.DevNull, filepath.Join(t.TempDir(), "none")} {
		_, err := terminal.New(&terminal.Options{Device: device}).Ask(t.Context(), []approval.Request{approvaltest.Request("r1", toolspec.L3)})
		require.ErrorIs(t, err, approval.ErrUnavailable, device)
	}
	d, err := terminal.New(nil).Ask(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, d)
}
