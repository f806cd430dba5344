package prompt

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Terminal is a terminal in raw mode, which delivers single keys.
type Terminal struct {
	out  io.Writer
	size func() (columns, rows int)

	input chan Input
	more  chan struct{}
	done  chan struct{}
	close sync.Once
	owed  bool // the reader waits for the next request
	dec   decoder
	ahead []Key

	tty     *os.File // nil in a test
	state   *term.State
	resized <-chan struct{}
	unwatch func()
}

// Input is raw input from the terminal: see [Terminal.Keys].
type Input struct {
	data []byte
	err  error
}

// Open puts the terminal of this process in raw mode: every key is delivered when it is
// pressed. Close restores the terminal. The error reports that there is no terminal.
func Open() (*Terminal, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil { // the terminal does not have this name on every system
		tty = os.Stdin
	}
	t := New(tty, os.Stdout, nil)
	t.tty = tty
	t.size = func() (int, int) {
		columns, rows, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil || columns <= 0 || rows <= 0 {
			return 80, 24
		}
		return columns, rows
	}
	if err := t.raw(); err != nil {
		t.Close()
		return nil, err
	}
	t.resized, t.unwatch = watchSize()
	return t, nil
}

// New returns a terminal for any reader and writer. size may be nil, for 80 columns and
// 24 rows.
func New(in io.Reader, out io.Writer, size func() (columns, rows int)) *Terminal {
	if size == nil {
		size = func() (int, int) { return 80, 24 }
	}
	t := &Terminal{out: out, size: size, input: make(chan Input), more: make(chan struct{}), done: make(chan struct{}), owed: true}
	go t.read(in)
	return t
}

// read passes one piece of input on for each request.
func (t *Terminal) read(in io.Reader) {
	buf := make([]byte, 4096)
	for {
		select {
		case <-t.more:
		case <-t.done:
			return
		}
		n, err := in.Read(buf)
		select {
		case t.input <- Input{append([]byte(nil), buf[:n]...), err}:
		case <-t.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// Input returns the channel of the input, for use in a select: pass each value to Keys.
func (t *Terminal) Input() <-chan Input {
	if t.owed {
		t.owed = false
		select {
		case t.more <- struct{}{}:
		case <-t.done:
		}
	}
	return t.input
}

// Keys returns the keys in an input.
func (t *Terminal) Keys(in Input) []Key {
	keys := t.dec.keys(in.data)
	if in.err != nil {
		return append(keys, Key{Code: Gone})
	}
	t.owed = true
	return keys
}

// Ahead queues keys, which were pressed before the next Read, for that Read.
func (t *Terminal) Ahead(keys ...Key) { t.ahead = append(t.ahead, keys...) }

// Discard drops keys that have not been read yet.
func (t *Terminal) Discard() {
	t.ahead = nil
	t.dec = decoder{}
}

// Size returns the size of the terminal.
func (t *Terminal) Size() (columns, rows int) { return t.size() }

// Resized returns a channel that signals changes of the size; nil if the system does not
// report them.
func (t *Terminal) Resized() <-chan struct{} { return t.resized }

// Write writes text to the terminal; a line feed begins a new line.
func (t *Terminal) Write(p []byte) (int, error) {
	if _, err := t.out.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pasteOn makes the terminal mark pasted text (bracketed paste).
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

func (t *Terminal) raw() (err error) {
	if t.tty == nil {
		return nil
	}
	return errors.Join(t.control(func(fd int) error {
		t.state, err = term.MakeRaw(fd)
		return err
	}), t.emit(pasteOn))
}

func (t *Terminal) cooked() error {
	if t.tty == nil || t.state == nil {
		return nil
	}
	state := t.state
	t.state = nil
	return errors.Join(t.emit(pasteOff+"\x1b[0m\x1b[?25h"), t.control(func(fd int) error { return term.Restore(fd, state) }))
}

func (t *Terminal) emit(s string) error {
	_, err := io.WriteString(t.out, s)
	return err
}

// control calls do with the file descriptor and leaves its mode unchanged: [os.File.Fd]
// would make all later reads block.
func (t *Terminal) control(do func(fd int) error) error {
	conn, err := t.tty.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}

// Outside restores the terminal and runs something else on it, such as an editor. Keys
// that were pressed meanwhile and not read are dropped.
func (t *Terminal) Outside(run func() error) error {
	if err := t.cooked(); err != nil {
		return err
	}
	err := run()
	t.Discard()
	return errors.Join(err, t.raw())
}

// Stop suspends the process, as Ctrl-Z does, and returns when it continues.
func (t *Terminal) Stop() error {
	if t.tty == nil {
		return nil
	}
	return t.Outside(suspend)
}

// Close restores the terminal. It may be called more than once.
func (t *Terminal) Close() error {
	err := t.cooked()
	t.close.Do(func() {
		close(t.done)
		if t.unwatch != nil {
			t.unwatch()
		}
		if t.tty != nil && t.tty != os.Stdin {
			err = errors.Join(err, t.tty.Close())
		}
	})
	return err
}
