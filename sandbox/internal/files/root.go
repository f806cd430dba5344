package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// root is a directory that may be used, with everything below it. It is opened by name
// once per run; after that only the handle is used.
type root struct {
	given    string // as configured: absolute and clean
	real     string // without symbolic links
	writable bool
	// parent and name are the location of a conversation's workspace, which is opened
	// from parent without following a link.
	parent, name string
	// backing is the directory that is opened in place of the root; paths still show the
	// root.
	backing string

	handle *os.Root
}

// locate determines the real paths of the roots, once per run.
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
	s.withheld.locate()
	s.located = true
	return nil
}

// realPath resolves the links in the existing part of a path. It is used only for
// configured paths, never for paths from code.
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
		// A dangling link is not a missing directory that may be created.
		if _, err := os.Lstat(at); err == nil {
			return "", errNotDir
		}
		rest, at = filepath.Join(filepath.Base(at), rest), up
	}
}

// openRoot returns the handle of a root. If create, it creates a missing workspace;
// otherwise a missing workspace is the error fs.ErrNotExist.
func (s *Service) openRoot(r *root, create bool) (*os.Root, error) {
	if r.handle != nil {
		return r.handle, nil
	}
	if s.shut(r) {
		return nil, errEscapes
	}
	if r.backing == "" && s.withheld.holds(r.real) {
		return nil, errWithheld
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
		if err := os.MkdirAll(dir, s.dirMode()); err != nil {
			return nil, err
		}
	}
	handle, err := os.OpenRoot(dir)
	if err != nil || r.parent == "" {
		return handle, err
	}
	defer handle.Close()
	if create {
		return makeDir(handle, r.name, s.dirMode())
	}
	info, err := handle.Lstat(r.name)
	if err != nil {
		return nil, err
	}
	return enter(handle, r.name, info)
}

// shut reports whether a root is among the workspaces of other conversations. It compares
// the identities of directories, not their names.
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

// isBase reports whether info is the directory that holds the workspaces of
// conversations, if the run belongs to a conversation.
func (s *Service) isBase(info fs.FileInfo) bool {
	if s.base == "" || !info.IsDir() {
		return false
	}
	if s.baseInfo == nil { // repeated until it exists, since a write may create it
		if s.baseInfo, _ = os.Stat(s.base); s.baseInfo == nil {
			return false
		}
	}
	return os.SameFile(s.baseInfo, info)
}

// enter opens the directory in dir that info describes, without following a link.
func enter(dir *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	if !info.IsDir() {
		return nil, errNotDir
	}
	// "/." prevents blocking on a pipe that has replaced the directory.
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

// changed converts an error about a directory that existed a moment ago to errChanged.
// os.Root exports no error value for a path that leads outside.
func changed(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrClosed) || outOfHandles(err) {
		return err
	}
	return errChanged
}

// makeDir creates a directory in dir unless it exists, and opens it.
func makeDir(dir *os.Root, name string, mode fs.FileMode) (*os.Root, error) {
	if err := dir.Mkdir(name, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	return enter(dir, name, info)
}

// dirMode and fileMode return the permissions of new directories and files, which are
// accessible only to their owner. In a directory of the user the mask of the process
// decides.
func (s *Service) dirMode() fs.FileMode {
	if s.own {
		return 0o777
	}
	return 0o700
}

func (s *Service) fileMode() fs.FileMode { return s.dirMode() &^ 0o111 }
