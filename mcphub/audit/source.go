package audit

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/logline"
)

// logSource is a segment, or a log without segments.
type logSource struct {
	name  string
	lines func(ctx context.Context) iter.Seq2[sourceLine, error]
	// bare returns, for a segment without a complete record, how many bytes it holds and
	// whether that can be legitimate because a program is about to write it or has
	// removed it. It is nil for a log without segments.
	bare func(ctx context.Context) (size int64, fine bool, err error)
}

// sourceLine is one record and its position, or what was found in its place.
type sourceLine struct {
	number int
	data   []byte
	fault  *logline.Fault
}

// storeSources lists the segments of a store.
func storeSources(ctx context.Context, store localpass.Persistence) ([]logSource, error) {
	segments, ok := store.(localpass.LogSegments)
	if !ok {
		return []logSource{{name: logName, lines: storeLines(store, "")}}, nil
	}
	list, err := segments.Segments(ctx, logName)
	if err != nil {
		return nil, err
	}
	var sources []logSource
	for _, s := range list {
		sources = append(sources, logSource{name: s.ID, lines: storeLines(store, s.ID), bare: func(ctx context.Context) (int64, bool, error) {
			tail, err := segments.SegmentTail(ctx, logName, s.ID)
			if errors.Is(err, localpass.ErrNotFound) {
				return 0, true, nil
			}
			return tail.Torn, tail.Open || tail.Last.Data != nil, err
		}})
	}
	return sources, nil
}

// storeLines reads a segment of a store, or its whole log.
func storeLines(store localpass.Persistence, segment string) func(context.Context) iter.Seq2[sourceLine, error] {
	return func(ctx context.Context) iter.Seq2[sourceLine, error] {
		return func(yield func(sourceLine, error) bool) {
			n := 0
			var faults []error
			tell := func() bool {
				for _, why := range faults {
					n++
					if !yield(sourceLine{number: n, fault: &logline.Fault{Line: n, Why: why}}, nil) {
						return false
					}
				}
				faults = faults[:0]
				return true
			}
			for data, err := range readAudit(ctx, store, segment, func(why error) { faults = append(faults, why) }) {
				if errors.Is(err, localpass.ErrNotFound) {
					return // removed in the meantime, which a later segment records
				}
				if !tell() {
					return
				}
				n++
				if !yield(sourceLine{number: n, data: scan.Compact(nil, data)}, err) {
					return
				}
			}
			tell()
		}
	}
}

// readAudit yields the records as they are in the store: all of them, or one segment.
// damaged, if not nil, is called with content that cannot be read.
func readAudit(ctx context.Context, store localpass.Persistence, segment string, damaged func(why error)) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if log, ok := store.(localpass.Log); ok {
			for r, err := range log.Records(ctx, logName, localpass.LogOptions{Segment: segment, Damaged: damaged}) {
				if !yield(r.Data, err) || err != nil {
					return
				}
			}
			return
		}
		for d, err := range store.List(ctx, logName, localpass.ListOptions{}) {
			if !yield(d.Data, err) || err != nil {
				return
			}
		}
	}
}
