package files

import (
	"errors"
	"github.com/localpass/localpass/internal/clip"
	"io/fs"
	"os"
)

// move implements move(from, to) for a file or a directory; both paths must be in the
// workspace.
func (c *call) move() (answer, error) {
	abs := ""
	err := c.atPlace(c.args.Path, toWrite, func(from *place) error {
		if err := c.movable(from); err != nil {
			return c.explainWrite(c.args.Path, err)
		}
		err := c.atPlace(c.args.To, toWrite, func(to *place) error {
			abs = to.abs
			return c.moveTo(from, to)
		})
		return c.explainWrite(c.args.To, err)
	})
	if err == errNotDir { //nolint:errorlint // that of the target is explained already, and wraps it
		err = invalid("move-source-missing", "%s does not exist", clip.Quote(c.args.Path, 200))
	}
	return answer{value: abs}, c.explainWrite(c.args.Path, err)
}

func (c *call) movable(from *place) error {
	switch {
	case from.abs == c.workspace.real:
		return refuse(ReasonOutside, "the workspace itself cannot be moved")
	case from.info == nil:
		return invalid("move-source-missing", "%s does not exist", clip.Quote(c.args.Path, 200))
	case from.info.Mode()&fs.ModeSymlink != 0:
		return refuse(ReasonSymlink, "%s is a symbolic link", clip.Quote(c.args.Path, 200))
	case !from.info.IsDir() && !from.info.Mode().IsRegular():
		return errSpecial
	case c.holdsBase(from):
		return errEscapes
	}
	return c.free(from)
}

// moveTo renames through the handle of the workspace, so that both names stay inside it
// even if directories on the way are replaced.
func (c *call) moveTo(from, to *place) error {
	if to.abs == from.abs {
		return nil
	}
	if to.abs == c.workspace.real {
		return errNotFile
	}
	if to.info == nil || !to.info.IsDir() || !from.info.IsDir() {
		if err := c.writable(to, c.args.To); err != nil {
			return err
		}
	}
	if err := c.reserve(c.ctx, 0, len(to.missing)); err != nil {
		return err
	}
	err := c.renameTo(from, to)
	switch {
	case err != nil:
		c.freed(0, len(to.missing))
	case to.info != nil && to.info.IsDir():
		c.freed(0, 1)
	case to.info != nil:
		c.freed(to.info.Size(), 1)
	}
	return err
}

func (c *call) renameTo(from, to *place) error {
	_, done, err := c.parent(to)
	if err != nil {
		return err
	}
	done()
	top, err := c.openRoot(c.workspace, false)
	if err != nil {
		return err
	}
	old, _ := below(c.workspace.real, from.abs)
	name, _ := below(c.workspace.real, to.abs)
	return top.Rename(old, name)
}

// delete implements delete(path) for a file.
func (c *call) delete() (answer, error) {
	existed := false
	err := c.atPlace(c.args.Path, toWrite, func(p *place) error {
		switch {
		case p.abs == c.workspace.real || p.info != nil && p.info.IsDir():
			return invalid("delete-is-directory", "%s is a directory; use deleteDir", clip.Quote(c.args.Path, 200))
		case p.info == nil:
			return nil
		case p.info.Mode()&fs.ModeSymlink != 0:
			return refuse(ReasonSymlink, "%s is a symbolic link", clip.Quote(c.args.Path, 200))
		}
		err := p.dir.Remove(p.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if existed = err == nil; existed && p.info.Mode().IsRegular() {
			c.freed(p.info.Size(), 1)
		}
		return err
	})
	if errors.Is(err, errNotDir) {
		err = nil
	}
	return answer{value: existed}, c.explainWrite(c.args.Path, err)
}

// deleteDir implements deleteDir(path), which removes a directory and everything in it.
// It removes links, but not their targets.
func (c *call) deleteDir() (answer, error) {
	removed := 0
	err := c.atPlace(c.args.Path, toWrite, func(p *place) error {
		switch {
		case p.abs == c.workspace.real:
			return refuse(ReasonWorkspaceRoot, "the workspace itself cannot be deleted")
		case p.info == nil:
			return nil
		case p.info.Mode()&fs.ModeSymlink != 0:
			return refuse(ReasonSymlink, "%s is a symbolic link", clip.Quote(c.args.Path, 200))
		case !p.info.IsDir():
			return errNotDir
		case c.holdsBase(p):
			return errEscapes
		}
		n, err := c.clear(p)
		removed += n
		if err != nil {
			return err
		}
		if err := p.dir.Remove(p.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		removed++
		c.freed(0, 1)
		return nil
	})
	if errors.Is(err, errNotDir) {
		err = invalid("deletedir-not-a-directory", "%s is not a directory", clip.Quote(c.args.Path, 200))
	}
	return answer{value: removed}, c.explainWrite(c.args.Path, err)
}

// clear removes the contents of a directory after checking that they are within the
// limits, and returns the number of entries removed.
func (c *call) clear(p *place) (removed int, err error) {
	dir, err := enter(p.dir, p.name, p.info)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	look := walker{service: c.Service, ctx: c.ctx, visit: func(*os.Root, entry) error { return nil }, hidden: errWithheld}
	if err := look.walk(dir, p.abs); err != nil {
		return 0, err
	}
	remove := func(dir *os.Root, e entry) error {
		if err := dir.Remove(e.name); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		removed++
		size := int64(0)
		if e.info.Mode().IsRegular() {
			size = e.info.Size()
		}
		c.freed(size, 1)
		return nil
	}
	sweep := walker{service: c.Service, ctx: c.ctx, after: remove, visit: func(dir *os.Root, e entry) error {
		if e.info.IsDir() {
			return nil // directories are removed after their contents
		}
		return remove(dir, e)
	}}
	return removed, sweep.walk(dir, p.abs)
}

// holdsBase reports whether the place is a directory that contains the workspaces of all
// conversations, which the run of one conversation must not move or remove.
func (s *Service) holdsBase(p *place) bool {
	if s.base == "" {
		return false
	}
	_, holds := below(p.abs, s.base)
	return holds
}
