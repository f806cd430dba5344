package files

import (
	"context"
	"crypto/rand"
	"errors"
	"github.com/localpass/localpass/internal/clip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// writeText implements writeText(path, content).
func (c *call) writeText() (answer, error) { return c.put(c.args.Path, c.body) }

// writeBytes implements writeBytes(path, content).
func (c *call) writeBytes() (answer, error) { return c.put(c.args.Path, c.body) }

// put replaces the content of a file with data, and returns its absolute path.
func (c *call) put(path string, data []byte) (answer, error) {
	abs := ""
	err := c.atPlace(path, toWrite, func(p *place) error {
		abs = p.abs
		if err := c.writable(p, path); err != nil {
			return err
		}
		return c.replace(p, data)
	})
	return answer{value: abs}, c.explainWrite(path, err)
}

// writable returns an error if no file can be written at the place.
func (s *Service) writable(p *place, path string) error {
	if p.info == nil {
		if p.name == "." {
			return errNotFile // the workspace itself, which does not exist yet
		}
		return nil
	}
	switch mode := p.info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return refuse(ReasonSymlink, "%s is a symbolic link", clip.Quote(path, 200))
	case mode.IsDir():
		return errNotFile
	case !mode.IsRegular():
		return errSpecial
	}
	if n, ok := hardLinks(p.dir, p.name, p.info); ok && n > 1 {
		return refuse(ReasonHardLink, "%s has %d names (hard links); writing it would change them all", clip.Quote(path, 200), n)
	}
	return nil
}

// replace writes a new file next to the old one and then renames it over the old one.
func (c *call) replace(p *place, data []byte) error {
	if int64(len(data)) > c.limits.WriteBytes {
		return errTooLarge
	}
	more, entries := int64(len(data)), len(p.missing)
	if p.info != nil {
		more -= p.info.Size()
	} else {
		entries++
	}
	if err := c.reserve(c.ctx, more, entries); err != nil {
		return err
	}
	err := c.build(p, data)
	if err != nil {
		c.freed(more, entries)
	}
	return err
}

func (c *call) build(p *place, data []byte) error {
	dir, done, err := c.parent(p)
	if err != nil {
		return err
	}
	defer done()
	temporary := temporaryPrefix + rand.Text() + temporarySuffix
	f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, c.fileMode())
	if err != nil {
		return gone(err)
	}
	err = fill(c.ctx, f, data)
	if err == nil && p.info != nil {
		err = f.Chmod(p.info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = c.rename(dir, temporary, p.name)
	}
	if err != nil {
		_ = dir.Remove(temporary) // the first error is the important one
	}
	return err
}

func fill(ctx context.Context, f *os.File, data []byte) error {
	for len(data) > 0 {
		if err := ended(ctx); err != nil {
			return err
		}
		n := min(len(data), 1<<20)
		if _, err := f.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return ended(ctx)
}

// rename renames a file in dir over another. If a link has taken the target name in the
// meantime, the link is replaced, not followed.
func (s *Service) rename(dir *os.Root, from, to string) error {
	if s.renaming != nil {
		s.renaming()
	}
	return dir.Rename(from, to)
}

// parent returns the directory that contains a place, and creates it if it does not
// exist. done closes what was opened for it.
func (s *Service) parent(p *place) (dir *os.Root, done func(), err error) {
	dir, done = p.dir, func() {}
	if dir == nil {
		if dir, err = s.openRoot(p.top, true); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range p.missing {
		next, err := makeDir(dir, name, s.dirMode())
		done()
		if err != nil {
			return nil, nil, gone(err)
		}
		dir, done = next, func() { next.Close() }
	}
	return dir, done, nil
}

// gone converts the error about the absence of a directory that existed a moment ago to
// errChanged.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errChanged
	}
	return err
}

// appendText implements appendText(path, content). The content is appended with one
// write, so that concurrent writers do not overwrite each other.
func (c *call) appendText() (answer, error) {
	if int64(len(c.body)) > c.limits.WriteBytes {
		return answer{}, c.explainWrite(c.args.Path, errTooLarge)
	}
	abs := ""
	err := c.atPlace(c.args.Path, toWrite, func(p *place) error {
		abs = p.abs
		if err := c.writable(p, c.args.Path); err != nil {
			return err
		}
		entries := 0
		if p.info == nil {
			entries = len(p.missing) + 1
		}
		if err := c.reserve(c.ctx, int64(len(c.body)), entries); err != nil {
			return err
		}
		err := c.add(p)
		if err != nil {
			c.freed(int64(len(c.body)), entries)
		}
		return err
	})
	return answer{value: abs}, c.explainWrite(c.args.Path, err)
}

