package journal

import (
	"errors"
	"os"

	"github.com/localpass/localpass/internal/filelock"
)

// Lock takes the lock of a file, which it makes, if no other process has it. ok says whether
// it did; the caller then calls release, which leaves the file. The end of the process
// releases it too.
func Lock(path string) (release func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, err
	}
	if ok, err = filelock.Try(f); err != nil || !ok {
		return nil, false, errors.Join(err, f.Close())
	}
	return func() {
		filelock.Release(f)
		f.Close()
	}, true, nil
}
