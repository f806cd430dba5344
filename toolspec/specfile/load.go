package specfile

import (
	"errors"
	"fmt"
	"github.com/localpass/localpass/toolspec"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits of loading one folder.
const (
	maxLoadFiles = 10_000
	maxLoadBytes = 256 << 20
)

// Load reads the specs in files, and in every *.json file of folders and their
// subfolders, ordered by path and then by name. It skips hidden files and folders, files
// that were set aside as *.corrupt-<time>, and symbolic links to folders. It reads at
// most 10,000 files and 256 MiB for each path.
//
// A file that cannot be read or parsed becomes a Document without a Spec whose problem
// names the file; the other files are still loaded. The Source of each Document is its
// file path, which begins with the given path. Load returns an error only if one of the
// paths itself does not exist or cannot be read. For everything else see
// [toolspec.Parse].
func Load(paths []string, opts *toolspec.ParseOptions) ([]toolspec.Document, error) {
	var docs []toolspec.Document
	for _, name := range paths {
		found, err := LoadFile(name, opts)
		if err != nil {
			return nil, err
		}
		docs = append(docs, found...)
	}
	toolspec.MarkClashes(docs)
	return docs, nil
}

// LoadFile is [Load] for one file or folder, without the check for names that several
// documents share. Use it to load several paths one by one, followed by
// [toolspec.MarkClashes].
func LoadFile(name string, opts *toolspec.ParseOptions) ([]toolspec.Document, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, unreachable(name, err)
	}
	if info.IsDir() {
		return load(os.DirFS(name), ".", opts, func(p string) string { return filepath.Join(name, filepath.FromSlash(p)) })
	}
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	return load(os.DirFS(dir), base, opts, func(string) string { return name })
}

// LoadFS is [Load] for a file system, such as an embedded one. root is a file or a folder
// in fsys; "." is its top folder. The Source of each Document is a path in fsys.
func LoadFS(fsys fs.FS, root string, opts *toolspec.ParseOptions) ([]toolspec.Document, error) {
	docs, err := load(fsys, root, opts, func(p string) string { return p })
	toolspec.MarkClashes(docs)
	return docs, err
}

func unreachable(name string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // so that the message names the path only once
	}
	return fmt.Errorf("toolspec: load %s: %w; name a spec file or a folder of them", name, err)
}

func load(fsys fs.FS, root string, opts *toolspec.ParseOptions, source func(string) string) ([]toolspec.Document, error) {
	info, err := fs.Stat(fsys, root)
	if err != nil {
		return nil, unreachable(source(root), err)
	}
	if opts == nil {
		opts = &toolspec.ParseOptions{}
	}
	l := loader{fsys: fsys, opts: *opts, source: source}
	if info.IsDir() {
		l.walk(root)
	} else {
		l.file(root)
	}
	return l.docs, nil
}

type loader struct {
	fsys   fs.FS
	opts   toolspec.ParseOptions
	source func(string) string
	docs   []toolspec.Document
	files  int
	bytes  int64
	// each, if not nil, is called with the name of each file instead of reading the file.
	each func(name string)
}

func (l *loader) walk(root string) {
	_ = fs.WalkDir(l.fsys, root, l.visit) // no error: visit turns errors into documents
}

func (l *loader) visit(name string, entry fs.DirEntry, err error) error {
	hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
	switch {
	case err != nil:
		l.fail(name, "unreadable", "allow reading it, or move it away", fmt.Sprintf("cannot be read: %v", cause(err)))
		if entry == nil || !entry.IsDir() {
			return nil
		}
		return fs.SkipDir
	case entry.IsDir() && hidden:
		return fs.SkipDir
	case entry.IsDir() || hidden || path.Ext(name) != ".json" || strings.Contains(path.Base(name), ".corrupt-"):
		return nil
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		// Symbolic links to folders are not followed, since they could form a loop.
		if info, err := fs.Stat(l.fsys, name); err == nil && info.IsDir() {
			return nil
		}
	}
	if l.files++; l.files > maxLoadFiles {
		l.fail(name, "too-many-files", "load fewer folders", fmt.Sprintf("is not read, nor what follows: a load takes at most %d files", maxLoadFiles))
		return fs.SkipAll
	}
	l.file(name)
	if l.bytes > maxLoadBytes {
		l.fail(name, "too-large", "load fewer folders", fmt.Sprintf("is the last that was read: a load takes at most %d MiB", maxLoadBytes>>20))
		return fs.SkipAll
	}
	return nil
}

// file reads one file; a failure becomes a document with a problem.
func (l *loader) file(name string) {
	if l.each != nil {
		l.each(name)
		return
	}
	info, err := fs.Stat(l.fsys, name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file") // opening a named pipe would block forever
	}
	var data []byte
	if err == nil {
		data, err = l.read(name)
	}
	if err != nil {
		l.fail(name, "unreadable", "allow reading it, or move it away", fmt.Sprintf("cannot be read: %v", cause(err)))
		return
	}
	l.bytes += int64(len(data))
	opts := l.opts
	opts.Source, opts.KeepClashes = l.source(name), true
	docs, err := toolspec.Parse(data, &opts)
	if err != nil {
		var problems toolspec.Problems
		_ = errors.As(err, &problems)
		for i := range problems {
			problems[i].Message = opts.Source + ": " + problems[i].Message
		}
		docs = []toolspec.Document{{Problems: problems, Source: opts.Source}}
	}
	l.docs = append(l.docs, docs...)
}

func (l *loader) read(name string) ([]byte, error) {
	f, err := l.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, toolspec.MaxDocumentSize+1)) // one byte over the limit: Parse reports that it is too large
}

func (l *loader) fail(name, reason, remedy, message string) {
	source := l.source(name)
	l.docs = append(l.docs, toolspec.Document{Source: source, Problems: toolspec.Problems{{Code: toolspec.CodeParse, Severity: toolspec.SeverityError, Reason: reason,
		Message: source + ": " + message, Remedy: remedy}}})
}

// cause returns err without the path, since the message already names it.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// Names returns the names of the files below root that [LoadFS] would read, in lexical
// order. Files and folders that cannot be read are left out.
func Names(fsys fs.FS, root string) []string {
	var names []string
	l := loader{fsys: fsys, source: func(name string) string { return name }, each: func(name string) { names = append(names, name) }}
	l.walk(root)
	return names
}
