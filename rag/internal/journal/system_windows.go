package journal

import (
	"errors"
	"os"
)

// replace renames the new file to the journal's. An open file cannot be replaced here, so
// both are closed first; that fails while another process reads the old one.
func (j *Journal) replace(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
	renamed := os.Rename(path, j.path())
	opened, err := os.OpenFile(j.path(), os.O_RDWR, 0)
	if err != nil {
		return errors.Join(renamed, err)
	}
	j.file = opened
	return renamed
}
