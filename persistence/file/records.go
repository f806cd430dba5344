package file

import (
	"context"
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
	"github.com/localpass/localpass/internal/logline"
	"github.com/localpass/localpass/persistence/internal/contract"
)

const (
	segmentTime   = "20060102T150405.000000Z"
	segmentSuffix = ".log"
)

// segmentName returns the name of a segment that starts now. Names sort by time.
func segmentName(now time.Time, random uint32) string {
	return strings.ToLower(now.UTC().Format(segmentTime)) + fmt.Sprintf("-%08x", random) + segmentSuffix
}

// isSegment reports whether segmentName makes such a name.
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

// segmentNames lists the segments in a directory, in their order.
func segmentNames(dir string) ([]string, error) {
	names, err := readNames(dir)
	names = slices.DeleteFunc(names, func(name string) bool { return !isSegment(name) })
	slices.Sort(names)
	return names, err
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

// Records implements localpass.Log. It reads the segments in the order in which they were
// started. It leaves out a damaged line in the middle of a segment and reports it to
// Options.Logger; the position of the next good record covers it.
func (s *Store) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) {
		left := opts.Limit
		more := true // false when the caller left the loop or the limit is reached
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
			return contract.NoPosition(log, opts.After)
		}
	}
	dir := s.logDir(log)
	var names []string
	if opts.Segment == "" {
		var err error
		if names, err = segmentNames(dir); err != nil {
			return fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
		}
	} else {
		path, err := s.segmentPath(log, opts.Segment)
		if err != nil {
			return err
		}
		names = []string{filepath.Base(path)}
	}
	for _, name := range names {
		if name < after.segment {
			continue
		}
		start := position{segment: name}
		if name == after.segment {
			start = after
		}
		goOn, err := s.eachInSegment(ctx, log, dir, start, opts.Damaged, yield)
		if err != nil || !goOn {
			return err
		}
	}
	return nil
}

// eachInSegment yields the records of one segment from a place on. It returns false when
// yield did.
func (s *Store) eachInSegment(ctx context.Context, log, dir string, start position, damaged func(error), yield func(localpass.Record) bool) (bool, error) {
	path := filepath.Join(dir, start.segment)
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // another process has removed it
	}
	if err != nil {
		return false, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	defer f.Close()
	if _, err := f.Seek(start.offset, io.SeekStart); err != nil {
		return false, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
	}
	r := logline.NewReader(f, start.offset, maxLine, s.faults(filepath.Join(dir, start.segment), damaged))
	for {
		if ctx.Err() != nil {
			return false, contract.Ended(ctx, "log %s", log)
		}
		if err := s.checkOpen(); err != nil {
			return false, err
		}
		entry, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("localpass: cannot read the log %s: %w", log, err)
		}
		if !yield(record(start.segment, entry)) {
			return false, nil
		}
	}
}

func record(segment string, entry logline.Entry) localpass.Record {
	return localpass.Record{Position: position{segment, entry.End}.String(), Time: entry.Time, Data: entry.Data}
}

// faults reports what is left out of a segment, except a cut-off tail: a crash leaves
// one, which needs no report.
func (s *Store) faults(path string, damaged func(error)) func(logline.Fault) {
	return func(f logline.Fault) {
		if !f.Cut {
			s.warn("a part of a log is damaged and left out", path+" from byte "+strconv.FormatInt(f.Offset, 10), f.Why)
			if damaged != nil && !f.Gone {
				damaged(f.Why)
			}
		}
	}
}
