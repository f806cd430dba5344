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

// followedFile is one file as it was seen and read.
type followedFile struct {
	seen    fileid.State
	written time.Time // as the file says
	since   time.Time // when it came to be as it is
	unread  bool      // it is not read yet as it is
	gone    time.Time // when it was first missed; zero: it is there
	broken  time.Time // since when it cannot be read as a spec; zero: it can
	entries []toolspec.Document
	told    map[string]string // what was said of entries that cannot be served, by pointer
}

// look finds the files and reads those that have settled. soon asks for another
// look before long: something has changed and has not settled.
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
			if now.Sub(file.gone) < 2*f.opts.Settle { // it may be being replaced
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

// read reads a file. A file that is no spec any more is read again until the
// grace is over: it may be half written.
func (f *follower) read(name string, file *followedFile, now time.Time) bool {
	entries, err := specfile.LoadFile(name, &f.opts.Parse)
	if err != nil {
		return false // it has gone just now: the next look sees that
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

// list finds the files of all paths. A path that is not there has none.
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

// documents gives all entries of all files, in the order of their names, marked
// where they clash. A file that is missed since a moment ago counts only for what
// no other file has: it was renamed.
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

// root is which of the paths a file belongs to.
func (f *follower) root(name string) int {
	for i, root := range f.paths {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			return i
		}
	}
	return len(f.paths)
}
