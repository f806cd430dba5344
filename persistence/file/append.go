package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/filelock"
	"github.com/localpass/localpass/internal/logline"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// maxRecord bounds one record and maxLine the line that holds it, in bytes, so that a damaged segment cannot make a
// reader load an endless line into memory.
const (
	maxRecord = 64 << 20
	maxLine   = maxRecord + 1<<10

	usualDepth = 100 // of the arrays and objects in a record
)

// Append implements localpass.Log. When it returns, the records survive the end of this program; a power failure
// can lose the records of the last [Options].LogFlush. If it returns an error of the context, the records may or
// may not have been appended; after any other error they have not been, unless the disk failed halfway. A record
// may have up to 64 MiB.
func (s *Store) Append(ctx context.Context, log string, records ...json.RawMessage) error {
	return s.appendTo(ctx, log, nil, records)
}

// appendTo appends with a. A nil a means the store's own appender of the log.
func (s *Store) appendTo(ctx context.Context, log string, a *appender, records []json.RawMessage) error {
	if err := contract.Named(ctx, log); err != nil {
		return err
	}
	if err := s.startWrite(); err != nil {
		return err
	}
	defer s.calls.Done()
	if len(records) == 0 {
		return nil
	}
	e, _ := s.entries.Get().(*entry)
	if e == nil {
		e = new(entry)
	}
	if err := e.fill(s.now(), records); err != nil {
		s.free(e)
		return fmt.Errorf("localpass: cannot append to the log %s: %w", log, err)
	}
	if a == nil {
		a = s.appender(log)
	}
	return a.append(ctx, e)
}

// entry holds the lines that one call of Append writes.
type entry struct{ buf bytes.Buffer }

func (e *entry) fill(now time.Time, records []json.RawMessage) error {
	for i, record := range records {
		if len(record) > maxRecord {
			return fmt.Errorf("record %d of %d has %d bytes; at most %d are allowed", i+1, len(records), len(record), maxRecord)
		}
		err := logline.Append(&e.buf, now, len(records)-1-i, func(buf *bytes.Buffer) error {
			if !utf8.Valid(record) {
				return errors.New("it is not valid UTF-8")
			}
			if len(bytes.TrimSpace(record)) == 0 {
				return errors.New("it is empty; a JSON value is needed (null is one)")
			}
			// For an ordinary record this check takes a third of the time of json.Compact, which decides about all
			// other records.
			if _, bad := scan.Text(record, usualDepth); bad == nil {
				buf.Grow(len(record))
				buf.Write(scan.Compact(buf.AvailableBuffer(), record))
				return nil
			}
			return json.Compact(buf, record)
		})
		if err != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, len(records), err)
		}
	}
	return nil
}

// free returns the buffer to the pool, unless it is so large that pooling would waste memory.
func (s *Store) free(e *entry) {
	if e.buf.Cap() <= 64<<10 {
		e.buf.Reset()
		s.entries.Put(e)
	}
}

// appender writes the segments of one log for one store.
type appender struct {
	store *Store
	log   string
	dir   string
	turn  chan struct{} // holds a token while a goroutine writes
	owned bool          // by a LogWriter, which decides where segments end

	mu   sync.Mutex
	next *group // the entries of the next write; nil when no entry waits

	// Only the holder of turn uses the fields below.
	file *os.File // nil: the next write starts a segment
	size int64
	last time.Time // when the last segment was started
	buf  []byte
	// timer flushes what was written since the last flush; nil when nothing waits for a flush.
	timer  *time.Timer
	failed error // error of a flush by the timer; the next call of Append returns it
}

// group collects the calls of Append that share one write and one flush.
type group struct {
	entries []*entry
	few     [4]*entry // first storage of entries: most groups need no allocation
	err     error     // set before done is closed
	done    chan struct{}
}

