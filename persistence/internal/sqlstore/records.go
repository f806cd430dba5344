package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// A segment is named by its number, in a form that sorts like it.
const idFormat = "%019d"

func segmentName(id int64) string { return fmt.Sprintf(idFormat, id) }

func segmentID(name string) (id int64, ok bool) {
	id, err := strconv.ParseInt(name, 10, 64)
	return id, err == nil && id > 0 && segmentName(id) == name
}

// position is a place in a log: after the record with number n of a segment.
type position struct{ segment, n int64 }

func (p position) String() string { return segmentName(p.segment) + "/" + strconv.FormatInt(p.n, 10) }

func parsePosition(text string) (p position, ok bool) {
	name, number, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(number, 10, 64)
	id, ok := segmentID(name)
	return position{id, n}, ok && err == nil && n > 0
}

// Records implements localpass.Log. Positions are ordered by segment: if a second program
// appends to a segment that began earlier, these records lie before any position in a
// later segment.
func (s *Store) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) {
		if err := s.eachRecord(ctx, log, opts, yield); err != nil {
			yield(localpass.Record{}, err)
		}
	}
}

// eachRecord returns nil when the caller left the loop.
func (s *Store) eachRecord(ctx context.Context, log string, opts localpass.LogOptions, yield func(localpass.Record, error) bool) error {
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
	ids, err := s.segmentsToRead(ctx, log, opts.Segment)
	if err != nil {
		return err
	}
	left := opts.Limit
	for _, id := range ids {
		at := position{segment: id}
		switch {
		case id < after.segment:
			continue
		case id == after.segment:
			at = after
		}
		for {
			size := pageSize
			if left > 0 {
				size = min(size, left)
			}
			records, err := s.recordPage(ctx, log, at, size)
			if err != nil {
				return err
			}
			for _, record := range records {
				if ctx.Err() != nil {
					return contract.Ended(ctx, "log %s", log)
				}
				if !yield(record, nil) {
					return nil
				}
				if left--; left == 0 {
					return nil
				}
				at.n++
			}
			if len(records) < size {
				break
			}
		}
	}
	return nil
}

func (s *Store) segmentsToRead(ctx context.Context, log, only string) (ids []int64, err error) {
	if only != "" {
		head, err := s.head(ctx, log, only)
		return []int64{head.id}, err
	}
	err = s.repeat(ctx, "reading the log "+log, func() error {
		ids = ids[:0]
		return each(ctx, s.cfg.DB, s.sql.segmentIDs, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, log)
	})
	return ids, err
}

func (s *Store) recordPage(ctx context.Context, log string, after position, size int) (page []localpass.Record, err error) {
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	err = s.repeat(ctx, "reading the log "+log, func() error {
		page = page[:0]
		return each(ctx, s.cfg.DB, s.sql.records, func(rows *sql.Rows) error {
			var r localpass.Record
			var n int64
			var data []byte
			if err := rows.Scan(&n, &r.Time, &data); err != nil {
				return err
			}
			r.Position, r.Time, r.Data = position{after.segment, n}.String(), r.Time.UTC(), data
			page = append(page, r)
			return nil
		}, after.segment, after.n, size)
	})
	return page, err
}

// head is a segment with its last record.
type head struct {
	id      int64
	session string
	ended   bool
	n, size int64
	time    time.Time
	data    []byte
}

func (h *head) scan(scan func(...any) error) error {
	err := scan(&h.id, &h.session, &h.ended, &h.n, &h.size, &h.time, &h.data)
	h.time = h.time.UTC()
	return err
}

// head returns a segment by its name.
func (s *Store) head(ctx context.Context, log, name string) (h head, err error) {
	if err := s.checkOpen(); err != nil {
		return head{}, err
	}
	id, ok := segmentID(name)
	if !ok {
		return head{}, contract.NoSegment(log, name)
	}
	err = s.repeat(ctx, "reading the log "+log, func() error {
		err := h.scan(s.cfg.DB.QueryRowContext(ctx, s.sql.segment, log, id).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return contract.NoSegment(log, name)
		}
		return err
	})
	return h, err
}

// Segments implements localpass.LogSegments.
func (s *Store) Segments(ctx context.Context, log string) (segments []localpass.LogSegment, err error) {
	if err := contract.Named(ctx, log); err != nil {
		return nil, err
	}
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	err = s.repeat(ctx, "reading the log "+log, func() error {
		segments = segments[:0]
		return each(ctx, s.cfg.DB, s.sql.segments, func(rows *sql.Rows) error {
			var h head
			if err := h.scan(rows.Scan); err != nil {
				return err
			}
			segments = append(segments, localpass.LogSegment{ID: segmentName(h.id), Size: h.size, Updated: h.time})
			return nil
		}, log)
	})
	return segments, err
}

// SegmentTail implements localpass.LogSegments.
func (s *Store) SegmentTail(ctx context.Context, log, segment string) (localpass.LogTail, error) {
	if err := contract.Named(ctx, log); err != nil {
		return localpass.LogTail{}, err
	}
	// Whether it is open is asked before its end is read, so that the end of a segment
	// that is not open is the last.
	h, err := s.head(ctx, log, segment)
	if err != nil {
		return localpass.LogTail{}, err
	}
	open, err := s.isOpen(ctx, log, h.session, h.ended)
	if err != nil {
		return localpass.LogTail{}, err
	}
	if !open {
		if h, err = s.head(ctx, log, segment); err != nil {
			return localpass.LogTail{}, err
		}
	}
	return localpass.LogTail{
		Last: localpass.Record{Position: position{h.id, h.n}.String(), Time: h.time, Data: h.data},
		Open: open,
	}, nil
}

// isOpen reports whether the writer of a segment may still append to it.
func (s *Store) isOpen(ctx context.Context, log, session string, ended bool) (live bool, err error) {
	if ended {
		return false, nil
	}
	err = s.repeat(ctx, "looking for the writer of the log "+log, func() error {
		live, err = s.cfg.Live(ctx, session)
		return err
	})
	return live, err
}

// RemoveSegment implements localpass.LogSegments.
func (s *Store) RemoveSegment(ctx context.Context, log, segment string) error {
	if err := contract.Named(ctx, log); err != nil {
		return err
	}
	id, ok := segmentID(segment)
	if !ok {
		return contract.NoSegment(log, segment)
	}
	return s.write(ctx, "removing a segment of the log "+log, false, func(ctx context.Context, q querier) error {
		var session string
		var ended bool
		err := q.QueryRowContext(ctx, s.sql.lockSegment, log, id).Scan(&session, &ended)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return contract.NoSegment(log, segment)
		case err != nil:
			return err
		}
		if !ended {
			live, err := s.cfg.Live(ctx, session)
			if err != nil {
				return err
			}
			if live {
				return contract.OpenSegment(log, segment)
			}
		}
		s.step()
		_, err = q.ExecContext(ctx, s.sql.removeSegment, id)
		return err
	})
}
