package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/logline"
	"github.com/localpass/localpass/persistence/internal/contract"
)

const journalName = "journal"

// journal holds the operations of a batch with their new versions. Renaming the complete
// file into place commits the batch; the file is removed when every document is in place.
type journal struct{ ops []journalOp }

// journalOp is an operation whose Version is the new version, also for a delete.
type journalOp struct {
	localpass.Op
	Updated time.Time
}

func (op journalOp) document() localpass.Document {
	return localpass.Document{Key: op.Key, Version: op.Version, Updated: op.Updated, Data: op.Data}
}

func (j *journal) find(collection, key string) (journalOp, bool) {
	for _, op := range j.ops {
		if op.Collection == collection && op.Key == key {
			return op, true
		}
	}
	return journalOp{}, false
}

func (j *journal) touches(collection string) bool {
	for _, op := range j.ops {
		if op.Collection == collection {
			return true
		}
	}
	return false
}

// puts returns the keys of the documents that the journal writes in a collection.
func (j *journal) puts(collection string) []string {
	var keys []string
	for _, op := range j.ops {
		if op.Collection == collection && !op.Delete {
			keys = append(keys, op.Key)
		}
	}
	return keys
}

func (j *journal) plain() []localpass.Op {
	ops := make([]localpass.Op, len(j.ops))
	for i, op := range j.ops {
		ops[i] = op.Op
	}
	return ops
}

// dropOutdated leaves out operations on documents that were written later. That happens
// only if a power failure brought the journal back: the collection has then given out
// larger versions.
func (j *journal) dropOutdated(locks lockSet, path func(collection, key string) string) {
	last := map[string]int64{}
	for _, op := range j.ops {
		last[op.Collection] = max(last[op.Collection], op.Version)
	}
	kept := j.ops[:0]
	for _, op := range j.ops {
		head, err := readHead(path(op.Collection, op.Key))
		newer := err == nil && head.Version > op.Version
		if !newer && locks[op.Collection].mark <= last[op.Collection] {
			kept = append(kept, op)
		}
	}
	j.ops = kept
}

// writeJournal puts the journal in effect. After an error it is not in effect.
func (s *Store) writeJournal(j *journal) error {
	var buf bytes.Buffer
	for i, op := range j.ops {
		err := logline.Append(&buf, op.Updated, len(j.ops)-1-i, func(buf *bytes.Buffer) error {
			formatOp(buf, op)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if buf.Len() > maxJournal {
		return fmt.Errorf("all that a batch writes has %d bytes; at most %d are allowed", buf.Len(), maxJournal)
	}
	temp, err := s.disk.writeTemp(s.batch.dir, buf.Bytes())
	if err != nil {
		return err
	}
	if err := s.disk.rename(temp, s.journalPath); err != nil {
		s.disk.remove(temp) // else it goes when it is stale
		return err
	}
	if err := s.disk.syncDir(s.batch.dir); err != nil {
		if undo := s.disk.remove(s.journalPath); undo != nil {
			// The journal is in effect and will be applied; it just may not survive a
			// power failure.
			s.warn("a journal may not survive a loss of power", s.journalPath, errors.Join(err, undo))
			return nil
		}
		return err
	}
	return nil
}

// readJournal reads the journal; nil without an error means that there is none.
func (s *Store) readJournal() (*journal, error) {
	b, err := readFile(s.journalPath, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		// Not %w: the cause concerns the store, not the document being read.
		return nil, fmt.Errorf("localpass: cannot read the journal of batches: %v", err)
	}
	if err != nil {
		return nil, err
	}
	j, err := parseJournal(b)
	if err != nil {
		return nil, corrupt(s.journalPath, err)
	}
	return j, nil
}

func parseJournal(b []byte) (*journal, error) {
	j := &journal{}
	more := 0
	for n := 1; len(b) > 0; n++ {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		content, err := logline.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if n > 1 && content.More != more-1 {
			return nil, fmt.Errorf("line %d: lines are missing", n)
		}
		more = content.More
		op, err := parseOp(content)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		j.ops = append(j.ops, op)
	}
	if len(j.ops) == 0 || more != 0 {
		return nil, errors.New("its end is missing")
	}
	return j, nil
}

func formatOp(buf *bytes.Buffer, op journalOp) {
	buf.WriteString(`{"collection":`)
	buf.Write(quoteJSON(op.Collection))
	buf.WriteString(`,"key":`)
	buf.Write(quoteJSON(op.Key))
	buf.WriteString(`,"version":`)
	buf.Write(strconv.AppendInt(buf.AvailableBuffer(), op.Version, 10))
	if !op.Delete {
		buf.WriteString(`,"data":`)
		buf.Write(op.Data)
	}
	buf.WriteByte('}')
}

func parseOp(content logline.Content) (journalOp, error) {
	op := journalOp{Op: localpass.Op{Delete: true}, Updated: content.Time}
	bad := errors.New("it is no operation of a batch")
	err := members(content.Data, func(name, value []byte) (err error) {
		switch string(name) {
		case "collection":
			err = json.Unmarshal(value, &op.Collection)
		case "key":
			err = json.Unmarshal(value, &op.Key)
		case "version":
			op.Version, err = strconv.ParseInt(string(value), 10, 64)
		case "data":
			op.Data, op.Delete = bytes.Clone(value), false
		default:
			err = bad
		}
		return err
	})
	if err != nil || localpass.CheckCollection(op.Collection) != nil || contract.Key(op.Collection, op.Key) != nil || op.Version <= 0 || op.Version >= maxVersion {
		return op, bad // no batch accepts such an operation, and some would block all later writes
	}
	return op, nil
}

// recoverAtOpen finishes a journal if that is possible soon. Leaving it to the next write
// is no error, since readers consult the journal.
func (s *Store) recoverAtOpen() {
	if j, err := s.readJournal(); j == nil && err == nil {
		return
	}
	const patience = time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.recover(ctx); err != nil && ctx.Err() == nil {
		s.warn("a batch can't be finished and is read from its journal", s.journalPath, err)
	}
}