func (s *Store) appender(log string) *appender {
	s.mu.RLock()
	a := s.appenders[log]
	s.mu.RUnlock()
	if a != nil {
		return a
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a = s.appenders[log]; a == nil {
		a = s.newAppender(log)
		s.appenders[log] = a
	}
	return a
}

func (s *Store) newAppender(log string) *appender {
	return &appender{store: s, log: log, dir: s.logDir(log), turn: make(chan struct{}, 1)}
}

func (s *Store) logDir(log string) string { return filepath.Join(s.dir, logsDir, encodeName(log)) }

// append waits until the entry is written. Either this call writes all waiting entries, or another call writes this
// entry with its own. This needs no background goroutine.
func (a *appender) append(ctx context.Context, e *entry) error {
	a.mu.Lock()
	g := a.next
	if g == nil {
		g = &group{done: make(chan struct{})}
		g.entries = g.few[:0]
		a.next = g
	}
	g.entries = append(g.entries, e)
	a.mu.Unlock()
	select {
	case a.turn <- struct{}{}:
		a.writeNext() // writes g, unless the previous goroutine has done so
		<-a.turn
		<-g.done
		return g.err
	case <-g.done:
		return g.err
	case <-ctx.Done():
		if a.withdraw(g, e) {
			return contract.Ended(ctx, "waiting to append to the log %s; nothing was appended", a.log)
		}
		return contract.Ended(ctx, "appending to the log %s; the records may be there", a.log)
	}
}

// withdraw removes an entry from a group whose write has not started.
func (a *appender) withdraw(g *group, e *entry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next != g {
		return false
	}
	g.entries = slices.DeleteFunc(g.entries, func(other *entry) bool { return other == e })
	a.store.free(e)
	return true
}

// writeNext writes the waiting group, if there is one.
func (a *appender) writeNext() {
	a.mu.Lock()
	g := a.next
	a.next = nil
	a.mu.Unlock()
	if g == nil {
		return
	}
	if len(g.entries) == 1 {
		g.err = a.write(g.entries[0].buf.Bytes())
	} else if len(g.entries) > 1 {
		a.buf = a.buf[:0]
		for _, e := range g.entries {
			a.buf = append(a.buf, e.buf.Bytes()...)
		}
		g.err = a.write(a.buf)
		if cap(a.buf) > 1<<20 {
			a.buf = nil
		}
	}
	for _, e := range g.entries {
		a.store.free(e)
	}
	close(g.done)
}

// write appends whole lines to the segment and ensures that they are flushed. After a failed write it truncates the
// segment to its last good line and stops using it.
func (a *appender) write(b []byte) error {
	d := &a.store.disk
	if err := a.failed; err != nil {
		a.failed = nil
		return writeError(a.dir, fmt.Errorf("what was appended before may be lost: %w", err))
	}
	if a.file == nil {
		if err := a.begin(); err != nil {
			return writeError(a.dir, err)
		}
	}
	err := d.write(a.file, b)
	if err == nil {
		err = a.flushLater()
	}
	if err != nil {
		cut := d.truncate(a.file, a.size)
		cut = errors.Join(cut, a.flush()) // flush the good lines before it
		if a.file != nil {
			a.abandon()
		}
		return writeError(a.dir, errors.Join(err, cut))
	}
	if a.size += int64(len(b)); !a.owned && a.size >= a.store.opts.SegmentSize {
		if err := a.close(); err != nil {
			return writeError(a.dir, err)
		}
	}
	return nil
}

// flushLater starts the timer that flushes what was written, or flushes at once when LogFlush is negative.
func (a *appender) flushLater() error {
	if a.store.opts.LogFlush < 0 || a.store.opts.NoSync {
		return a.store.disk.sync(a.file)
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(a.store.opts.LogFlush, a.flushInTime)
	}
	return nil
}

// flushInTime is called by the timer. Close waits for it.
func (a *appender) flushInTime() {
	if a.store.startWrite() != nil {
		return // Close flushes
	}
	defer a.store.calls.Done()
	a.turn <- struct{}{}
	defer func() { <-a.turn }()
	a.failed = errors.Join(a.failed, a.flush())
}

// flush flushes what the timer would flush later. A segment that cannot be flushed is abandoned: its records may be
// lost, and nothing more is appended to it.
func (a *appender) flush() error {
	if a.timer == nil {
		return nil
	}
	a.timer.Stop()
	a.timer = nil
	if a.file == nil {
		return nil
	}
	err := a.store.disk.sync(a.file)
	if err != nil {
		a.abandon()
	}
	return err
}

// abandon ends the segment as it is.
func (a *appender) abandon() error {
	filelock.Release(a.file)
	err := a.file.Close()
	a.file = nil
	return err
}

// begin makes the next segment. Its name sorts after the previous one even if the clock
// was set back, so the records of this store stay in order.
func (a *appender) begin() error {
	d := &a.store.disk
	for {
		now := a.store.now()
		if !now.After(a.last) {
			now = a.last.Add(time.Microsecond)
		}
		a.last = now
		path := filepath.Join(a.dir, segmentName(now, rand.Uint32()))
		f, err := d.create(path, os.O_APPEND)
		if os.IsNotExist(err) {
			if err := d.mkdir(a.dir); err != nil {
				return err
			}
			f, err = d.create(path, os.O_APPEND)
		}
		if err != nil {
			return err
		}
		if err = hold(f, path); err == nil {
			err = d.syncDir(a.dir)
		}
		if err == nil {
			a.file, a.size = f, 0
			return nil
		}
		filelock.Release(f)
		f.Close()
		if !errors.Is(err, errGone) {
			return err
		}
	}
}

// close ends the segment. No call of append may be under way.
func (a *appender) close() error {
	err := errors.Join(a.failed, a.flush())
	a.failed = nil
	if a.file == nil {
		return err
	}
	return errors.Join(err, a.abandon())
}
