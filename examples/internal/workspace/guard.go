package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// Withholds reports whether a path is withheld from tools because of its name, or because
// it is or lies in one of those of withheld.
func (w *Workspace) Withholds(path string) bool {
	return w.withheldName(filepath.Base(path)) ||
		slices.ContainsFunc(w.withheld(), func(of string) bool { return within(path, of) })
}

// withheld returns the paths that no tool may use, whatever directory it works in.
func (w *Workspace) withheld() []string {
	return slices.Concat([]string{w.opts.Home}, w.opts.Homes, w.opts.Withheld)
}

// check returns the resolved path of a directory that tools may use if the user agrees.
func (w *Workspace) check(dir string, named bool) (real string, info fs.FileInfo, err error) {
	if real, err = filepath.Abs(dir); err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err == nil {
		info, err = os.Stat(real)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("%s does not exist: tools use no files", dir)
	case err != nil:
		return "", nil, fmt.Errorf("tools use no files: %w", err)
	case !info.IsDir():
		return "", nil, fmt.Errorf("%s is not a directory: tools use no files", dir)
	}
	for _, home := range append([]string{w.opts.Home}, w.opts.Homes...) {
		if within(real, home) {
			return real, nil, fmt.Errorf("%s lies in the home of localpass, %s: tools use no files", real, home)
		}
	}
	if named {
		return real, info, nil
	}
	why := ""
	switch {
	case filepath.Dir(real) == real:
		why = "is the root of the file system"
	case w.user != "" && within(w.user, real):
		why = "holds your home directory"
	case slices.ContainsFunc(strings.Split(real, string(filepath.Separator)), w.withheldName):
		why = "lies in a directory that is withheld from tools"
	}
	if why != "" {
		return real, nil, fmt.Errorf("%s %s: tools use no files there unless you name it (-workspace %s)", real, why, real)
	}
	return real, info, nil
}

// within reports whether path is dir or lies in it, judged by the identity of the
// directories, and by the resolved path if dir does not exist.
func within(path, dir string) bool {
	wanted, err := os.Stat(dir)
	if real, e := filepath.EvalSymlinks(path); e == nil {
		path = real
	}
	if err != nil {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, wanted) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// withheldNames are names that are withheld at any depth; all names that begin with
// withheldPrefix are too.
var withheldNames = []string{".ssh", ".gnupg", ".aws", ".git"}

const withheldPrefix = ".env"

// shortName matches the short names of Windows, such as GIT~1, which may stand for any
// name.
var shortName = regexp.MustCompile(`~[0-9]`)

// withheldName reports whether everything with this name is withheld.
func (w *Workspace) withheldName(name string) bool {
	folded := fold(name)
	switch {
	case w.included[folded]:
		return false
	case runtime.GOOS == "windows" && shortName.MatchString(name):
		return true
	}
	return strings.HasPrefix(folded, withheldPrefix) || slices.Contains(withheldNames, folded)
}

// fold returns a form of a name that is the same for all spellings that a file system may
// take for the same name: the case is ignored, and characters that cannot be seen.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, name)
}
