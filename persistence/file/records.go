package file

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

const (
	segmentTime   = "20060102T150405.000000Z"
	segmentSuffix = ".log"
)

// segmentName is the name of a segment that begins now. Names sort by time.
func segmentName(now time.Time, random uint32) string {
	return strings.ToLower(now.UTC().Format(segmentTime)) + fmt.Sprintf("-%08x", random) + segmentSuffix
}

// isSegment tells the names that segmentName makes.
func isSegment(name string) bool {
	stem, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(stem) != len(segmentTime)+1+8 || stem[len(segmentTime)] != '-' {
		return false
	}
	if _, err := strconv.ParseUint(stem[len(segmentTime)+1:], 16, 32); err != nil {
		return false
	}
	_, err := time.Parse(segmentTime, strings.ToUpper(stem[:len(segmentTime)]))
	return err == nil && stem == strings.ToLower(stem)
}

// position is a place in a segment: its name, and the offset in bytes.
type position struct {
	segment string
	offset  int64
}

func (p position) String() string {
	return strings.TrimSuffix(p.segment, segmentSuffix) + "/" + strconv.FormatInt(p.offset, 10)
}

func parsePosition(s string) (position, bool) {
	stem, digits, _ := strings.Cut(s, "/")
	offset, err := strconv.ParseInt(digits, 10, 64)
	p := position{stem + segmentSuffix, offset}
	return p, err == nil && offset >= 0 && isSegment(p.segment)
}

// Records implements localpass.Log. Segments come in the order in which they
// were begun. A damaged line in the middle of a segment is left out and
// reported to Options.Logger; its position is that of the next good one.
func (s *Store) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) {
		left := opts.Limit
		more := true // false when the loop was left or the limit is reached
		err := s.eachRecord(ctx, log, opts, func(record localpass.Record) bool {
			if more = yield(record, nil); more {
				left--
				more = left != 0
			}
			return more
		})
		if err != nil && more {
			yield(localpass.Record{}, err)
		}
	}
}

func (s *Store) eachRecord(ctx context.Context, log string, opts localpass.LogOptions, yield func(localpass.Record) bool) error {
	if err := contract.Records(ctx, log, opts); err != nil {
		return err
	}
	if err := s.checkOpen(); err != nil {
		return err
	}
	var after position
	if opts.After != "" {
		var ok bool
		if after, ok = parsePosition(opts.After); !ok {
			return fmt.Errorf("localpass: the log %s has no position %q: use one that Records gave", log, opts.After)
		}
	}
	dir := s.logDir(log)
	names, err := readNames(dir)
	if err != nil {
		return fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !isSegment(name) || name < after.segment })
	slices.Sort(names)
	for _, name := range names {
		start := position{segment: name}
		if name == after.segment {
			start = after
		}
		goOn, err := s.eachInSegment(ctx, log, dir, start, yield)
		if err != nil || !goOn {
			return err
		}
	}
	return nil
}

// eachInSegment yields the records of one segment from a place on. It is false
// when yield was.
func (s *Store) eachInSegment(ctx context.Context, log, dir string, start position, yield func(localpass.Record) bool) (bool, error) {
	path := filepath.Join(dir, start.segment)
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // somebody has put it away
	}
	if err != nil {
		return false, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	defer f.Close()
	if _, err := f.Seek(start.offset, io.SeekStart); err != nil {
		return false, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	r := newSegmentReader(f, start, func(at position, why error) {
		s.warn("a part of a log is damaged and left out", filepath.Join(dir, at.segment)+" from byte "+strconv.FormatInt(at.offset, 10), why)
	})
	for {
		if ctx.Err() != nil {
			return false, contract.Ended(ctx, "log %s", log)
		}
		if err := s.checkOpen(); err != nil {
			return false, err
		}
		record, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
		}
		if !yield(record) {
			return false, nil
		}
	}
}

// segmentReader reads the records of a segment and tells a tail that was cut
// off, which a crash leaves and nobody needs to know, from damage in the middle.
type segmentReader struct {
	r      *bufio.Reader
	at     position // of the next line
	warn   func(at position, why error)
	long   []byte // a line that is longer than the buffer of r
	most   int64  // the longest line that is read
	queue  []localpass.Record
	head   int // what of the queue was given out
	ready  int // how many records from head on belong to a whole call
	more   int // how many lines must follow to make the rest whole
	damage *damage
}

// damage is a run of bad lines that may yet turn out to be the tail.
type damage struct {
	at  position
	why error
	cut bool // the last of the lines had no line break
}

func newSegmentReader(r io.Reader, start position, warn func(at position, why error)) *segmentReader {
	return &segmentReader{r: bufio.NewReaderSize(r, 32<<10), at: start, most: maxLine, warn: warn}
}

// next is the next record, or io.EOF.
func (r *segmentReader) next() (localpass.Record, error) {
	for r.ready == 0 {
		if err := r.line(); err != nil {
			return localpass.Record{}, err
		}
	}
	record := r.queue[r.head]
	r.head++
	r.ready--
	if r.head == len(r.queue) {
		r.queue, r.head = r.queue[:0], 0
	}
	return record, nil
}

// line reads one line. The records of one call of Append are ready when the
// last of them is read.
func (r *segmentReader) line() error {
	line, size, whole, err := r.readLine()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if size == 0 {
		return r.end()
	}
	begin := r.at
	r.at.offset += size
	content, bad := lineContent{}, errBadLine
	if whole {
		content, bad = parseLine(line)
	}
	if bad != nil {
		if r.damage == nil {
			r.damage = &damage{at: begin, why: bad}
		}
		r.damage.cut = errors.Is(err, io.EOF)
		return nil
	}
	// A good line: what is bad before it is no tail.
	waiting := len(r.queue) - r.head
	missing := waiting > 0 && content.more != r.more-1
	switch {
	case r.damage != nil:
		r.warn(r.damage.at, r.damage.why)
	case missing:
		r.warn(begin, errors.New("lines are missing"))
	}
	if r.damage != nil || missing {
		r.ready = waiting // what is left of the call before
	}
	r.damage = nil
	r.queue = append(r.queue, localpass.Record{Position: r.at.String(), Time: content.time, Data: json.RawMessage(bytes.Clone(content.data))})
	if r.more = content.more; r.more == 0 {
		r.ready = len(r.queue) - r.head
	}
	return nil
}

// end is the end of the segment. Records that wait for others of their call are
// a tail that was cut off.
func (r *segmentReader) end() error {
	if r.damage != nil && !r.damage.cut {
		r.warn(r.damage.at, r.damage.why)
	}
	r.queue, r.head, r.damage = nil, 0, nil
	return io.EOF
}

// readLine reads up to a line break, which it leaves out. size counts all bytes;
// whole is false for a line that has no end or is too long. The line is good
// until the next call.
func (r *segmentReader) readLine() (line []byte, size int64, whole bool, err error) {
	part, err := r.r.ReadSlice('\n')
	size = int64(len(part))
	if err == nil {
		return part[:len(part)-1], size, true, nil
	}
	r.long = append(r.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.r.ReadSlice('\n')
		if size += int64(len(part)); size <= r.most {
			r.long = append(r.long, part...)
		}
	}
	if err == nil && size <= r.most {
		return r.long[:len(r.long)-1], size, true, nil
	}
	return nil, size, false, err
}
