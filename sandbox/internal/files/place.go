package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// place is the target of a path: a name in an open directory.
type place struct {
	abs  string      // absolute path, with links resolved
	dir  *os.Root    // directory that contains name; nil if the root does not exist
	name string      // "." for a root itself
	info fs.FileInfo // what exists at the place, nil if nothing does
	// missing lists the directories between dir and name that do not exist.
	missing []string
	top     *root
	owned   bool // whether closing the place closes dir
}

func (p *place) close() {
	if p.owned {
		p.dir.Close()
	}
}

// purpose is why a path is resolved.
type purpose int

const (
	toRead    purpose = iota // in any root; a link at the end is followed
	toReadOwn                // like toRead, but only in the workspace
	toWrite                  // in the workspace; a link at the end is itself the place
)

// maxTries is how often a path is walked again if it changes during the walk.
const maxTries = 20

// resolve returns the place of a path. The caller must close it.
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

// rootOf returns the innermost root that contains an absolute path, judged by the text of
// the path.
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

// walk follows an absolute path, directory by directory. It returns the place or, if it
// reaches a link, the path with which to continue.
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
	if slices.ContainsFunc(parts, s.withheld.name) {
		return nil, "", errWithheld
	}
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
		if err == nil && s.withheld.is(info) {
			err = errWithheld
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

// step enters the directory at the place.
func (p *place) step() error {
	next, err := enter(p.dir, p.name, p.info)
	if err != nil {
		return err
	}
	p.close()
	p.dir, p.name, p.owned = next, ".", true
	return nil
}

// stopAt turns p into a place that does not exist, with parts as its path below the
// current directory.
func (p *place) stopAt(parts []string) {
	p.info = nil
	if len(parts) == 0 {
		return
	}
	p.name, p.missing = parts[len(parts)-1], parts[:len(parts)-1]
	p.abs = filepath.Join(p.abs, filepath.Join(parts...))
}

// show returns a real path for display: relative to the workspace if it is inside the
// workspace.
func (s *Service) show(abs string) string {
	if rel, ok := below(s.workspace.real, abs); ok && s.workspace.real != "" {
		return filepath.ToSlash(rel)
	}
	return abs
}

// openFile opens the regular file at the place for reading.
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

// openRegular opens a regular file, without following a link and without blocking on a
// pipe.
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
		// If another regular file has replaced the inspected one, opening that is
		// allowed; opening through a link is not.
		if now, err := dir.Lstat(name); err == nil && os.SameFile(opened, now) {
			return f, opened, nil
		}
		f.Close()
	}
	return nil, nil, errChanged
}

// changedFile returns errChanged if the file has become something else, otherwise the
// error of opening it.
func changedFile(dir *os.Root, name string, err error) error {
	if info, e := dir.Lstat(name); e == nil && info.Mode().IsRegular() {
		return err
	}
	return errChanged
}
