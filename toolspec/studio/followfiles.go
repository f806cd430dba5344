package studio

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/localpass/localpass/internal/fileid"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specfile"
)

// followedFile is the known state of one file.
type followedFile struct {
	seen    fileid.State
	written time.Time // the modification time of the file
	since   time.Time // since when the file is unchanged
	unread  bool      // its present content has not been read yet
	gone    time.Time // when it was first missing; zero if it exists
	broken  time.Time // since when it cannot be read as a spec; zero if it can
	entries []toolspec.Document
	told    map[string]string // reported errors of entries that cannot be served, by pointer
}

// look finds the files and reads those that have settled. soon requests another look
// soon, because a file has changed but not settled.
func (f *follower) look(now time.Time) (changed, soon bool) {
	present := f.list()
	for name, info := range present {
		state, file := fileid.Of(info), f.files[name]
		if file == nil {
			file = &followedFile{seen: state, written: info.ModTime(), since: now, unread: true}
			f.files[name] = file
		}
		if !file.gone.IsZero() || file.seen != state {
			file.seen, file.written, file.since, file.unread, file.gone = state, info.ModTime(), now, true, time.Time{}
		}
	}
	for name, file := range f.files {
		if _, there := present[name]; !there {
			if file.gone.IsZero() {
				file.gone = now
			}
			if now.Sub(file.gone) < 2*f.opts.Settle { // the file may just be being replaced
				soon = true
				continue
			}
			delete(f.files, name)
			changed = true
			continue
		}
		if !file.unread {
			continue
		}
		if now.Sub(file.since) < f.opts.Settle && now.Sub(file.written) < f.opts.Settle {
			soon = true
			continue
		}
		if f.read(name, file, now) {
			changed = true
		} else {
			soon = true
		}
	}
	return changed, soon
}

// read reads a file. If it is no longer a spec, it is read again until the grace period
// is over, because it may be half written.
func (f *follower) read(name string, file *followedFile, now time.Time) bool {
	entries, err := specfile.LoadFile(name, &f.opts.Parse)
	if err != nil {
		return false // it has just disappeared, which the next look handles
	}
	unreadable := len(entries) == 0 || entries[0].Spec == nil && len(entries) == 1 && entries[0].Problems.Err() != nil
	held := slices.ContainsFunc(file.entries, func(d toolspec.Document) bool { return d.Spec != nil })
	if unreadable && held {
		if file.broken.IsZero() {
			file.broken = now
		}
		if now.Sub(file.broken) < f.opts.Grace {
			return false
		}
	}
	file.broken, file.unread = time.Time{}, false
	file.entries, file.told = entries, nil
	return true
}

// list finds the files of all paths. A missing path has no files.
func (f *follower) list() map[string]fs.FileInfo {
	found := map[string]fs.FileInfo{}
	for _, root := range f.paths {
		info, err := os.Stat(root)
		if err != nil {
			continue
		}
		add := func(name string) {
			if info, err := os.Stat(name); err == nil {
				found[name] = info
			}
		}
		if !info.IsDir() {
			add(root)
			continue
		}
		for _, name := range specfile.Names(os.DirFS(root), ".") {
			add(filepath.Join(root, filepath.FromSlash(name)))
		}
	}
	return found
}

// documents returns all entries of all files, in the order of their names, with clashes
// marked. A file that has just disappeared counts only for specs that no other file has,
// because it may have been renamed.
func (f *follower) documents() []toolspec.Document {
	var docs, missed []toolspec.Document
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if file := f.files[name]; file.gone.IsZero() {
			docs = append(docs, file.entries...)
		} else {
			missed = append(missed, file.entries...)
		}
	}
	slices.SortStableFunc(docs, func(a, b toolspec.Document) int { return cmp.Compare(f.root(a.Source), f.root(b.Source)) })
	for i := range docs {
		docs[i].Problems = slices.Clone(docs[i].Problems)
	}
	toolspec.MarkClashes(docs)
	for _, m := range missed {
		taken := func(d toolspec.Document) bool {
			return d.Spec != nil && (d.Spec.ID() == m.Spec.ID() || d.Spec.Name == m.Spec.Name)
		}
		if m.Spec != nil && m.Problems.Err() == nil && !slices.ContainsFunc(docs, taken) {
			docs = append(docs, m)
		}
	}
	return docs
}

// root returns the index of the path to which a file belongs.
func (f *follower) root(name string) int {
	for i, root := range f.paths {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			return i
		}
	}
	return len(f.paths)
}
