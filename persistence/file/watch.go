package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/fileid"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// A file that was written this short before a scan may be written again without
// a change of its time: systems take the time from a clock that ticks every 1 to
// 16 ms, and the coarsest file systems keep whole seconds, or every other one.
const (
	fineTime   = 50 * time.Millisecond
	coarseTime = 2 * time.Second
)

// isYoung tells a file whose time does not prove that it is unchanged.
func isYoung(modified time.Time) bool {
	window := fineTime
	if modified.Nanosecond() == 0 {
		window = coarseTime
	}
	return time.Since(modified) < window
}

// How edits by hand are found. A file that is written in its place changes
// neither its directory nor its version, so all files are checked now and then: every
// editLook, less often where that would cost more than a hundredth of the time. A file
// that was written within the last editSettle may be half written.
const (
	editLook   = 400 * time.Millisecond
	editCost   = 100
	editSettle = 100 * time.Millisecond
)

// Watch implements localpass.Watcher. It needs no goroutine: while the loop waits, it
// reads two numbers of the collection every Options.PollInterval, and a write of the
// same store wakes it at once. After a change it checks the time and size of each file
// and reads those that differ, so a change costs in proportion to the size of the
// collection, about a millisecond for a thousand documents.
//
// A document that a person edits in its file is reported within half a second or so,
// under the version in the file. One that is damaged that way counts as deleted.
func (s *Store) Watch(ctx context.Context, collection string) iter.Seq2[localpass.Change, error] {
	return func(yield func(localpass.Change, error) bool) {
		if err := contract.Named(ctx, collection); err != nil {
			yield(localpass.Change{}, err)
			return
		}
		wake := make(chan struct{}, 1)
		if err := s.addWatcher(collection, wake); err != nil {
			yield(localpass.Change{}, err)
			return
		}
		defer s.removeWatcher(collection, wake)

		w := &watch{store: s, dir: s.collectionDir(collection), files: make(map[string]watchedFile)}
		signal := w.signal()
		if _, err := w.scan(true); err != nil {
			yield(localpass.Change{}, err)
			return
		}
		timer := time.NewTimer(s.opts.PollInterval)
		defer timer.Stop()
		looked, cost := time.Now(), time.Duration(0) // of the last look at all files
		for {
			woken := false
			select {
			case <-ctx.Done():
			case <-s.closed:
			case <-wake:
				woken = true
			case <-timer.C:
			}
			// The same order whatever else is ready.
			if ctx.Err() != nil {
				yield(localpass.Change{}, contract.Ended(ctx, "watch of %s", collection))
				return
			}
			if err := s.checkOpen(); err != nil {
				yield(localpass.Change{}, err)
				return
			}
			now := w.signal() // before the scan, so that what comes during it shows up at the next look
			began := time.Now()
			if !woken && now == signal && !w.unsettled && began.Sub(looked) < max(editLook, editCost*cost) {
				timer.Reset(s.opts.PollInterval)
				continue
			}
			signal = now
			changes, err := w.scan(false)
			if err != nil {
				yield(localpass.Change{}, err)
				return
			}
			looked, cost = time.Now(), time.Since(began)
			pause := s.opts.PollInterval
			if w.unsettled {
				pause = min(pause, editSettle)
			}
			timer.Reset(pause)
			for _, change := range changes {
				if ctx.Err() != nil {
					break // the loop around tells it
				}
				if !yield(change, nil) {
					return
				}
			}
		}
	}
}

func (s *Store) addWatcher(collection string, wake chan struct{}) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return s.errClosed()
	}
	if s.watchers[collection] == nil {
		s.watchers[collection] = make(map[chan struct{}]struct{})
	}
	s.watchers[collection][wake] = struct{}{}
	return nil
}

func (s *Store) removeWatcher(collection string, wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers[collection], wake)
}

func (s *Store) wakeWatchers(collection string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for wake := range s.watchers[collection] {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// watch is what one watcher knows of a collection.
type watch struct {
	store *Store
	dir   string
	files map[string]watchedFile // by file name
	// unsettled says that a file was edited by hand and may not be whole yet.
	unsettled bool
}

type watchedFile struct {
	key     string
	info    fs.FileInfo
	state   fileid.State
	version int64 // 0: not read yet, which an old file need not be
	young   bool  // its time does not prove that it is unchanged
}

// same reports whether a file is the one that was seen. The time is that of the
// content: when a disk is slow to flush, a document takes its name long after
// it was written, and two can carry the same time. They are different files.
func (f *watchedFile) same(now fs.FileInfo) bool {
	return !f.young && f.state == fileid.Of(now) && os.SameFile(f.info, now)
}

// watchSignal differs after a change of the collection. The time of the
// directory alone is too coarse, and the mark alone misses a writer that
// crashed before it published, and a person who puts a file there.
type watchSignal struct {
	modified int64
	mark     int64
}

func (w *watch) signal() (signal watchSignal) {
	if info, err := os.Stat(w.dir); err == nil {
		signal.modified = info.ModTime().UnixNano()
	}
	if f, err := openFile(filepath.Join(w.dir, lockName)); err == nil {
		signal.mark = readMark(f)
		f.Close()
	}
	return signal
}

// scan compares the files with those of the last scan. Changes come in the
// order of their versions, deletes first. Those of the first scan mean nothing.
func (w *watch) scan(first bool) ([]localpass.Change, error) {
	names, err := readNames(w.dir)
	if err != nil {
		return nil, fmt.Errorf("localpass: cannot watch %s: %w", w.dir, err)
	}
	var changes []localpass.Change
	there := make(map[string]bool, len(names))
	w.unsettled = false
	for _, name := range names {
		key, hashed, ok := fileKey(name)
		if !ok {
			continue
		}
		path := filepath.Join(w.dir, name)
		info, err := os.Lstat(path)
		if err != nil {
			continue // gone again
		}
		there[name] = true
		old, known := w.files[name]
		now := watchedFile{key: key, info: info, state: fileid.Of(info), version: old.version, young: isYoung(info.ModTime())}
		if known && old.same(info) {
			continue
		}
		if first && !now.young && !hashed {
			w.files[name] = now // its version does not matter until it changes
			continue
		}
		head, err := readHead(path)
		damaged := err != nil || encodeName(head.Key)+suffix != name
		// A store puts a new file in the place of the old one, under a new version.
		inPlace := damaged || os.SameFile(old.info, info) && (old.version == 0 || head.Version == old.version)
		if known && old.state != now.state && inPlace && time.Since(info.ModTime()) < editSettle {
			w.unsettled = true // it may be half written
			continue
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			delete(there, name)
			continue
		case damaged:
			if known && old.state != now.state {
				delete(there, name) // it is not there as a document any more
			}
			continue
		}
		now.key, now.version = head.Key, head.Version
		w.files[name] = now
		if !known || now.version != old.version || now.state != old.state {
			changes = append(changes, localpass.Change{Key: now.key, Version: now.version})
		}
	}
	for name, file := range w.files {
		if !there[name] {
			delete(w.files, name)
			changes = append(changes, localpass.Change{Key: file.key, Deleted: true})
		}
	}
	slices.SortFunc(changes, func(a, b localpass.Change) int { return cmp.Compare(a.Version, b.Version) })
	return changes, nil
}
