package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// withheld is what no operation may use, wherever a root lies: paths of the operator, and
// names. Paths are compared by the identity of what exists there, so that neither another
// spelling nor a second mount leads to them.
type withheld struct {
	paths []string
	names func(name string) bool
	infos []fs.FileInfo // what exists at the paths; one entry per existing path
}

// locate finds what exists at the paths, once per run.
func (w *withheld) locate() {
	w.infos = nil
	for _, path := range w.paths {
		if info, err := os.Stat(path); err == nil {
			w.infos = append(w.infos, info)
		}
	}
}

// name reports whether entries with this name are withheld.
func (w *withheld) name(name string) bool { return w.names != nil && w.names(name) }

// is reports whether info describes what exists at one of the paths.
func (w *withheld) is(info fs.FileInfo) bool {
	for _, one := range w.infos {
		if os.SameFile(one, info) {
			return true
		}
	}
	return false
}

// in reports whether an entry of a directory is withheld.
func (w *withheld) in(dir *os.Root, name string) bool {
	if w.name(name) || len(w.infos) == 0 {
		return w.name(name)
	}
	info, err := dir.Lstat(name)
	return err == nil && w.is(info)
}

// entry reports whether a directory entry is withheld.
func (w *withheld) entry(name string, info fs.FileInfo) bool { return w.name(name) || w.is(info) }

// holds reports whether a directory is withheld or lies in a directory that is.
func (w *withheld) holds(dir string) bool {
	if len(w.infos) == 0 {
		return false
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && w.is(info) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// free returns errWithheld if a place is a directory that contains something withheld, so
// that it is neither moved nor removed as a whole.
func (c *call) free(p *place) error {
	if c.withheld.names == nil && len(c.withheld.infos) == 0 || !p.info.IsDir() {
		return nil
	}
	dir, err := enter(p.dir, p.name, p.info)
	if err != nil {
		return err
	}
	defer dir.Close()
	w := walker{service: c.Service, ctx: c.ctx, visit: func(*os.Root, entry) error { return nil }, hidden: errWithheld}
	return w.walk(dir, p.abs)
}

var errWithheld = errors.New("it is withheld from tools")
