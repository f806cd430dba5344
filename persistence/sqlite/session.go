package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/localpass/localpass/internal/filelock"
)

// A session is a lock on a file of its own in the directory of sessions. The lock ends with
// the process.

func sessionFile(dir, id string) string { return filepath.Join(dir, id+".lock") }

// startSession takes the lock of a new session. end releases it and removes the file.
func startSession(dir, id string) (end func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(sessionFile(dir, id), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	locked, err := filelock.Try(f)
	if err == nil && !locked {
		err = errors.New("it is locked already")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("the lock file %s of this process: %w", f.Name(), err)
	}
	return func() error {
		os.Remove(f.Name()) // if it stays, isLive removes it
		filelock.Release(f)
		return f.Close()
	}, nil
}

// isLive reports whether the process of a session still has its lock. It removes the file of
// one that ended without doing so.
func isLive(dir, id string) (bool, error) {
	if id == "" || filepath.Base(id) != id {
		return false, nil // written by hand
	}
	f, err := os.OpenFile(sessionFile(dir, id), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err // unknown, so the segment is left alone
	}
	defer f.Close()
	locked, err := filelock.Try(f)
	if err != nil || !locked {
		return true, err
	}
	os.Remove(f.Name())
	filelock.Release(f)
	return false, nil
}
