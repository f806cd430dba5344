package terminal_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/terminal"
)

// screen is the user's end of a terminal.
type screen struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	device string

	mu   sync.Mutex
	text strings.Builder
	read chan struct{} // receives a value after each read
	at   int           // end of the last expected text
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

// watch starts to read the output.
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

// expect waits for a text after the last expected text.
func (s *screen) expect(text string) {
	s.t.Helper()
	end := time.After(time.Minute)
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

// answer waits until the question accepts input and types a text.
func (s *screen) answer(text string) {
	s.t.Helper()
	s.expect("(no)> ")
	s.typed(text)
}

type asked struct {
	decisions []approval.Decision
	err       error
}

// ask asks in a goroutine.
func (s *screen) ask(ctx context.Context, opts terminal.Options, requests ...approval.Request) <-chan asked {
	opts.Device = s.device
	if opts.Arm == 0 {
		opts.Arm = time.Millisecond
	}
	out := make(chan asked, 1)
	go func() {
		d, err := terminal.New(&opts).Ask(ctx, requests)
		out <- asked{d, err}
	}()
	return out
}
