package server

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// sizeFor is how long a size counts as new: walking a home costs.
const sizeFor = time.Minute

// dirSize is how much a directory holds, by its first folders. It is counted in
// the background, and the last count is used until then.
type dirSize struct {
	background func(func())

	mu    sync.Mutex
	sizes map[string]int64 // by the name of the first folder; files of the top are under ""
	total int64
	saved time.Time // when a file was written last
	at    time.Time
	busy  bool
}

// of gives what is known, and has it counted anew when it is old. Both are zero
// before the first count has ended.
func (d *dirSize) of(dir string, now time.Time) (total int64, saved time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.busy && (d.at.IsZero() || now.Sub(d.at) >= sizeFor) {
		d.busy = true
		d.background(func() { d.count(dir, now) })
	}
	return d.total, d.saved
}

// parts gives the sizes of the folders, counting them now.
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
