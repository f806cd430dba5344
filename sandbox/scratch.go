package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// Limits for reading back the files of a scratch workspace.
const (
	scratchFiles = 1_000
	scratchBytes = 4 << 20
)

// scratch is the workspace of a run with given files: a new, separate directory, which is
// removed after the run.
type scratch struct {
	dir   string
	given map[string]string
}

// newScratch makes the directory and the files in it. The error names an invalid path.
func newScratch(within *scratches, given map[string]string) (_ *scratch, err error) {
	dir, err := within.make()
	if err != nil {
		return nil, fmt.Errorf("no workspace for the files of the test: %w", err)
	}
	s := &scratch{dir: dir, given: given}
	defer func() {
		if err != nil {
			s.remove()
		}
	}()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		local := filepath.FromSlash(name)
		if !filepath.IsLocal(local) {
			return nil, fmt.Errorf("%q is no path below the workspace", name)
		}
		if parent := path.Dir(name); parent != "." {
			if err := root.MkdirAll(filepath.FromSlash(parent), 0o700); err != nil {
				return nil, err
			}
		}
		if err := root.WriteFile(local, []byte(given[name]), 0o600); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// read returns the text files that are there now.
func (s *scratch) read() map[string]string {
	found, left := map[string]string{}, scratchBytes
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return found
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if len(found) == scratchFiles || left <= 0 {
			return fs.SkipAll
		}
		text, err := readText(root, name, left)
		if err == nil {
			found[name] = text
			left -= len(text)
		}
		return nil
	})
	return found
}

var errNoText = errors.New("no text")

func readText(root *os.Root, name string, most int) (string, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && (len(data) > most || !utf8.Valid(data)) {
		err = errNoText
	}
	return string(data), err
}

func (s *scratch) remove() { _ = os.RemoveAll(s.dir) }
