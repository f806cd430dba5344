package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/sys/windows"
)

// winConsole is the console of the process, whatever its standard handles are.
type winConsole struct {
	in, out   windows.Handle
	before    uint32
	readInput *windows.LazyProc
	high      uint16 // the first half of a surrogate pair
}

// keyRecord is an INPUT_RECORD with a key event.
type keyRecord struct {
	kind    uint16
	_       uint16
	down    int32
	repeat  uint16
	virtual uint16
	scan    uint16
	char    uint16
	control uint32
}

const keyEvent = 1

func openConsole(string) (console, error) {
	in, err := openHandle("CONIN$")
	if err != nil {
		return nil, err
	}
	out, err := openHandle("CONOUT$")
	if err != nil {
		_ = windows.CloseHandle(in)
		return nil, err
	}
	c := &winConsole{in: in, out: out, readInput: windows.NewLazySystemDLL("kernel32.dll").NewProc("ReadConsoleInputW")}
	if err := errors.Join(c.readInput.Find(), windows.GetConsoleMode(in, &c.before)); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func openHandle(name string) (windows.Handle, error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateFile(text, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE,
		nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return 0, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return h, nil
}

func (c *winConsole) read(p []byte) (int, error) {
	event, err := windows.WaitForSingleObject(c.in, 100)
	switch {
	case err != nil:
		return 0, io.EOF
	case event == uint32(windows.WAIT_TIMEOUT):
		return 0, nil
	}
	var records [16]keyRecord
	var n uint32
	ok, _, _ := c.readInput.Call(uintptr(c.in), uintptr(unsafe.Pointer(&records[0])), uintptr(len(records)), uintptr(unsafe.Pointer(&n)))
	if ok == 0 {
		return 0, io.EOF
	}
	used := 0
	for _, r := range records[:n] {
		if r.kind != keyEvent || r.down == 0 || r.char == 0 {
			continue
		}
		char := rune(r.char)
		switch {
		case utf16.IsSurrogate(char) && c.high == 0:
			c.high = r.char
			continue
		case c.high != 0:
			char, c.high = utf16.DecodeRune(rune(c.high), char), 0
		}
		if used+utf8.UTFMax > len(p) {
			break
		}
		used += utf8.EncodeRune(p[used:], char)
	}
	return used, nil
}

// write does not return when ctx ends while the user is selecting text in the console,
// because the system then blocks all writers.
func (c *winConsole) write(ctx context.Context, p []byte) error {
	text := utf16.Encode([]rune(string(p)))
	for len(text) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var n uint32
		if err := windows.WriteConsole(c.out, &text[0], uint32(min(len(text), 4096)), &n, nil); err != nil || n == 0 {
			return io.EOF
		}
		text = text[n:]
	}
	return nil
}

func (c *winConsole) raw() error {
	const off = windows.ENABLE_ECHO_INPUT | windows.ENABLE_LINE_INPUT | windows.ENABLE_PROCESSED_INPUT
	return windows.SetConsoleMode(c.in, c.before&^off)
}

func (c *winConsole) cooked() error { return windows.SetConsoleMode(c.in, c.before) }

func (c *winConsole) discard() error { return windows.FlushConsoleInputBuffer(c.in) }

func (c *winConsole) width() int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(c.out, &info) != nil || info.Size.X <= 0 {
		return 80
	}
	return int(info.Size.X)
}

func (c *winConsole) run(ctx context.Context, command []string) error {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := c.cooked(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	return errors.Join(err, c.raw())
}

func (c *winConsole) close() {
	_ = windows.CloseHandle(c.in) // nothing is buffered
	_ = windows.CloseHandle(c.out)
}
