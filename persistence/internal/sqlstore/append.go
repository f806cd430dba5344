package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

var errClosedWriter = fmt.Errorf("%w: the writer of a log", localpass.ErrClosed)

// appender appends to one segment after the other, which belong to it alone. Calls that
// come while a statement runs share the next one.
type appender struct {
	store *Store
	log   string
	limit int64 // size at which a segment ends by itself; 0 for none

	mu      sync.Mutex // guards what follows
	waiting []*call
	running bool // a goroutine executes calls, and alone uses segment
	segment struct {
		id, records, size int64 // id 0: there is none
		session           *Session
	}
}

// call is an Append, or, without records, a Rotate.
type call struct {
	records []json.RawMessage
	done    chan struct{}
	err     error
}

// do executes a call and returns when it is done or ctx ended.
func (a *appender) do(ctx context.Context, records []json.RawMessage) error {
	if err := a.store.startWrite(); err != nil {
		return err
	}
	c := &call{records: records, done: make(chan struct{})}
	a.mu.Lock()
	a.waiting = append(a.waiting, c)
	if a.running {
		a.store.calls.Done() // the running goroutine counts for this call too
	} else {
		a.running = true
		go a.run()
	}
	a.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return contract.Ended(ctx, "appending to the log %s", a.log)
	}
}

// run executes calls until none waits.
func (a *appender) run() {
	defer a.store.calls.Done()
	ctx := context.Background()
	for {
		a.mu.Lock()
		calls := a.waiting
		a.waiting = nil
		if len(calls) == 0 {
			a.running = false
			a.mu.Unlock()
			return
		}
		a.mu.Unlock()
		for len(calls) > 0 {
			n := 1
			if len(calls[0].records) == 0 {
				calls[0].err = a.endSegment(ctx)
			} else {
				var err error
				n, err = a.insert(ctx, calls)
				for _, c := range calls[:n] {
					c.err = err
				}
			}
			for _, c := range calls[:n] {
				close(c.done)
			}
			calls = calls[n:]
		}
	}
}

// end ends the segment of an appender that nobody uses any more.
func (a *appender) end(ctx context.Context) error { return a.endSegment(ctx) }

func (a *appender) endSegment(ctx context.Context) error {
	if a.segment.id == 0 {
		return nil
	}
	s := a.store
	err := s.exclusive(ctx, "ending a segment of the log "+a.log, func() error {
		s.step()
		return a.segment.session.execute(ctx, Statement{s.sql.endSegment, []any{a.segment.id}})
	})
	if a.segment.session.isLost() {
		err = nil // it ended with its session
	}
	if err == nil {
		a.segment.id, a.segment.records, a.segment.size = 0, 0, 0
	}
	return err
}

// A statement has at most these records and bytes, so that calls that wait together
// don't make it too large; a single call may be larger.
const (
	maxStatementRecords = 500
	maxStatementSize    = 8 << 20
)

// insert appends the records of one or more of the calls and returns how many calls that
// were.
func (a *appender) insert(ctx context.Context, calls []*call) (n int, err error) {
	var records []json.RawMessage
	size := int64(0)
	for _, c := range calls {
		if len(c.records) == 0 || n > 0 && (len(records)+len(c.records) > maxStatementRecords || size > maxStatementSize) {
			break
		}
		for _, data := range c.records {
			size += int64(len(data))
		}
		records = append(records, c.records...)
		n++
	}
	if a.segment.id != 0 && (a.segment.session.isLost() || a.limit > 0 && a.segment.size >= a.limit) {
		if err := a.endSegment(ctx); err != nil {
			return n, err
		}
	}
	for {
		fresh := a.segment.id == 0
		err = a.store.exclusive(ctx, "appending to the log "+a.log, func() error {
			if fresh {
				return a.begin(ctx, records)
			}
			a.store.step()
			return a.segment.session.execute(ctx, a.statements(records)...)
		})
		if err == nil {
			a.segment.records += int64(len(records))
			a.segment.size += size
			return n, nil
		}
		if fresh || !a.store.cfg.SegmentGone(err) {
			if fresh {
				a.segment.id = 0
			}
			return n, err
		}
		a.segment.id, a.segment.records, a.segment.size = 0, 0, 0 // someone removed it
	}
}

// begin starts a segment with its first records.
func (a *appender) begin(ctx context.Context, records []json.RawMessage) error {
	session, err := a.store.logSession(ctx)
	if err != nil {
		return err
	}
	a.segment.session, a.segment.records, a.segment.size = session, 0, 0
	return session.begin(ctx, a.store, a.log, func(id int64) []Statement {
		a.segment.id = id
		return a.statements(records)
	})
}

