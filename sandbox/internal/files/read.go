package files

import (
	"context"
	"errors"
	"github.com/localpass/localpass/internal/clip"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/localpass/localpass/toolspec"
)

// workspacePath implements workspace().
func (c *call) workspacePath() (answer, error) {
	if err := c.locate(); err != nil {
		return answer{}, err
	}
	return answer{value: c.workspace.real}, nil
}

// readRoots implements readRoots(). It returns the directories that may be read, without
// those inside another one and those among the workspaces of other conversations.
func (c *call) readRoots() (answer, error) {
	if err := c.locate(); err != nil {
		return answer{}, err
	}
	dirs := make([]string, 0, len(c.roots))
	for _, r := range c.roots {
		if !c.shut(r) && !c.withheld.holds(r.real) {
			dirs = append(dirs, r.real)
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	out := c.newList()
	for _, dir := range dirs {
		inner := slices.ContainsFunc(dirs, func(other string) bool {
			_, in := below(other, dir)
			return in && other != dir
		})
		if inner {
			continue
		}
		if err := out.add(dir); err != nil {
			return answer{}, err
		}
	}
	return out.answer()
}

// atPlace resolves a path and calls do with its place; if the path changes in the
// meantime, it tries again.
func (c *call) atPlace(path string, why purpose, do func(p *place) error) error {
	for range maxTries {
		p, err := c.resolve(path, why)
		if err != nil {
			return err
		}
		err = do(p)
		p.close()
		if !errors.Is(err, errChanged) {
			return err
		}
		if err := ended(c.ctx); err != nil {
			return err
		}
	}
	return errChanged
}

// content reads a whole file.
func (c *call) content() (data []byte, abs string, err error) {
	err = c.atPlace(c.args.Path, toRead, func(p *place) error {
		abs = p.abs
		data, err = load(c.ctx, p, c.limits.ReadBytes)
		return err
	})
	return data, abs, c.explain(c.args.Path, err)
}

// text reads a whole file of UTF-8 text.
func (c *call) text() (text, abs string, err error) {
	data, abs, err := c.content()
	if err == nil && !utf8.Valid(data) {
		err = c.explain(c.args.Path, errNoUTF8)
	}
	if err != nil {
		return "", "", err
	}
	return string(data), abs, nil
}

// load reads a regular file of at most most bytes.
func load(ctx context.Context, p *place, most int64) ([]byte, error) {
	f, info, err := p.openFile()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, errTooLarge
	}
	// One byte more than the file has, so that the end is detected without growing the
	// slice. The reported size is not final, since files can grow.
	data := make([]byte, 0, info.Size()+1)
	for {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, 64<<10)
		}
		n, err := f.Read(data[len(data):min(cap(data), len(data)+1<<20)])
		data = data[:len(data)+n]
		if int64(len(data)) > most {
			return nil, errTooLarge
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// readText implements readText(path).
func (c *call) readText() (answer, error) {
	data, _, err := c.content()
	if err == nil && !utf8.Valid(data) {
		err = c.explain(c.args.Path, errNoUTF8)
	}
	return answer{data: data, count: 1}, err
}

// readBytes implements readBytes(path).
func (c *call) readBytes() (answer, error) {
	data, _, err := c.content()
	return answer{data: data, count: 1}, err
}

// exists implements exists(path), which is false if the path may not be read.
func (c *call) exists() (answer, error) {
	found := false
	err := c.atPlace(c.args.Path, toRead, func(p *place) error {
		found = p.info != nil
		return nil
	})
	if errors.Is(err, errNotDir) || errors.Is(err, errLinks) {
		return answer{value: false}, nil
	}
	err = c.explain(c.args.Path, err)
	var refused *toolspec.CallError
	if errors.As(err, &refused) && refused.Kind == toolspec.KindSecurity {
		c.deny(refused.Reason, "exists: "+refused.Message)
		return answer{value: false}, nil
	}
	return answer{value: found}, err
}

// stat implements stat(path). The size of a directory is 0 on every system.
func (c *call) stat() (answer, error) {
	var st status
	err := c.atPlace(c.args.Path, toRead, func(p *place) error {
		if p.info == nil {
			return fs.ErrNotExist
		}
		st = status{Modified: p.info.ModTime().UnixMilli(), Directory: p.info.IsDir()}
		if !st.Directory {
			st.Size = p.info.Size()
		}
		return nil
	})
	return answer{value: st}, c.explain(c.args.Path, err)
}

// list implements list(dir): the entries directly in dir, sorted.
func (c *call) list() (answer, error) {
	out := c.newList()
	err := c.atPlace(c.args.Path, toRead, func(p *place) error {
		out = c.newList()
		if p.info == nil {
			return nil
		}
		if !p.info.IsDir() {
			return invalid("not-a-directory", "%s is not a directory", clip.Quote(c.args.Path, 200))
		}
		dir, err := enter(p.dir, p.name, p.info)
		if err != nil {
			return err
		}
		defer dir.Close()
		seen := 0
		found, err := c.names(c.ctx, dir, &seen)
		if err != nil {
			return err
		}
		for _, name := range found {
			if c.withheld.in(dir, name) {
				continue
			}
			if err := out.add(c.show(filepath.Join(p.abs, name))); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errNotDir) {
		err = nil
	}
	if err != nil {
		return answer{}, c.explain(c.args.Path, err)
	}
	return out.answer()
}
