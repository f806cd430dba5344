package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/filelock"
	"github.com/localpass/localpass/internal/logline"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// The writer of a segment holds a lock on its file while it writes. So others see whether
// the segment is open, and it no longer is when the process has ended.

var errGone = errors.New("the segment that was just made has been removed")

// hold locks a segment that was just made. It returns errGone when another process has
// removed the segment as a leftover. On a system without file locks it does nothing.
func hold(f *os.File, path string) error {
	const wait, most = time.Millisecond, 5 * time.Second
	for waited := time.Duration(0); ; waited += wait {
		got, err := filelock.Try(f)
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		if err != nil {
			return err
		}
		if got {
			break
		}
		if waited >= most {
			return errors.New("another program holds the lock of a segment that was just made")
		}
		time.Sleep(wait) // another process is checking whether it is open
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return nil
}

// writer implements localpass.LogWriter.
type writer struct {
	a *appender

	mu     sync.RWMutex
	closed bool
}

// LogWriter implements localpass.LogSegments.
func (s *Store) LogWriter(log string) (localpass.LogWriter, error) {
	if err := localpass.CheckCollection(log); err != nil {
		return nil, err
	}
	w := &writer{a: s.newAppender(log)}
	w.a.owned = true
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return nil, s.errClosed()
	}
	s.writers[w] = struct{}{}
	return w, nil
}

func (w *writer) errClosed() error {
	return fmt.Errorf("%w: this writer of the log %s", localpass.ErrClosed, w.a.log)
}

func (w *writer) Append(ctx context.Context, records ...json.RawMessage) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return w.errClosed()
	}
	return w.a.store.appendTo(ctx, w.a.log, w.a, records)
}

func (w *writer) Rotate(ctx context.Context) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return w.errClosed()
	}
	if err := w.a.store.startWrite(); err != nil {
		return err
	}
	defer w.a.store.calls.Done()
	select {
	case w.a.turn <- struct{}{}:
	case <-ctx.Done():
		return contract.Ended(ctx, "waiting to end a segment of the log %s", w.a.log)
	}
	defer func() { <-w.a.turn }()
	if err := w.a.close(); err != nil {
		return writeError(w.a.dir, err)
	}
	return nil
}

func (w *writer) Close() error {
	s := w.a.store
	s.mu.Lock()
	delete(s.writers, w)
	s.mu.Unlock()
	return w.closeSegment()
}

// closeSegment waits for running appends and ends the segment.
func (w *writer) closeSegment() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	w.a.turn <- struct{}{} // the timer may hold it
	defer func() { <-w.a.turn }()
	if err := w.a.close(); err != nil {
		return writeError(w.a.dir, err)
	}
	return nil
}

// Segments implements localpass.LogSegments. The size and the time are those of
// the file.
func (s *Store) Segments(ctx context.Context, log string) ([]localpass.LogSegment, error) {
	if err := contract.Named(ctx, log); err != nil {
		return nil, err
	}
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	dir := s.logDir(log)
	names, err := segmentNames(dir)
	if err != nil {
		return nil, fmt.Errorf("localpass: cannot list the log %s: %w", log, err)
	}
	segments := make([]localpass.LogSegment, 0, len(names))
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has removed it
		}
		if err != nil {
			return nil, fmt.Errorf("localpass: cannot list the log %s: %w", log, err)
		}
		segments = append(segments, localpass.LogSegment{ID: strings.TrimSuffix(name, segmentSuffix), Size: info.Size(), Updated: info.ModTime().UTC()})
	}
	return segments, nil
}

// segmentPath returns the path of the named segment, which must exist.
func (s *Store) segmentPath(log, segment string) (string, error) {
	name := segment + segmentSuffix
	path := filepath.Join(s.logDir(log), name)
	if !isSegment(name) {
		return "", contract.NoSegment(log, segment)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", contract.NoSegment(log, segment)
	}
	return path, nil
}

