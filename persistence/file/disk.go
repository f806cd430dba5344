package file

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/filelock"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// staleTemp is the age from which a temporary file is known to have lost its writer.
	staleTemp = time.Hour
)

// disk makes every system call that changes the file system.
type disk struct {
	noSync bool
	// step is called before each system call with its name and path; if it returns an
	// error, the call is not made and fails with that error. Only tests set it, to end
	// the process or to make a call fail.
	step func(call, path string) error
}

func (d *disk) before(call, path string) error {
	if d.step == nil {
		return nil
	}
	return d.step(call, path)
}

// mkdir makes a directory and its parents, and makes them durable.
func (d *disk) mkdir(dir string) error {
	if err := d.before("mkdir", dir); err != nil {
		return err
	}
	err := os.Mkdir(dir, dirMode)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err := d.mkdir(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, dirMode)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // if the path is a file, the next call fails
	}
	if err != nil {
		return err
	}
	return d.syncDir(filepath.Dir(dir))
}

// create makes a file that must not exist yet.
func (d *disk) create(path string, flags int) (*os.File, error) {
	if err := d.before("create", path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|flags, fileMode)
}

func (d *disk) write(f *os.File, b []byte) error {
	if err := d.before("write", f.Name()); err != nil {
		return err
	}
	if d.step != nil && len(b) > 1 { // shows tests what a crash halfway leaves
		if _, err := f.Write(b[:len(b)/2]); err != nil {
			return err
		}
		b = b[len(b)/2:]
		if err := d.before("write the rest", f.Name()); err != nil {
			return err
		}
	}
	_, err := f.Write(b)
	return err
}

func (d *disk) sync(f *os.File) error {
	if err := d.before("sync", f.Name()); err != nil || d.noSync {
		return err
	}
	return f.Sync()
}

func (d *disk) syncDir(dir string) error {
	if err := d.before("sync directory", dir); err != nil || d.noSync {
		return err
	}
	return filelock.SyncDir(dir)
}

func (d *disk) rename(from, to string) error {
	if err := d.before("rename", to); err != nil {
		return err
	}
	return patiently(func() error { return os.Rename(from, to) })
}

func (d *disk) remove(path string) error {
	if err := d.before("remove", path); err != nil {
		return err
	}
	return patiently(func() error { return os.Remove(path) })
}

func (d *disk) truncate(f *os.File, size int64) error {
	if err := d.before("truncate", f.Name()); err != nil {
		return err
	}
	return f.Truncate(size)
}

// writeTemp writes and flushes a temporary file in dir and returns its path.
func (d *disk) writeTemp(dir string, b []byte) (path string, err error) {
	path = filepath.Join(dir, fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64()))
	f, err := d.create(path, 0)
	if err != nil {
		return "", err
	}
	err = d.write(f, b)
	if err == nil {
		err = d.sync(f)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(path) // if this fails, sweep removes it later
		return "", err
	}
	return path, nil
}

// sweep removes the temporary files that crashes left in dir long ago.
func (d *disk) sweep(dir string, now time.Time) {
	names, err := readNames(dir)
	if err != nil {
		return // the write that follows reports the same error
	}
	for _, name := range names {
		if !strings.HasPrefix(name, tempPrefix) {
			continue
		}
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > staleTemp {
			d.remove(path) // if this fails, the next start tries again
		}
	}
}

// readNames lists a directory, unordered; a missing directory counts as empty.
func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// writeError explains why a write in dir failed.
func writeError(dir string, err error) error {
	if isReadOnly(err) {
		return fmt.Errorf("%w: %s can't be written to: %w", localpass.ErrReadOnly, dir, err)
	}
	return fmt.Errorf("localpass: cannot write in %s: %w", dir, err)
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || filelock.WriteProtected(err)
}

// isUnreadable reports whether an error concerns this file alone, such as a bad block on
// the disk or a file of another user, and not the whole process.
func isUnreadable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errNoFile) || isBadFile(err)
}
