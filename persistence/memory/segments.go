package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// writer implements localpass.LogWriter. The store's lock guards it.
type writer struct {
	store  *Store
	log    string
	own    *segment // nil: the next Append starts one
	closed bool
}

// LogWriter implements localpass.LogSegments.
func (s *Store) LogWriter(name string) (localpass.LogWriter, error) {
	if err := localpass.CheckCollection(name); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed()
	}
	return &writer{store: s, log: name}, nil
}

func (w *writer) Append(ctx context.Context, records ...json.RawMessage) error {
	return w.store.appendTo(ctx, w.log, func(*log) (**segment, error) { return &w.own, w.errClosed() }, records)
}

// errClosed returns nil while the writer is open.
func (w *writer) errClosed() error {
	if !w.closed {
		return nil
	}
	return fmt.Errorf("%w: this writer of the log %s", localpass.ErrClosed, w.log)
}

func (w *writer) Rotate(ctx context.Context) error {
	if err := contract.Named(ctx, w.log); err != nil {
		return err
	}
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.store.closed {
		return errClosed()
	}
	if err := w.errClosed(); err != nil {
		return err
	}
	w.detach()
	return nil
}

func (w *writer) Close() error {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.detach()
	w.closed = true
	return nil
}

func (w *writer) detach() {
	if w.own != nil {
		w.own.open = false
		w.own = nil
	}
}

// Segments implements localpass.LogSegments. The size is that of the data.
func (s *Store) Segments(ctx context.Context, name string) ([]localpass.LogSegment, error) {
	l, unlock, err := s.readLog(ctx, name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	segments := make([]localpass.LogSegment, len(l.segments))
	for i, seg := range l.segments {
		segments[i] = localpass.LogSegment{ID: seg.id, Size: seg.size, Updated: seg.updated}
	}
	return segments, nil
}

// SegmentTail implements localpass.LogSegments.
func (s *Store) SegmentTail(ctx context.Context, name, id string) (localpass.LogTail, error) {
	l, unlock, err := s.readLog(ctx, name)
	if err != nil {
		return localpass.LogTail{}, err
	}
	defer unlock()
	i, ok := l.find(id)
	if !ok {
		return localpass.LogTail{}, contract.NoSegment(name, id)
	}
	seg := l.segments[i]
	last := seg.records[len(seg.records)-1] // a segment has at least one record
	last.Data = slices.Clone(last.Data)
	return localpass.LogTail{Last: last, Open: seg.open}, nil
}

// readLog returns a log, possibly empty, that may be read until unlock is called.
func (s *Store) readLog(ctx context.Context, name string) (l *log, unlock func(), err error) {
	if err := contract.Named(ctx, name); err != nil {
		return nil, nil, err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return nil, nil, errClosed()
	}
	if l = s.logs[name]; l == nil {
		l = &log{}
	}
	return l, s.mu.RUnlock, nil
}

// RemoveSegment implements localpass.LogSegments.
func (s *Store) RemoveSegment(ctx context.Context, name, id string) error {
	if err := contract.Named(ctx, name); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	l := s.logs[name]
	if l == nil {
		return contract.NoSegment(name, id)
	}
	i, ok := l.find(id)
	if !ok {
		return contract.NoSegment(name, id)
	}
	if l.segments[i].open {
		return contract.OpenSegment(name, id)
	}
	l.segments = slices.Delete(slices.Clone(l.segments), i, i+1)
	return nil
}
