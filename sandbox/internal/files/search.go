package files

import (
	"errors"
	"github.com/localpass/localpass/internal/clip"
	"io/fs"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/localpass/localpass/toolspec"
)

// grep implements grep(pattern, path, {caseInsensitive, limit, numbered}).
func (c *call) grep() (answer, error) {
	if c.args.Pattern == "" {
		return answer{}, invalid("grep-pattern-required", "a pattern is required")
	}
	re, err := c.compile(c.args.Pattern, c.args.CaseInsensitive, "grep-invalid-pattern")
	if err != nil {
		return answer{}, err
	}
	text, _, err := c.text()
	if err != nil {
		return answer{}, err
	}
	out := c.newList()
	most := capped(c.args.Limit, c.limits.GrepLines)
	number := 0
	for line := range lines(text) {
		number++
		found, err := re.matches(c.ctx, line)
		if err != nil {
			return answer{}, err
		}
		if !found {
			continue
		}
		if c.args.Numbered {
			line = strconv.Itoa(number) + ":" + line
		}
		if err := out.add(line); err != nil {
			return answer{}, err
		}
		if out.count >= most {
			break
		}
	}
	return out.answer()
}

// capped returns the maximum number of results of an operation: the requested number, but
// not more than most.
func capped(asked int64, most int) int64 {
	if asked <= 0 {
		return int64(most)
	}
	return min(asked, int64(most))
}

// tree walks the directory args.Path. A workspace that does not exist yet counts as
// empty.
func (c *call) tree(reason string, start func() func(dir *os.Root, e entry) error) error {
	err := c.atPlace(c.args.Path, toRead, func(p *place) error {
		if p.info == nil && p.abs == c.workspace.real {
			return nil
		}
		if p.info == nil || !p.info.IsDir() {
			return errNotDir
		}
		dir, err := enter(p.dir, p.name, p.info)
		if err != nil {
			return err
		}
		defer dir.Close()
		w := walker{service: c.Service, ctx: c.ctx, maxDepth: c.args.MaxDepth, visit: start()}
		if err := w.walk(dir, p.abs); !errors.Is(err, errEnough) {
			return err
		}
		return nil
	})
	if errors.Is(err, errNotDir) {
		return invalid(reason, "%s is not a directory", clip.Quote(c.args.Path, 200))
	}
	return c.explain(c.args.Path, err)
}

// errEnough ends a walk that has found enough.
var errEnough = errors.New("enough")

// find implements find(dir, glob, {maxDepth, type}).
func (c *call) find() (answer, error) {
	match, err := c.compileGlob(c.args.Glob, "find-invalid-glob")
	if err != nil {
		return answer{}, err
	}
	if t := c.args.Type; t != "" && t != "file" && t != "dir" {
		return answer{}, invalid("find-invalid-type", `the type is "file" or "dir"`)
	}
	out := c.newList()
	err = c.tree("find-not-a-directory", func() func(*os.Root, entry) error {
		out = c.newList()
		return func(_ *os.Root, e entry) error {
			switch {
			case c.args.Type == "file" && !e.info.Mode().IsRegular(), c.args.Type == "dir" && !e.info.IsDir(), !match.matches(e.name):
				return nil
			}
			return out.add(c.show(e.abs))
		}
	})
	if err != nil {
		return answer{}, err
	}
	return out.answer()
}

// searchInFiles implements searchInFiles(dir, glob, pattern, {caseInsensitive, maxDepth,
// limit}). The result has three strings per hit: file, line number, line. Files that
// cannot be read, are too large or are not text are skipped.
func (c *call) searchInFiles() (answer, error) {
	if c.args.Pattern == "" {
		return answer{}, invalid("search-pattern-required", "a pattern is required")
	}
	match, err := c.compileGlob(c.args.Glob, "search-invalid-glob")
	if err != nil {
		return answer{}, err
	}
	re, err := c.compile(c.args.Pattern, c.args.CaseInsensitive, "search-invalid-pattern")
	if err != nil {
		return answer{}, err
	}
	most := 3 * capped(c.args.Limit, c.limits.SearchHits)
	out := c.newList()
	err = c.tree("search-not-a-directory", func() func(*os.Root, entry) error {
		out = c.newList()
		return func(dir *os.Root, e entry) error {
			if !e.info.Mode().IsRegular() || !match.matches(e.name) {
				return nil
			}
			data, err := load(c.ctx, &place{dir: dir, name: e.name, info: e.info}, c.limits.ReadBytes)
			if err != nil {
				return leaveOut(err)
			}
			if !utf8.Valid(data) {
				return nil
			}
			return c.hits(string(data), re, c.show(e.abs), &out, most)
		}
	})
	if err != nil {
		return answer{}, err
	}
	return out.answer()
}

// leaveOut returns nil for errors about a single file, which is then skipped, and returns
// other errors unchanged.
func leaveOut(err error) error {
	var call *toolspec.CallError
	var pathError *fs.PathError
	switch {
	case errors.As(err, &call):
		return err
	case outOfHandles(err):
		return err
	case errors.As(err, &pathError), errors.Is(err, errTooLarge), errors.Is(err, errChanged), errors.Is(err, errSpecial), errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// hits adds the matching lines of one file.
func (c *call) hits(text string, re *pattern, file string, out *list, most int64) error {
	number := 0
	for line := range lines(text) {
		number++
		found, err := re.matches(c.ctx, line)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		for _, part := range [...]string{file, strconv.Itoa(number), line} {
			if err := out.add(part); err != nil {
				return err
			}
		}
		if out.count >= most {
			return errEnough
		}
	}
	return nil
}
