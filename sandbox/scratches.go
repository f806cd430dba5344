package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// scratchPrefix begins the names of the directories that sandboxes make for
// their runs.
const scratchPrefix = "localpass-scratch-"

// scratchLock is the file in each directory whose lock shows other programs that it is in
// use.
const scratchLock = "lock"

// scratches makes the directories of runs, all within one directory of this sandbox. The
// first run that needs it makes that directory, which stays locked while the program
// lives. So leftovers of a crashed program can be distinguished from directories in use,
// and the next program removes them.
type scratches struct {
	parent string // where the sandbox's directory is made

	mu     sync.Mutex
	dir    string
	lock   *os.File
	closed bool
}

// newScratches removes what other programs left in parent; empty means the system's
// directory for temporary files.
func newScratches(parent string) *scratches {
	if parent == "" {
		parent = os.TempDir()
	}
	s := &scratches{parent: parent}
	s.sweep()
	return s
}

// make returns a new, empty directory.
func (s *scratches) make() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed()
	}
	if s.dir == "" {
		if err := s.open(); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(s.dir, "run-*")
}

func (s *scratches) open() (err error) {
	if err := os.MkdirAll(s.parent, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.parent, scratchPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	// Its paths are compared with resolved paths.
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	// Rename the file into place after locking it, so that no other program sees it
	// unlocked.
	part := filepath.Join(real, scratchLock+".part")
	lock, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if !lockFile(lock) {
		err = errors.New("the new file cannot be locked")
	} else {
		err = os.Rename(part, filepath.Join(real, scratchLock))
	}
	if err != nil {
		lock.Close()
		return fmt.Errorf("lock %s: %w", real, err)
	}
	s.dir, s.lock = real, lock
	return nil
}

// leftAlone is the age from which a directory without a lock file is removed: before
// that, its program may be about to make the file.
const leftAlone = time.Hour

// sweep removes the directories of programs that are gone. What cannot be
// removed stays for the next sweep.
func (s *scratches) sweep() {
	entries, _ := os.ReadDir(s.parent) // on an error there is nothing to remove
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), scratchPrefix) {
			continue
		}
		dir := filepath.Join(s.parent, entry.Name())
		lock, err := os.OpenFile(filepath.Join(dir, scratchLock), os.O_RDWR, 0)
		if err != nil {
			info, infoErr := entry.Info()
			if errors.Is(err, os.ErrNotExist) && infoErr == nil && time.Since(info.ModTime()) > leftAlone {
				_ = os.RemoveAll(dir)
			}
			continue
		}
		if lockFile(lock) {
			_ = os.RemoveAll(dir)
		}
		lock.Close()
	}
}

// close removes everything. It can be called again.
func (s *scratches) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.dir == "" {
		return nil
	}
	err := errors.Join(s.lock.Close(), os.RemoveAll(s.dir))
	s.dir, s.lock = "", nil
	return err
}
