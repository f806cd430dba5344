package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// root is a directory that may be used, with everything below it. It is opened
// by name once a run; from then on the handle is what counts.
type root struct {
	given    string // as configured: absolute and clean
	real     string // without symbolic links
	writable bool
	// parent and name say where the workspace of a conversation is. It is opened
	// from there without following a link.
	parent, name string
	// backing is the directory that is opened in its place, under its name.
	backing string

	handle *os.Root
}

// locate works out where the roots really are, once a run.
func (s *Service) locate() error {
	if s.located {
		return nil
	}
	for _, r := range s.roots {
		var err error
		if r.parent != "" {
			if r.parent, err = realPath(r.parent); err == nil {
				r.real = filepath.Join(r.parent, r.name)
			}
		} else {
			r.real, err = realPath(r.given)
		}
		if err != nil {
			return err
		}
	}
	if s.base != "" {
		var err error
		if s.base, err = realPath(s.base); err != nil {
			return err
		}
	}
	if s.workspace.backing != "" {
		s.roots = slices.DeleteFunc(s.roots, func(r *root) bool {
			_, inside := below(s.workspace.real, r.real)
			return inside && r != s.workspace
		})
	}
	s.located = true
	return nil
}

// realPath resolves the links of the part of a path that exists. It is used
// for what the host has configured, never for what code names.
func realPath(path string) (string, error) {
	rest := ""
	for at := path; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		up := filepath.Dir(at)
		if !errors.Is(err, fs.ErrNotExist) || up == at {
			return "", err
		}
		// A dangling link is no directory that may be made.
		if _, err := os.Lstat(at); err == nil {
			return "", errNotDir
		}
		rest, at = filepath.Join(filepath.Base(at), rest), up
	}
}

// openRoot gives the handle of a root. With create a workspace that is missing is
// made; without, the error is fs.ErrNotExist.
func (s *Service) openRoot(r *root, create bool) (*os.Root, error) {
	if r.handle != nil {
		return r.handle, nil
	}
	if s.shut(r) {
		return nil, errEscapes
	}
	handle, err := s.openNew(r, create && r.writable)
	if err != nil {
		return nil, err
	}
	r.handle = handle
	return handle, nil
}

func (s *Service) openNew(r *root, create bool) (*os.Root, error) {
	if r.backing != "" {
		return os.OpenRoot(r.backing)
	}
	dir := r.real
	if r.parent != "" {
		dir = r.parent
	}
	if create {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return nil, err
		}
	}
	handle, err := os.OpenRoot(dir)
	if err != nil || r.parent == "" {
		return handle, err
	}
	defer handle.Close()
	if create {
		return makeDir(handle, r.name)
	}
	info, err := handle.Lstat(r.name)
	if err != nil {
		return nil, err
	}
	return enter(handle, r.name, info)
}

// shut reports a root that lies among the workspaces of other conversations.
// Directories are compared as the system knows them, whatever their names.
func (s *Service) shut(r *root) bool {
	if s.base == "" || r.parent != "" {
		return false
	}
	if _, own := below(filepath.Join(s.base, s.segment), r.real); own {
		return false
	}
	for at := filepath.Dir(r.real); ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && s.isBase(info) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// isBase reports the directory that holds the workspaces of conversations, when
// the run belongs to one.
func (s *Service) isBase(info fs.FileInfo) bool {
	if s.base == "" || !info.IsDir() {
		return false
	}
	if s.baseInfo == nil { // again while it does not exist: a write may make it
		if s.baseInfo, _ = os.Stat(s.base); s.baseInfo == nil {
			return false
		}
	}
	return os.SameFile(s.baseInfo, info)
}

// enter opens a directory in dir that info describes. A link is not followed.
func enter(dir *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	if !info.IsDir() {
		return nil, errNotDir
	}
	// "/." keeps the system from waiting for a pipe that took the name.
	next, err := dir.OpenRoot(name + "/.")
	if err != nil {
		return nil, changed(err)
	}
	now, err := next.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errChanged
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// changed turns the error of a directory that existed a moment ago into
// errChanged. The errors of os.Root for a path that leads out have no name.
func changed(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrClosed) || outOfHandles(err) {
		return err
	}
	return errChanged
}

// makeDir makes a directory in dir, or takes the existing one, and opens it.
func makeDir(dir *os.Root, name string) (*os.Root, error) {
	if err := dir.Mkdir(name, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	return enter(dir, name, info)
}

// Files and directories that are made belong to the owner alone.
const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)
