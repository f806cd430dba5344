package journal

import (
	"errors"
	"os"
)

// Lock takes the lock of a file, which it makes, if no other process has it. ok says whether
// it did; the caller then calls release, which leaves the file. The end of the process
// releases it too.
func Lock(path string) (release func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	if ok, err = tryLock(f); err != nil || !ok {
		return nil, false, errors.Join(err, f.Close())
	}
	return func() {
		unlockFile(f)
		f.Close()
	}, true, nil
}