// add appends the body to a file.
func (c *call) add(p *place) error {
	dir, done, err := c.parent(p)
	if err != nil {
		return err
	}
	defer done()
	var f *os.File
	if p.info == nil {
		f, err = dir.OpenFile(p.name, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, c.fileMode())
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return errChanged
		}
		if err != nil {
			return err
		}
	} else {
		var info fs.FileInfo
		if f, info, err = openRegular(dir, p.name, os.O_WRONLY|os.O_APPEND); err != nil {
			return gone(err)
		}
		if n, ok := hardLinks(dir, p.name, info); ok && n > 1 {
			f.Close()
			return errChanged
		}
	}
	err = c.grow(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// grow appends the body, and truncates the file again if only a part of it could be
// written.
func (c *call) grow(f *os.File) error {
	if err := ended(c.ctx); err != nil {
		return err
	}
	before, err := f.Stat()
	if err != nil {
		return err
	}
	n, err := f.Write(c.body)
	if err == nil {
		return f.Sync()
	}
	if after, e := f.Stat(); e == nil && n > 0 && after.Size() == before.Size()+int64(n) {
		_ = f.Truncate(before.Size())
	}
	return err
}

// editText implements editText(path, old, new, replaceAll). The body consists of old and
// new.
func (c *call) editText() (answer, error) {
	if c.args.Old < 0 || c.args.Old > int64(len(c.body)) {
		return answer{}, invalid("invalid-arguments", "the arguments are not what the operation takes")
	}
	if c.args.Old == 0 {
		return answer{}, invalid("edit-old-required", "the text to replace is required")
	}
	old, with := string(c.body[:c.args.Old]), string(c.body[c.args.Old:])
	done := edited{}
	err := c.atPlace(c.args.Path, toWrite, func(p *place) error {
		if p.info == nil {
			return invalid("edit-file-missing", "%s does not exist", clip.Quote(c.args.Path, 200))
		}
		if err := c.writable(p, c.args.Path); err != nil {
			return err
		}
		data, err := load(c.ctx, p, c.limits.ReadBytes)
		if err != nil {
			return gone(err)
		}
		text := string(data)
		n := strings.Count(text, old)
		switch {
		case n == 0:
			return invalid("edit-no-match", "%s does not contain the text to replace", clip.Quote(c.args.Path, 200))
		case n > 1 && !c.args.ReplaceAll:
			return invalid("edit-ambiguous", "%s contains the text to replace %d times; give more of it, or replace all", clip.Quote(c.args.Path, 200), n)
		case int64(len(text))+int64(n)*int64(len(with)-len(old)) > c.limits.WriteBytes:
			return errTooLarge
		}
		done = edited{Path: p.abs, Replacements: int64(n)}
		return c.replace(p, []byte(strings.ReplaceAll(text, old, with)))
	})
	return answer{value: done}, c.explainWrite(c.args.Path, err)
}

// copy implements copy(from, to). Without fileRead the source must be in the workspace.
func (c *call) copy() (answer, error) {
	why := toRead
	if !c.read {
		why = toReadOwn
	}
	var data []byte
	err := c.atPlace(c.args.Path, why, func(p *place) error {
		if p.info != nil && p.info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
			return errSpecial
		}
		if p.info == nil || !p.info.Mode().IsRegular() {
			return invalid("copy-source-not-file", "%s is not a file", clip.Quote(c.args.Path, 200))
		}
		var err error
		data, err = load(c.ctx, p, min(c.limits.ReadBytes, c.limits.WriteBytes))
		return err
	})
	switch {
	case errors.Is(err, errEscapes) && !c.read && c.elsewhere(c.args.Path):
		err = notGranted("fileRead")
	case errors.Is(err, errNotDir), errors.Is(err, fs.ErrNotExist):
		err = invalid("copy-source-not-file", "%s is not a file", clip.Quote(c.args.Path, 200))
	}
	if err != nil {
		return answer{}, c.explain(c.args.Path, err)
	}
	return c.put(c.args.To, data)
}

// elsewhere reports whether a path could be read if reading were granted, judged by its
// text alone.
func (s *Service) elsewhere(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	r, _ := s.rootOf(filepath.Clean(path), toRead)
	return r != nil
}
