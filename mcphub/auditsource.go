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
}

// auditLine is one record and where it stands, or what stands there instead.
type auditLine struct {
	number int
	data   []byte
	fault  *logline.Fault
}

// storeSources lists the segments of a store.
func storeSources(ctx context.Context, store localpass.Persistence) ([]auditSource, error) {
	of := func(records iter.Seq2[json.RawMessage, error]) func(context.Context) iter.Seq2[auditLine, error] {
		return func(context.Context) iter.Seq2[auditLine, error] {
			return func(yield func(auditLine, error) bool) {
				n := 0
				for data, err := range records {
					if errors.Is(err, localpass.ErrNotFound) {
						return // removed meanwhile, and a later segment says so
					}
					n++
					if !yield(auditLine{number: n, data: scan.Compact(nil, data)}, err) {
						return
					}
				}
			}
		}
	}
	segments, ok := store.(localpass.LogSegments)
	if !ok {
		return []auditSource{{name: auditLog, lines: of(readAudit(ctx, store, ""))}}, nil
	}
	list, err := segments.Segments(ctx, auditLog)
	if err != nil {
		return nil, err
	}
	var sources []auditSource
	for _, s := range list {
		sources = append(sources, auditSource{name: s.ID, lines: of(readAudit(ctx, store, s.ID))})
	}
	return sources, nil
}

// readAudit yields what was appended, as it stands in the store: all of it, or
// one segment.
func readAudit(ctx context.Context, store localpass.Persistence, segment string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		if log, ok := store.(localpass.Log); ok {
			for r, err := range log.Records(ctx, auditLog, localpass.LogOptions{Segment: segment}) {
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
