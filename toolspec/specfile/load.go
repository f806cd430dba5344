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

// Bounds of one load of a folder.
const (
	maxLoadFiles = 10_000
	maxLoadBytes = 256 << 20
)

// Load reads the specs of files and of every *.json file in folders and the folders
// below them, in the order of the paths and then of the names. Hidden files and folders,
// files that were set aside as *.corrupt-<time>, and linked folders are skipped. At most
// 10,000 files and 256 MiB are read for one path.
//
// A file that cannot be read or parsed is a Document without a Spec whose
// problem names the file; the rest loads. Each Document's Source is its path,
// beginning with the one given. The error says that a path itself does not exist or
// cannot be read. For the rest see [toolspec.Parse].
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

// LoadFile is [Load] of one file or folder without a look at names that several
// documents have: it is for one of several, see [toolspec.MarkClashes].
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

// LoadFS is [Load] for a file system such as an embedded one. root is a file or
// a folder in it; "." is its top. Each Document's Source is a path within fsys.
func LoadFS(fsys fs.FS, root string, opts *toolspec.ParseOptions) ([]toolspec.Document, error) {
	docs, err := load(fsys, root, opts, func(p string) string { return p })
	toolspec.MarkClashes(docs)
	return docs, err
}

func unreachable(name string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // the path is named once
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
	// each, when set, is called with the name of each file; the files are then not
	// read.
	each func(name string)
}

func (l *loader) walk(root string) {
	_ = fs.WalkDir(l.fsys, root, l.visit) // visit turns errors into documents
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
		// A linked folder is not walked, so that a loop of links ends.
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

// file reads one file; whatever goes wrong becomes a document.
func (l *loader) file(name string) {
	if l.each != nil {
		l.each(name)
		return
	}
	info, err := fs.Stat(l.fsys, name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file") // opening a pipe would wait for ever
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
	return io.ReadAll(io.LimitReader(f, toolspec.MaxDocumentSize+1)) // Parse tells what is too large
}

func (l *loader) fail(name, reason, remedy, message string) {
	source := l.source(name)
	l.docs = append(l.docs, toolspec.Document{Source: source, Problems: toolspec.Problems{{Code: toolspec.CodeParse, Severity: toolspec.SeverityError, Reason: reason,
		Message: source + ": " + message, Remedy: remedy}}})
}

// cause is the error without the path, which the message names already.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// Names gives the names of the files below root that [LoadFS] would read, in lexical order.
// What cannot be read is left out.
func Names(fsys fs.FS, root string) []string {
	var names []string
	l := loader{fsys: fsys, source: func(name string) string { return name }, each: func(name string) { names = append(names, name) }}
	l.walk(root)
	return names
}
