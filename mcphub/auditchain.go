package mcphub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/clock"
)

// storeAudit writes records to a store before Audit returns. Calls
// that arrive together share one write: whoever finds nobody writing writes for
// all that wait.
//
// Each record names its chain (one per hub and run), its number in it and the
// digest of the record before, so that [VerifyAudit] sees a record that was
// changed, removed or put in between.
type storeAudit struct {
	store localpass.Persistence
	log   localpass.Log // nil when the store keeps no logs
	clock clock.Clock

	mu      sync.Mutex
	writing bool
	queue   []*auditEntry

	// Only whoever writes touches these.
	chain string
	seq   uint64
	prev  string
}

// auditEntry is a record that waits to be written. turn gets nil when it is its
// owner's turn to write the queue, and is closed when the record was written.
type auditEntry struct {
	body []byte // the record without its opening brace
	turn chan struct{}
	err  error
	done bool
}

func newStoreAudit(store localpass.Persistence) *storeAudit {
	a := &storeAudit{store: store}
	a.log, _ = store.(localpass.Log)
	a.restart()
	return a
}

// restart begins a new chain: at first, and after a write whose fate is not
// known.
func (a *storeAudit) restart() { a.chain, a.seq, a.prev = a.clock.ID(), 0, "" }

func (a *storeAudit) Audit(ctx context.Context, r *AuditRecord) error {
	return a.submit(ctx, r.appendJSON(make([]byte, 0, 768))[1:])
}

// submit has a record, without its opening brace, written: by this call for all
// that wait, or by another one that writes for this too.
func (a *storeAudit) submit(ctx context.Context, body []byte) error {
	e := &auditEntry{body: body}
	a.mu.Lock()
	a.queue = append(a.queue, e)
	if a.writing {
		e.turn = make(chan struct{})
		a.mu.Unlock()
		<-e.turn // ends soon: each write is bounded
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
		close(a.queue[0].turn) // not done: it writes the next batch
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

// write appends a batch as one. The context keeps its values and loses its end:
// the records of others are in the batch.
func (a *storeAudit) write(ctx context.Context, batch []*auditEntry) (err error) {
	defer func() {
		if v := recover(); v != nil { // or everybody who waits would wait for ever
			a.restart()
			err = fmt.Errorf("mcphub: the audit record cannot be written: the store failed: %v", v)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	records := make([]json.RawMessage, len(batch))
	for i, e := range batch {
		records[i] = a.link(e.body)
	}
	if a.log != nil {
		err = a.log.Append(ctx, auditLog, records...)
	} else {
		err = a.put(ctx, records)
	}
	if err != nil {
		a.restart()
		return fmt.Errorf("mcphub: the audit record cannot be written: %w", err)
	}
	return nil
}

// link makes the next record of the chain.
func (a *storeAudit) link(body []byte) json.RawMessage {
	a.seq++
	record := make([]byte, 0, len(body)+160)
	record = appendString(append(record, `{"chain":`...), a.chain)
	record = strconv.AppendUint(append(record, `,"seq":`...), a.seq, 10)
	record = appendString(append(record, `,"prev":`...), a.prev)
	record = append(append(record, ','), body...)
	a.prev = digestHex(record)
	return record
}

func digestHex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// put keeps records as documents, for a store without logs. Keys sort by time
// and then by number.
func (a *storeAudit) put(ctx context.Context, records []json.RawMessage) error {
	ops := make([]localpass.Op, len(records))
	now := a.clock.Now().UnixMicro()
	first := a.seq - uint64(len(records)) + 1
	for i, data := range records {
		ops[i] = localpass.Op{Collection: auditLog, Key: fmt.Sprintf("%016x-%s-%012d", now, a.chain[:8], first+uint64(i)), Data: data}
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

// VerifyAudit reads the audit log of a store and checks the chains in it. It
// returns how many records it saw and, when a chain does not hold, an error
// that matches [ErrAuditBroken] and names the first record that does not fit.
// It cannot see that the end of a chain was cut off, or a whole chain: keep the
// count elsewhere where that matters.
func VerifyAudit(ctx context.Context, store localpass.Persistence) (records int, err error) {
	type tail struct {
		seq  uint64
		prev string
	}
	tails := map[string]tail{}
	for data, err := range newStoreAudit(store).read(ctx) {
		if err != nil {
			return records, err
		}
		records++
		var link struct {
			Chain, Prev string
			Seq         uint64
		}
		if err := json.Unmarshal(data, &link); err != nil {
			return records, fmt.Errorf("mcphub: audit record %d: %w: %w", records, ErrAuditBroken, err)
		}
		last := tails[link.Chain]
		if link.Chain == "" || link.Seq != last.seq+1 || link.Prev != last.prev {
			return records, fmt.Errorf("mcphub: audit record %d (number %d of chain %q) does not follow number %d: %w",
				records, link.Seq, link.Chain, last.seq, ErrAuditBroken)
		}
		tails[link.Chain] = tail{link.Seq, digestHex(scan.Compact(nil, data))}
	}
	return records, nil
}
