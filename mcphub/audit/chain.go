package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// storeLog writes records to a store before Audit returns. Calls that arrive together
// share one write: a caller that finds no write in progress writes the records of all
// waiting callers.
//
// Each record contains its chain (one per hub and run), its number in the chain and the
// digest of the previous record, so that [Verify] detects records that were changed,
// removed or inserted. A chain starts with a begin record and ends with a seal; in a
// store with segments, so does each segment.
type storeLog struct {
	store    localpass.Persistence
	log      localpass.Log         // nil if the store has no logs
	segments localpass.LogSegments // nil if its logs have no segments
	opts     Options
	clock    clock.Clock
	logger   *slog.Logger

	mu      sync.Mutex
	writing bool
	queue   []*queued

	work    context.Context // ends the background work
	stop    context.CancelFunc
	running sync.WaitGroup

	turn sync.Mutex // held while the chain is written; guards the fields below
	chainState
	head     recordHead // the last record known to be written
	writer   localpass.LogWriter
	broken   bool // a write failed: the content of the segment is unknown
	closed   bool
	midnight *time.Timer
	removing bool
}

// chainState is the position of the chain, and its segment.
type chainState struct {
	chain string
	seq   uint64
	prev  string

	begun   bool      // the segment has its first record
	day     time.Time // the day on which the segment was started
	size    int64     // of the segment, in bytes
	records uint64    // in the segment
}

// queued is a record that waits to be written. turn receives nil when it is its owner's
// turn to write the queue, and is closed when the record has been written.
type queued struct {
	buf  []byte // linkSpace bytes, followed by the record
	turn chan struct{}
	err  error
	done bool
}

// linkSpace is the space for the members that link a record to the previous one.
const linkSpace = 192

func newStoreLog(store localpass.Persistence, opts Options, logger *slog.Logger) *storeLog {
	a := &storeLog{store: store, opts: opts, logger: logger}
	a.opts.SegmentSize = cmp.Or(max(opts.SegmentSize, 0), defaultSegment)
	a.log, _ = store.(localpass.Log)
	a.segments, _ = store.(localpass.LogSegments)
	a.work, a.stop = context.WithCancel(context.Background())
	a.restart()
	return a
}

// restart starts a new chain: at the beginning, and after a write whose outcome is
// unknown.
func (a *storeLog) restart() {
	a.chainState = chainState{chain: a.clock.ID()}
	a.broken = a.writer != nil
}

func (a *storeLog) Audit(ctx context.Context, r *Record) error {
	return a.submit(ctx, r.appendJSON(make([]byte, linkSpace, linkSpace+r.size())))
}

// submit writes a record: either this call writes the records of all waiting callers, or
// another call writes this record with its own.
func (a *storeLog) submit(ctx context.Context, buf []byte) error {
	e := &queued{buf: buf}
	a.mu.Lock()
	a.queue = append(a.queue, e)
	if a.writing {
		e.turn = make(chan struct{})
		a.mu.Unlock()
		<-e.turn // ends soon, because each write has a time limit
		if e.done {
			return e.err
		}
		a.mu.Lock()
	}
	a.writing = true
	batch := a.queue
	a.queue = nil
	a.mu.Unlock()

	err := a.write(ctx, batch)

	a.mu.Lock()
	if a.writing = len(a.queue) > 0; a.writing {
		close(a.queue[0].turn) // not done: its owner writes the next batch
	}
	a.mu.Unlock()
	for _, other := range batch {
		if other != e {
			other.err, other.done = err, true
			close(other.turn)
		}
	}
	return err
}

var errClosed = errors.New("the audit log is closed")

// write appends a batch in one write. The context keeps its values but not its
// cancellation, because the batch contains records of other callers.
func (a *storeLog) write(ctx context.Context, batch []*queued) error {
	return a.guarded(ctx, func(ctx context.Context) error {
		if a.closed {
			return errClosed
		}
		if err := a.rotateWhenDue(ctx); err != nil {
			return err
		}
		records := make([]json.RawMessage, 0, len(batch)+1)
		if !a.begun {
			records = append(records, a.segmentHead(ctx))
		}
		for _, e := range batch {
			records = append(records, a.link(e.buf))
		}
		return a.append(ctx, records)
	})
}

