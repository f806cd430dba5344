package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// log is one log: its segments in the order in which they were started.
type log struct {
	segments []*segment
	begun    int      // number of segments ever started
	own      *segment // the segment of Append; nil when there is none
}

// segment holds records. They are only ever appended to, so a copy of the slice is a
// snapshot.
type segment struct {
	id      string
	records []localpass.Record
	size    int64
	updated time.Time
	open    bool
}

const idFormat = "%016d" // sorts like the number

// nextSegment starts the next segment.
func (l *log) nextSegment() *segment {
	l.begun++
	s := &segment{id: fmt.Sprintf(idFormat, l.begun), open: true}
	l.segments = append(l.segments, s)
	return s
}

func (l *log) find(id string) (int, bool) {
	return slices.BinarySearchFunc(l.segments, id, func(s *segment, id string) int { return strings.Compare(s.id, id) })
}

// Append implements localpass.Log.
func (s *Store) Append(ctx context.Context, name string, records ...json.RawMessage) error {
	return s.appendTo(ctx, name, func(l *log) (**segment, error) { return &l.own, nil }, records)
}

// appendTo appends to the segment that where returns, and starts one when there is none.
func (s *Store) appendTo(ctx context.Context, name string, where func(*log) (**segment, error), records []json.RawMessage) error {
	if err := contract.Named(ctx, name); err != nil {
		return err
	}
	compact := make([]json.RawMessage, len(records))
	for i, record := range records {
		data, err := contract.Compact(record)
		if err != nil {
			return fmt.Errorf("localpass: cannot append record %d of %d to the log %s: %w", i+1, len(records), name, err)
		}
		compact[i] = data
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	if len(compact) == 0 {
		return nil
	}
	if s.logs == nil {
		s.logs = make(map[string]*log)
	}
	l := s.logs[name]
	if l == nil {
		l = &log{}
		s.logs[name] = l
	}
	to, err := where(l)
	if err != nil {
		return err
	}
	if *to == nil {
		*to = l.nextSegment()
	}
	seg := *to
	seg.updated = time.Now().UTC().Truncate(time.Microsecond)
	for _, data := range compact {
		seg.size += int64(len(data))
		seg.records = append(seg.records, localpass.Record{Position: seg.id + "/" + strconv.Itoa(len(seg.records)+1), Time: seg.updated, Data: data})
	}
	return nil
}

// Records implements localpass.Log. A loop sees the log as it was when the loop
// began.
func (s *Store) Records(ctx context.Context, name string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) {
		parts, err := s.records(ctx, name, opts)
		if err != nil {
			yield(localpass.Record{}, err)
			return
		}
		left := opts.Limit
		for _, records := range parts {
			for _, record := range records {
				if ctx.Err() != nil {
					yield(localpass.Record{}, contract.Ended(ctx, "log %s", name))
					return
				}
				record.Data = slices.Clone(record.Data)
				if !yield(record, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// records collects the records to be read, segment by segment.
func (s *Store) records(ctx context.Context, name string, opts localpass.LogOptions) ([][]localpass.Record, error) {
	if err := contract.Records(ctx, name, opts); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed()
	}
	l := s.logs[name]
	if l == nil {
		l = &log{}
	}
	after, skip, err := l.after(name, opts.After)
	if err != nil {
		return nil, err
	}
	segments := l.segments
	if opts.Segment != "" {
		i, ok := l.find(opts.Segment)
		if !ok {
			return nil, contract.NoSegment(name, opts.Segment)
		}
		segments = segments[i : i+1]
	}
	var parts [][]localpass.Record
	for _, seg := range segments {
		switch {
		case seg.id < after:
		case seg.id == after:
			parts = append(parts, seg.records[min(skip, len(seg.records)):])
		default:
			parts = append(parts, seg.records)
		}
	}
	return parts, nil
}

// after reads a position: the segment, and how many of its records lie before the
// position. The segment may be gone.
func (l *log) after(name, position string) (id string, records int, err error) {
	if position == "" {
		return "", 0, nil
	}
	id, index, _ := strings.Cut(position, "/")
	number, err := strconv.Atoi(id)
	if err == nil {
		records, err = strconv.Atoi(index)
	}
	if err != nil || number < 1 || number > l.begun || records < 1 || fmt.Sprintf(idFormat, number) != id {
		return "", 0, contract.NoPosition(name, position)
	}
	return id, records, nil
}
