package files

import (
	"context"
	"errors"
	"github.com/localpass/localpass/internal/clip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// entry is one directory entry.
type entry struct {
	name  string
	abs   string
	depth int // 1 for entries directly in the walked directory
	info  fs.FileInfo
}

// walker visits everything below a directory in the order of names, each directory before
// its contents. Links are visited but not followed. Entries that disappear during the
// walk are skipped.
type walker struct {
	service *Service
	ctx     context.Context
	visit   func(dir *os.Root, e entry) error
	// after, if not nil, is called for each directory after its contents.
	after    func(dir *os.Root, e entry) error
	maxDepth int64 // 0: only the limit of Limits applies
	hidden   error // ends the walk at an entry that is withheld; nil: such entries are skipped
	seen     int
}

// walk visits everything below dir, whose path is abs.
func (w *walker) walk(dir *os.Root, abs string) error {
	info, err := dir.Stat(".")
	if err != nil {
		return err
	}
	return w.level(dir, info, abs, 1)
}

func (w *walker) level(dir *os.Root, self fs.FileInfo, abs string, depth int) error {
	if depth > w.service.limits.Depth {
		return limit(ReasonTooDeep, "%s lies more than %d directories deep", clip.Quote(w.service.show(abs), 200), w.service.limits.Depth)
	}
	found, err := w.service.names(w.ctx, dir, &w.seen)
	if err != nil {
		return err
	}
	isBase := w.service.isBase(self)
	for _, name := range found {
		if isBase && name != w.service.segment {
			continue
		}
		if err := ended(w.ctx); err != nil {
			return err
		}
		info, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if w.service.withheld.entry(name, info) {
			if w.hidden != nil {
				return w.hidden
			}
			continue
		}
		e := entry{name: name, abs: filepath.Join(abs, name), depth: depth, info: info}
		if err := w.visit(dir, e); err != nil {
			return err
		}
		if info.IsDir() {
			if err := w.down(dir, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) down(dir *os.Root, e entry) error {
	if w.maxDepth <= 0 || int64(e.depth) < w.maxDepth {
		next, err := enter(dir, e.name, e.info)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, errChanged) {
			return nil
		}
		if err != nil {
			return err
		}
		err = w.level(next, e.info, e.abs, e.depth+1)
		next.Close()
		if err != nil {
			return err
		}
	}
	if w.after != nil {
		return w.after(dir, e)
	}
	return nil
}

// names returns the names in a directory, sorted, and adds their number to seen.
func (s *Service) names(ctx context.Context, dir *os.Root, seen *int) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []string
	for {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		batch, err := f.Readdirnames(1024)
		if *seen += len(batch); *seen > s.limits.Entries {
			return nil, limit(ReasonEntries, "there are more than %d files and directories", s.limits.Entries)
		}
		all = append(all, batch...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return all, nil
}
