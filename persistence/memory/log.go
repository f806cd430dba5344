package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// Append implements localpass.Log.
func (s *Store) Append(ctx context.Context, log string, records ...json.RawMessage) error {
	if err := contract.Named(ctx, log); err != nil {
		return err
	}
	compact := make([]json.RawMessage, len(records))
	for i, record := range records {
		data, err := contract.Compact(record)
		if err != nil {
			return fmt.Errorf("localpass: cannot append record %d of %d to the log %s: %w", i+1, len(records), log, err)
		}
		compact[i] = data
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	if s.logs == nil {
		s.logs = make(map[string][]localpass.Record)
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	kept := s.logs[log]
	for _, data := range compact {
		kept = append(kept, localpass.Record{Position: strconv.Itoa(len(kept) + 1), Time: now, Data: data})
	}
	s.logs[log] = kept
	return nil
}

// Records implements localpass.Log. A loop sees the log as it was when the loop
// began.
func (s *Store) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) {
		records, err := s.records(ctx, log, opts)
		if err != nil {
			yield(localpass.Record{}, err)
			return
		}
		for _, record := range records {
			if ctx.Err() != nil {
				yield(localpass.Record{}, contract.Ended(ctx, "log %s", log))
				return
			}
			record.Data = slices.Clone(record.Data)
			if !yield(record, nil) {
				return
			}
		}
	}
}

func (s *Store) records(ctx context.Context, log string, opts localpass.LogOptions) ([]localpass.Record, error) {
	if err := contract.Records(ctx, log, opts); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed()
	}
	records := s.logs[log] // only ever appended to, so the slice is a snapshot
	if opts.After != "" {
		after, err := strconv.Atoi(opts.After)
		if err != nil || after < 1 || after > len(records) {
			return nil, fmt.Errorf("localpass: the log %s has no position %q: use one that Records gave", log, opts.After)
		}
		records = records[after:]
	}
	if opts.Limit > 0 && opts.Limit < len(records) {
		records = records[:opts.Limit]
	}
	return records, nil
}
