package server

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// sizeFor is how long a size counts as fresh, because walking a home is expensive.
const sizeFor = time.Minute

// dirSize is the size of a directory, by its top-level folders. It is computed in the
// background; until then the previous result is used.
type dirSize struct {
	background func(func())

	mu    sync.Mutex
	sizes map[string]int64 // by the name of the top-level folder; "" for files that are in no folder
	total int64
	saved time.Time // the time of the latest write
	at    time.Time
	busy  bool
}

// of returns the last result, and starts a new computation if it is old. Both values are
// zero until the first computation has finished.
func (d *dirSize) of(dir string, now time.Time) (total int64, saved time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.busy && (d.at.IsZero() || now.Sub(d.at) >= sizeFor) {
		d.busy = true
		d.background(func() { d.count(dir, now) })
	}
	return d.total, d.saved
}

// parts computes the sizes of the folders now and returns them.
func (d *dirSize) parts(dir string, now time.Time) map[string]int64 {
	d.count(dir, now)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sizes
}

func (d *dirSize) count(dir string, now time.Time) {
	sizes, total, saved := map[string]int64{}, int64(0), time.Time{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a file that went away counts nothing
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // as above
		}
		rest := strings.TrimPrefix(path[len(dir):], string(filepath.Separator))
		first, _, inside := strings.Cut(rest, string(filepath.Separator))
		if !inside {
			first = ""
		}
		sizes[first] += info.Size()
		total += info.Size()
		if info.ModTime().After(saved) {
			saved = info.ModTime()
		}
		return nil
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sizes, d.total, d.saved, d.at, d.busy = sizes, total, saved, now, false
}
