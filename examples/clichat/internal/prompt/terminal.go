package prompt

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Terminal is a terminal whose keys come one by one.
type Terminal struct {
	out  io.Writer
	size func() (columns, rows int)

	input chan Input
	more  chan struct{}
	done  chan struct{}
	close sync.Once
	owed  bool // the reader waits to be asked for more
	dec   decoder
	ahead []Key

	tty     *os.File // nil in a test
	state   *term.State
	resized <-chan struct{}
	unwatch func()
}

// Input is something that came from the terminal: see [Terminal.Keys].
type Input struct {
	data []byte
	err  error
}

// Open takes the terminal of this process over: every key comes as it is pressed.
// Close gives it back. The error says that there is none.
func Open() (*Terminal, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil { // not everywhere the terminal has that name
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

// New returns a terminal over any reader and writer. size may be nil: 80 columns,
// 24 rows.
func New(in io.Reader, out io.Writer, size func() (columns, rows int)) *Terminal {
	if size == nil {
		size = func() (int, int) { return 80, 24 }
	}
	t := &Terminal{out: out, size: size, input: make(chan Input), more: make(chan struct{}), done: make(chan struct{}), owed: true}
	go t.read(in)
	return t
}

// read passes on the input, each time that it is asked to.
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

// Input is where keys come from, for a select: hand what comes to Keys.
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

// Keys are the keys in an input.
func (t *Terminal) Keys(in Input) []Key {
	keys := t.dec.keys(in.data)
	if in.err != nil {
		return append(keys, Key{Code: Gone})
	}
	t.owed = true
	return keys
}

// Ahead keeps keys for the next Read: they were pressed before it was called.
func (t *Terminal) Ahead(keys ...Key) { t.ahead = append(t.ahead, keys...) }

// Discard drops keys that have not been read yet.
func (t *Terminal) Discard() {
	t.ahead = nil
	t.dec = decoder{}
}

// Size is how large the terminal is.
func (t *Terminal) Size() (columns, rows int) { return t.size() }

// Resized is told when the size has changed. nil where that is not known.
func (t *Terminal) Resized() <-chan struct{} { return t.resized }

// Write writes text; a line feed begins a new line.
func (t *Terminal) Write(p []byte) (int, error) {
	if _, err := t.out.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pasteOn has the terminal mark what is pasted.
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

// control works on the descriptor and leaves it as it is: [os.File.Fd] would make
// its reads block for good.
func (t *Terminal) control(do func(fd int) error) error {
	conn, err := t.tty.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}

// Outside runs something with the terminal as it was, such as an editor. Keys that
// were pressed meanwhile and are left over count for nothing.
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

// Close gives the terminal back. It may be called again.
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
