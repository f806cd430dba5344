package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// place is where a path leads: a name in a directory that is held open.
type place struct {
	abs  string      // without links
	dir  *os.Root    // what holds name; nil when the root does not exist
	name string      // "." for a root itself
	info fs.FileInfo // what exists there; nil: nothing
	// missing are directories between dir and name that do not exist.
	missing []string
	top     *root
	owned   bool // dir is closed with the place
}

func (p *place) close() {
	if p.owned {
		p.dir.Close()
	}
}

// purpose is what a place is looked for.
type purpose int

const (
	toRead    purpose = iota // in any root; a link at the end is followed
	toReadOwn                // the same in the workspace alone
	toWrite                  // in the workspace; a link at the end is the place
)

// maxTries is how often a path is walked again that changes meanwhile.
const maxTries = 20

// resolve finds the place of a path. The caller closes it.
func (s *Service) resolve(path string, why purpose) (*place, error) {
	if err := s.checkPath(path); err != nil {
		return nil, err
	}
	if err := s.locate(); err != nil {
		return nil, err
	}
	abs := path
	if !filepath.IsAbs(path) {
		abs = filepath.Join(s.workspace.real, path)
	}
	abs = filepath.Clean(abs)
	for links, tries := 0, 0; ; {
		p, target, err := s.walk(abs, why)
		switch {
		case errors.Is(err, errChanged):
			if tries++; tries >= maxTries {
				return nil, err
			}
		case err != nil:
			return nil, err
		case p != nil:
			return p, nil
		default:
			if links++; links > s.limits.Links {
				return nil, errLinks
			}
			abs = target
		}
	}
}

// rootOf finds the innermost root that an absolute path lies in by its text.
func (s *Service) rootOf(abs string, why purpose) (found *root, rel string) {
	longest := -1
	for _, r := range s.roots {
		if why != toRead && !r.writable {
			continue
		}
		for _, name := range [...]string{r.real, r.given} {
			if within, ok := below(name, abs); ok && len(name) > longest {
				found, rel, longest = r, within, len(name)
			}
		}
	}
	return found, rel
}

// walk goes down an absolute path, directory by directory. It gives the place,
// or the path to continue with when a link is in the way.
func (s *Service) walk(abs string, why purpose) (_ *place, target string, err error) {
	r, rel := s.rootOf(abs, why)
	if r == nil {
		return nil, "", errEscapes
	}
	parts := names(rel)
	if len(parts) > s.limits.Depth {
		return nil, "", errTooDeep
	}
	p := &place{abs: r.real, name: ".", top: r}
	p.dir, err = s.openRoot(r, false)
	if errors.Is(err, fs.ErrNotExist) {
		p.stopAt(parts)
		return p, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	if p.info, err = p.dir.Stat("."); err != nil {
		return nil, "", err
	}
	for i, name := range parts {
		if i > 0 {
			if err := p.step(); err != nil {
				p.close()
				return nil, "", err
			}
		}
		if s.isBase(p.info) && name != s.segment {
			p.close()
			return nil, "", errEscapes
		}
		info, err := p.dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			p.stopAt(parts[i:])
			return p, "", nil
		}
		if err != nil {
			p.close()
			return nil, "", err
		}
		last := i == len(parts)-1
		if info.Mode()&fs.ModeSymlink != 0 && (why != toWrite || !last) {
			target, err := p.dir.Readlink(name)
			p.close()
			if err != nil {
				return nil, "", changed(err)
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(p.abs, target)
			}
			return nil, filepath.Join(target, filepath.Join(parts[i+1:]...)), nil
		}
		p.name, p.info = name, info
		p.abs = filepath.Join(p.abs, name)
	}
	if s.isBase(p.info) {
		p.close()
		return nil, "", errEscapes
	}
	return p, "", nil
}

// step enters the directory that the place is.
func (p *place) step() error {
	next, err := enter(p.dir, p.name, p.info)
	if err != nil {
		return err
	}
	p.close()
	p.dir, p.name, p.owned = next, ".", true
	return nil
}

// stopAt makes the place one that does not exist, parts below its present
// directory.
func (p *place) stopAt(parts []string) {
	p.info = nil
	if len(parts) == 0 {
		return
	}
	p.name, p.missing = parts[len(parts)-1], parts[:len(parts)-1]
	p.abs = filepath.Join(p.abs, filepath.Join(parts...))
}

// show is how a real path is displayed: relative to the workspace when it lies
// in there.
func (s *Service) show(abs string) string {
	if rel, ok := below(s.workspace.real, abs); ok && s.workspace.real != "" {
		return filepath.ToSlash(rel)
	}
	return abs
}

// openFile opens the regular file that the place is, for reading.
func (p *place) openFile() (*os.File, fs.FileInfo, error) {
	switch {
	case p.info == nil:
		return nil, nil, fs.ErrNotExist
	case p.info.IsDir():
		return nil, nil, errNotFile
	case !p.info.Mode().IsRegular():
		return nil, nil, errSpecial
	}
	return openRegular(p.dir, p.name, os.O_RDONLY)
}

// openRegular opens a regular file without following a link and without
// waiting for a pipe.
func openRegular(dir *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	for range maxTries {
		f, err := dir.OpenFile(name, flag|openFlags, 0)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil, err
			}
			return nil, nil, changedFile(dir, name, err)
		}
		opened, err := f.Stat()
		if err == nil && !opened.Mode().IsRegular() {
			err = errSpecial
		}
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		// A file put in place of another is as good; a link is not.
		if now, err := dir.Lstat(name); err == nil && os.SameFile(opened, now) {
			return f, opened, nil
		}
		f.Close()
	}
	return nil, nil, errChanged
}

// changedFile distinguishes a file that became something else from one that
// cannot be opened.
func changedFile(dir *os.Root, name string, err error) error {
	if info, e := dir.Lstat(name); e == nil && info.Mode().IsRegular() {
		return err
	}
	return errChanged
}
