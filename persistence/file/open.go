package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// The largest files that are read as a whole. What is written stays within them.
const (
	maxDocument = 256 << 20
	maxJournal  = 1 << 30
)

// errNoFile reports what is not to be opened: a pipe would keep its reader waiting
// for ever, and a device never ends.
var errNoFile = errors.New("it is not a regular file")

// openFile opens a file to be read, and bears with one that is just being
// replaced.
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

// readFile reads a whole file. One that is larger than any that is written is a
// damaged one.
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
	n, err := buf.ReadFrom(io.LimitReader(f, most+1)) // it may have grown
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, large()
	}
	return buf.Bytes(), nil
}