// SegmentTail implements localpass.LogSegments.
func (s *Store) SegmentTail(ctx context.Context, log, segment string) (localpass.LogTail, error) {
	if err := contract.Named(ctx, log); err != nil {
		return localpass.LogTail{}, err
	}
	if err := s.checkOpen(); err != nil {
		return localpass.LogTail{}, err
	}
	path, err := s.segmentPath(log, segment)
	if err != nil {
		return localpass.LogTail{}, err
	}
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return localpass.LogTail{}, contract.NoSegment(log, segment)
	}
	if err != nil {
		return localpass.LogTail{}, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	defer f.Close()
	tail := localpass.LogTail{Open: isHeld(f)} // checked before reading: a segment that is not open no longer changes
	size, end := int64(0), int64(0)
	if size, err = f.Seek(0, io.SeekEnd); err == nil {
		tail.Last, end, err = lastRecord(ctx, f, size, filepath.Base(path))
	}
	if err != nil {
		return localpass.LogTail{}, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	if !tail.Open {
		tail.Torn = size - end
	}
	return tail, nil
}

// isHeld reports whether a process is or may be writing the segment.
func isHeld(f *os.File) bool {
	got, err := filelock.Try(f)
	if got {
		filelock.Release(f)
	}
	return err != nil || !got
}

// lastRecord finds the last record of a file and where it ends. It reads backwards from
// the end of the file.
func lastRecord(ctx context.Context, f io.ReaderAt, size int64, name string) (localpass.Record, int64, error) {
	const first, growth = 64 << 10, 16
	for back := int64(first); ; back *= growth {
		from := max(size-back, 0)
		if from > 0 { // skip to the first whole line
			skip, err := lineBreak(f, from, size)
			if err != nil {
				return localpass.Record{}, 0, err
			}
			from = skip
		}
		lines := logline.NewReader(io.NewSectionReader(f, from, size-from), from, maxLine, nil)
		var last logline.Entry
		for {
			if ctx.Err() != nil {
				return localpass.Record{}, 0, ctx.Err()
			}
			entry, err := lines.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return localpass.Record{}, 0, err
			}
			last = entry
		}
		if last.Data != nil {
			return record(name, last), last.End, nil
		}
		if size <= back {
			return localpass.Record{}, 0, nil
		}
	}
}

// lineBreak returns the offset after the first line break at or after from, or size if
// there is none.
func lineBreak(f io.ReaderAt, from, size int64) (int64, error) {
	buf := make([]byte, 32<<10)
	for from < size {
		n, err := f.ReadAt(buf, from)
		for i, c := range buf[:n] {
			if c == '\n' {
				return from + int64(i) + 1, nil
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if n == 0 {
			break
		}
		from += int64(n)
	}
	return size, nil
}

// RemoveSegment implements localpass.LogSegments.
func (s *Store) RemoveSegment(ctx context.Context, log, segment string) error {
	if err := contract.Named(ctx, log); err != nil {
		return err
	}
	if err := s.startWrite(); err != nil {
		return err
	}
	defer s.calls.Done()
	path, err := s.segmentPath(log, segment)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return contract.NoSegment(log, segment)
	}
	if err != nil {
		return writeError(filepath.Dir(path), err)
	}
	defer f.Close()
	got, err := filelock.Try(f)
	if err != nil {
		return writeError(filepath.Dir(path), err)
	}
	if !got {
		return contract.OpenSegment(log, segment)
	}
	// A writer that has just made the segment finds it locked, and then gone. Windows
	// does not remove a file while anyone, including its writer, has it open.
	if runtime.GOOS == "windows" {
		filelock.Release(f)
		f.Close()
	}
	if err := s.disk.remove(path); errors.Is(err, fs.ErrNotExist) {
		return contract.NoSegment(log, segment)
	} else if err != nil {
		return writeError(filepath.Dir(path), err)
	}
	if err := s.disk.syncDir(filepath.Dir(path)); err != nil {
		return writeError(filepath.Dir(path), err)
	}
	return nil
}
