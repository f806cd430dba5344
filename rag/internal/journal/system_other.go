//go:build !windows

package journal

import (
	"os"

	"github.com/localpass/localpass/internal/filelock"
)

// replace renames the new file to the journal's, which it is from then on.
func (j *Journal) replace(f *os.File, path string) error {
	if err := os.Rename(path, j.path()); err != nil {
		return err
	}
	if j.file != nil {
		j.file.Close()
	}
	j.file = f
	return filelock.SyncDir(j.dir)
}
