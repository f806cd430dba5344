package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// The largest files that are read as a whole, in bytes. The store writes no larger ones.
const (
	maxDocument = 256 << 20
	maxJournal  = 1 << 30
)

// errNoFile reports a path that must not be opened: a pipe would block its reader for
// ever, and a device never ends.
var errNoFile = errors.New("it is not a regular file")

// openFile opens a file for reading, and retries while another process replaces the file.
func openFile(path string) (*os.File, error) {
	var f *os.File
	err := patiently(func() (err error) {
		f, err = os.OpenFile(path, os.O_RDONLY|atOnce, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errNoFile}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readFile reads a whole file. A file larger than the store ever writes counts as
// damaged.
func readFile(path string, most int64) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	large := func() error { return corrupt(path, fmt.Errorf("it has more than %d bytes", most)) }
	if info.Size() > most {
		return nil, large()
	}
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead)
	n, err := buf.ReadFrom(io.LimitReader(f, most+1)) // the file may have grown
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, large()
	}
	return buf.Bytes(), nil
}
