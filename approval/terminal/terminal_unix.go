//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"github.com/localpass/localpass/internal/descriptors"
)

// tty is a terminal that is opened twice: reads of in wait briefly for keys, and writes
// to out never block, because otherwise a terminal whose output is not read would block
// the program.
type tty struct {
	in, out int
	own     bool // it is the controlling terminal of this process
	before  unix.Termios
	changed bool
	quick   int // the number of consecutive reads that returned immediately without input
}

func openConsole(device string) (console, error) {
	t := &tty{own: device == ""}
	device = cmp.Or(device, "/dev/tty")
	var err error
	if t.in, err = openTTY(device, unix.O_RDWR); err != nil {
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	if t.out, err = openTTY(device, unix.O_WRONLY|unix.O_NONBLOCK); err != nil {
		_ = unix.Close(t.in)
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	if err := t.ours(); err != nil {
		t.close()
		return nil, fmt.Errorf("%s: %w", device, err)
	}
	return t, nil
}

func openTTY(device string, mode int) (int, error) {
	for {
		fd, err := unix.Open(device, mode|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

var errBackground = errors.New("this program runs in its background")

// ours returns an error if the terminal is gone or this process may not use it, because
// the system stops a background process that reads from the terminal.
func (t *tty) ours() error {
	if _, err := unix.IoctlGetTermios(t.in, getTermios); err != nil {
		return err
	}
	if !t.own {
		return nil
	}
	group, err := unix.IoctlGetInt(t.in, unix.TIOCGPGRP)
	if err != nil {
		return err
	}
	if group != unix.Getpgrp() {
		return errBackground
	}
	return nil
}

func (t *tty) read(p []byte) (int, error) {
	if t.ours() != nil {
		return 0, io.EOF
	}
	begin := time.Now()
	n, err := unix.Read(t.in, p)
	switch {
	case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		return 0, nil
	case err != nil:
		return 0, io.EOF
	case n > 0:
		t.quick = 0
		return n, nil
	case time.Since(begin) < readWait/2:
		// A terminal that is gone always behaves like this, an existing one rarely.
		if t.quick++; t.quick > 20 {
			return 0, io.EOF
		}
	default:
		t.quick = 0
	}
	return 0, nil
}

// readWait is how long read waits: the time unit of a terminal.
const readWait = 100 * time.Millisecond

func (t *tty) write(ctx context.Context, p []byte) error {
	if t.ours() != nil {
		return io.EOF
	}
	for len(p) > 0 {
		n, err := unix.Write(t.out, p)
		p = p[max(n, 0):]
		switch {
		case err == nil, errors.Is(err, unix.EINTR):
			continue
		case !errors.Is(err, unix.EAGAIN):
			return io.EOF
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

func (t *tty) raw() error {
	before, err := unix.IoctlGetTermios(t.in, getTermios)
	if err != nil {
		return err
	}
	if !t.changed {
		t.before, t.changed = *before, true
	}
	set := t.before
	set.Lflag &^= unix.ICANON | unix.ECHO | unix.ECHONL | unix.ISIG | unix.IEXTEN
	set.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.ISTRIP | unix.IXON | unix.BRKINT
	set.Cc[unix.VMIN], set.Cc[unix.VTIME] = 0, 1
	return unix.IoctlSetTermios(t.in, setTermios, &set)
}

func (t *tty) cooked() error {
	if !t.changed || t.ours() != nil {
		return nil // do not change a terminal that another program controls
	}
	return unix.IoctlSetTermios(t.in, setTermios, &t.before)
}

func (t *tty) discard() error {
	if t.ours() != nil {
		return io.EOF
	}
	return flushInput(t.in)
}

func (t *tty) width() int {
	size, err := unix.IoctlGetWinsize(t.in, unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return 80
	}
	return int(size.Col)
}

func (t *tty) run(ctx context.Context, command []string) error {
	in, err := t.dup("in", t.in)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := t.cooked(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, in, in
	cmd.WaitDelay = 2 * time.Second
	if err = descriptors.Keep(); err == nil {
		err = cmd.Run()
	}
	return errors.Join(err, t.raw())
}

func (t *tty) dup(name string, fd int) (*os.File, error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(other), name), nil
}

func (t *tty) close() {
	_ = unix.Close(t.in) // nothing is buffered
	_ = unix.Close(t.out)
}
