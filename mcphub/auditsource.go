package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/logline"
)

// auditSource is a segment, or a log that has none.
type auditSource struct {
	name  string
	lines func(ctx context.Context) iter.Seq2[auditLine, error]
	// bare tells of a segment without a whole record how many bytes stand there,
	// and whether that can be as it should: somebody is about to write it, or has
	// removed it. It is nil for a log without segments.
	bare func(ctx context.Context) (size int64, fine bool, err error)
}

// auditLine is one record and where it stands, or what stands there instead.
type auditLine struct {
	number int
	data   []byte
	fault  *logline.Fault
}

// storeSources lists the segments of a store.
func storeSources(ctx context.Context, store localpass.Persistence) ([]auditSource, error) {
	segments, ok := store.(localpass.LogSegments)
	if !ok {
		return []auditSource{{name: auditLog, lines: storeLines(store, "")}}, nil
	}
	list, err := segments.Segments(ctx, auditLog)
	if err != nil {
		return nil, err
	}
	var sources []auditSource
	for _, s := range list {
		sources = append(sources, auditSource{name: s.ID, lines: storeLines(store, s.ID), bare: func(ctx context.Context) (int64, bool, error) {
			tail, err := segments.SegmentTail(ctx, auditLog, s.ID)
			if errors.Is(err, localpass.ErrNotFound) {
				return 0, true, nil
			}
			return tail.Torn, tail.Open || tail.Last.Data != nil, err
		}})
	}
	return sources, nil
}

// storeLines reads a segment of a store, or all of its log.
func storeLines(store localpass.Persistence, segment string) func(context.Context) iter.Seq2[auditLine, error] {
	return func(ctx context.Context) iter.Seq2[auditLine, error] {
		return func(yield func(auditLine, error) bool) {
			n := 0
			var faults []error
			tell := func() bool {
				for _, why := range faults {
					n++
					if !yield(auditLine{number: n, fault: &logline.Fault{Line: n, Why: why}}, nil) {
						return false
					}
				}
				faults = faults[:0]
				return true
			}
			for data, err := range readAudit(ctx, store, segment, func(why error) { faults = append(faults, why) }) {
				if errors.Is(err, localpass.ErrNotFound) {
					return // removed meanwhile, and a later segment says so
				}
				if !tell() {
					return
				}
				n++
				if !yield(auditLine{number: n, data: scan.Compact(nil, data)}, err) {
					return
				}
			}
			tell()
		}
	}
}

// readAudit yields what was appended, as it stands in the store: all of it, or
// one segment. damaged, if not nil, is told of what cannot be read.
func readAudit(ctx context.Context, store localpass.Persistence, segment string, damaged func(why error)) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if log, ok := store.(localpass.Log); ok {
			for r, err := range log.Records(ctx, auditLog, localpass.LogOptions{Segment: segment, Damaged: damaged}) {
				if !yield(r.Data, err) || err != nil {
					return
				}
			}
			return
		}
		for d, err := range store.List(ctx, auditLog, localpass.ListOptions{}) {
			if !yield(d.Data, err) || err != nil {
				return
			}
		}
	}
}