// statements returns the statements that insert records at the end of the segment.
func (a *appender) statements(records []json.RawMessage) (statements []Statement) {
	now, n, total := a.store.now(), a.segment.records, a.segment.size
	for part := range slices.Chunk(records, maxStatementRecords) {
		var b strings.Builder
		b.WriteString("INSERT INTO localpass_log_records (segment, n, total, time, data) VALUES ")
		args := make([]any, 0, 5*len(part))
		for i, data := range part {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("(?, ?, ?, ?, ?)")
			n, total = n+1, total+int64(len(data))
			args = append(args, a.segment.id, n, total, now, string(data))
		}
		statements = append(statements, Statement{placeholders(b.String(), a.store.cfg.Numbered), args})
	}
	return statements
}

// exclusive runs work while no other write of this store uses Config.Writer, and repeats
// it after a transient error.
func (s *Store) exclusive(ctx context.Context, what string, work func() error) error {
	if s.cfg.Writer != nil {
		s.turn <- struct{}{}
		defer func() { <-s.turn }()
	}
	return s.repeat(ctx, what, work)
}

// logSession returns the session of the store, a new one if there is none or it is lost.
func (s *Store) logSession(ctx context.Context) (*Session, error) {
	s.mu.Lock()
	session := s.session
	s.mu.Unlock()
	if session != nil && !session.isLost() {
		return session, nil
	}
	fresh, err := s.cfg.Session(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if current := s.session; current != session && current != nil && !current.isLost() { // another appender was faster
		return current, fresh.End()
	}
	if session != nil {
		session.End()
	}
	s.session = fresh
	return fresh, nil
}

// compactAll checks records and removes their white space.
func compactAll(log string, records []json.RawMessage) ([]json.RawMessage, error) {
	compact := make([]json.RawMessage, len(records))
	for i, record := range records {
		data, err := contract.Compact(record)
		if err != nil {
			return nil, fmt.Errorf("localpass: cannot append record %d of %d to the log %s: %w", i+1, len(records), log, err)
		}
		compact[i] = data
	}
	return compact, nil
}

// Append implements localpass.Log. Records survive a power failure as documents do.
func (s *Store) Append(ctx context.Context, log string, records ...json.RawMessage) error {
	if err := contract.Named(ctx, log); err != nil {
		return err
	}
	compact, err := compactAll(log, records)
	if err != nil {
		return err
	}
	if len(compact) == 0 {
		return s.checkOpen()
	}
	s.mu.Lock()
	a := s.appenders[log]
	if a == nil {
		a = &appender{store: s, log: log, limit: s.cfg.SegmentSize}
		s.appenders[log] = a
	}
	s.mu.Unlock()
	return a.do(ctx, compact)
}

// LogWriter implements localpass.LogSegments.
func (s *Store) LogWriter(log string) (localpass.LogWriter, error) {
	if err := localpass.CheckCollection(log); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return nil, contract.Closed(s.cfg.Name)
	}
	w := &writer{appender: appender{store: s, log: log}}
	s.writers[w] = struct{}{}
	return w, nil
}

// writer is a localpass.LogWriter.
type writer struct {
	appender
	closing sync.RWMutex // held for reading by each call
	closed  bool
}

func (w *writer) Append(ctx context.Context, records ...json.RawMessage) error {
	if ctx.Err() != nil {
		return contract.Ended(ctx, "appending to the log %s", w.log)
	}
	compact, err := compactAll(w.log, records)
	if err != nil {
		return err
	}
	w.closing.RLock()
	defer w.closing.RUnlock()
	switch {
	case w.closed:
		return errClosedWriter
	case len(compact) == 0:
		return w.store.checkOpen()
	}
	return w.do(ctx, compact)
}

func (w *writer) Rotate(ctx context.Context) error {
	if ctx.Err() != nil {
		return contract.Ended(ctx, "ending a segment of the log %s", w.log)
	}
	w.closing.RLock()
	defer w.closing.RUnlock()
	if w.closed {
		return errClosedWriter
	}
	return w.do(ctx, nil)
}

func (w *writer) Close() error {
	w.closing.Lock()
	defer w.closing.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.do(context.Background(), nil)
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.store.isClosed { // Close of the store ends the segment
		return nil
	}
	delete(w.store.writers, w)
	return err
}