// guarded calls f, which may change the chain, exclusively and with a time limit. If f
// fails in any way, a new chain starts.
func (a *storeLog) guarded(ctx context.Context, f func(ctx context.Context) error) (err error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil { // otherwise all waiting callers would wait forever
			err = fmt.Errorf("the store failed: %v", v)
		}
		if err != nil {
			a.restart()
			err = fmt.Errorf("audit: the audit record cannot be written: %w", err)
		}
	}()
	return f(ctx)
}

// append writes records that are already linked.
func (a *storeLog) append(ctx context.Context, records []json.RawMessage) (err error) {
	switch {
	case a.segments != nil:
		if a.writer == nil {
			if a.writer, err = a.segments.LogWriter(logName); err != nil {
				return err
			}
		}
		if a.broken { // a segment holds only one chain
			if err := a.writer.Rotate(ctx); err != nil {
				return err
			}
			a.broken = false
		}
		err = a.writer.Append(ctx, records...)
	case a.log != nil:
		err = a.log.Append(ctx, logName, records...)
	default:
		err = a.put(ctx, records)
	}
	if err != nil {
		return err
	}
	if !a.begun {
		a.begun = true
		a.started()
	}
	a.head = recordHead{a.chain, a.seq, a.prev}
	a.records += uint64(len(records))
	for _, r := range records {
		a.size += int64(len(r))
	}
	return nil
}

// wrote returns the last written record, which must not be removed while the log is open;
// nil if there is none, or if the log is closed and retention may remove it.
func (a *storeLog) wrote() *recordHead {
	a.turn.Lock()
	defer a.turn.Unlock()
	if a.closed || a.head.Seq == 0 {
		return nil
	}
	head := a.head
	return &head
}

// link makes the next record of the chain. The buffer starts with linkSpace bytes, which
// hold the link.
func (a *storeLog) link(buf []byte) json.RawMessage {
	a.seq++
	var space [linkSpace]byte
	link := rpc.AppendString(append(space[:0], `{"chain":`...), a.chain)
	link = strconv.AppendUint(append(link, `,"seq":`...), a.seq, 10)
	link = append(rpc.AppendString(append(link, `,"prev":`...), a.prev), ',')
	from := linkSpace + 1 - len(link) // the link replaces the opening brace
	if from >= 0 {
		copy(buf[from:], link)
		buf = buf[from:]
	} else {
		buf = append(link, buf[linkSpace+1:]...)
	}
	a.prev = digestHex(buf)
	return buf
}

func digestHex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// put stores records as documents, for a store without logs. Keys sort by time and then
// by number.
func (a *storeLog) put(ctx context.Context, records []json.RawMessage) error {
	ops := make([]localpass.Op, len(records))
	now := a.clock.Now().UnixMicro()
	first := a.seq - uint64(len(records)) + 1
	for i, data := range records {
		ops[i] = localpass.Op{Collection: logName, Key: fmt.Sprintf("%016x-%s-%012d", now, a.chain[:min(8, len(a.chain))], first+uint64(i)), Data: data}
	}
	if b, ok := a.store.(localpass.Batcher); ok {
		_, err := b.Batch(ctx, ops...)
		return err
	}
	for _, op := range ops {
		if _, err := a.store.Put(ctx, op.Collection, op.Key, localpass.Document{Data: op.Data}); err != nil {
			return err
		}
	}
	return nil
}

// close seals the chain and ends the background work. The log accepts no more records.
func (a *storeLog) close() error {
	a.stop()
	err := a.guarded(context.Background(), func(ctx context.Context) error {
		if a.closed {
			return nil
		}
		a.closed = true
		if a.midnight != nil && a.midnight.Stop() {
			a.running.Done()
		}
		var err error
		if a.begun {
			err = a.append(ctx, []json.RawMessage{a.seal(sealEnd)})
		}
		if a.writer != nil {
			err = errors.Join(err, a.writer.Close())
		}
		return err
	})
	a.running.Wait()
	return err
}
