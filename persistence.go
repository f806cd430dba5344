package localpass

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// Errors that every [Persistence] returns, wrapped with the collection and the
// key they are about. Test for them with errors.Is.
var (
	// ErrNotFound reports that no document is stored under the key.
	ErrNotFound = errors.New("localpass: document not found")
	// ErrConflict reports that the stored version is not the one the writer
	// read. Read again, apply the change to the stored document, and put again.
	ErrConflict = errors.New("localpass: document changed since it was read")
	// ErrReadOnly reports that the store cannot be written to at all, for
	// example because its directory is not writable.
	ErrReadOnly = errors.New("localpass: store is read-only")
	// ErrClosed reports a call on a store that was closed.
	ErrClosed = errors.New("localpass: store is closed")
)

// Versions a writer may name in [Document.Version] beside one it has read.
const (
	// NoVersion requires that no document is stored under the key yet. It is the zero
	// value, so a new Document never overwrites by accident.
	NoVersion int64 = 0
	// AnyVersion replaces what is stored, if anything is.
	AnyVersion int64 = -1
)

// Document is one versioned JSON document.
type Document struct {
	// Key names the document within its collection. Put sets it.
	Key string
	// Version changes with every write of the key. It is positive, grows, and is not
	// reused after a delete; the number means nothing else.
	Version int64
	// Updated is the time of the write, in UTC, to the microsecond or finer. It stays
	// as Put returned it.
	Updated time.Time
	// Data is the document itself: one JSON value in valid UTF-8. Its tokens come back
	// exactly as they were put; white space between them may differ.
	Data json.RawMessage
}

// Decode unmarshals the document's data into v.
func (d Document) Decode(v any) error { return json.Unmarshal(d.Data, v) }

// ListOptions selects what [Persistence.List] yields. The zero value selects
// every document of the collection in ascending key order.
type ListOptions struct {
	// Prefix keeps only keys that begin with it. It may be any text, also one that no
	// key begins with.
	Prefix string
	// After skips keys up to and including this one, in the order of the listing: with
	// Reverse it skips keys that are equal or larger. It may be any text, also one that
	// is no key. Empty starts at the beginning.
	After string
	// Limit ends the listing after so many documents. 0 means no limit.
	Limit int
	// Reverse lists in descending key order.
	Reverse bool
}

// Persistence keeps versioned JSON documents by collection and key. Every package that
// stores something uses it; this module has the implementations persistence/file and
// persistence/memory, and the suite persistence/persistencetest for any other. The suite
// asks for what is said here, and for nothing else.
//
// Obligations of an implementation, which hold for its upgrades too:
//
//   - Every method is safe for concurrent use, and several processes may share the same
//     store, unless the implementation is documented for one process: of two writers
//     that name the same version, at most one succeeds.
//   - A document is written whole or not at all, and when Put returns, it outlives the
//     process, where the store keeps anything longer than that.
//   - Names of collections, and keys, are those that [CheckCollection] and [CheckKey]
//     accept. Others are refused. Both are compared byte by byte: "a" and "A" differ. A
//     collection needs no making: one that was never written is empty.
//   - What is refused for what it is (a name, a key, data, a version below -1) gives an
//     error that matches neither ErrNotFound nor ErrConflict, and changes nothing.
//   - With an error, the other results are zero values.
//   - Bytes that are passed in are not kept, and bytes that are returned belong to the
//     caller: either side may change its own.
//   - A document that can no longer be read does not hide the others.
//   - Every method ends soon after its context does, with an error that matches the
//     context's. One that is called with a context that has ended changes nothing.
//   - Where there is a Close method, it may be called again. After it every other method
//     gives ErrClosed, watches have ended, and nothing runs in the background.
//
// Further abilities are optional upgrades, found by type assertion: [Watcher],
// [Batcher], [Log], [LogSegments].
type Persistence interface {
	// Get returns the document, or ErrNotFound.
	Get(ctx context.Context, collection, key string) (Document, error)
	// Put stores doc.Data under key if doc.Version is the stored version ([NoVersion]:
	// there is none; [AnyVersion]: whatever it is) and returns the document with its new
	// version, or ErrConflict. A version of a document that was deleted is a conflict.
	// doc.Key and doc.Updated are ignored.
	Put(ctx context.Context, collection, key string, doc Document) (Document, error)
	// Delete removes the document, or returns ErrNotFound.
	Delete(ctx context.Context, collection, key string) error
	// List yields documents in the order of their keys. It sees every document that
	// exists during the whole iteration; one written meanwhile may be seen or not. The
	// loop may use the store. Iteration stops at the first error, which is yielded with
	// a zero Document. The iterator may be ranged over again, which lists anew.
	List(ctx context.Context, collection string, opts ListOptions) iter.Seq2[Document, error]
}

// Change says that a document was written or deleted.
type Change struct {
	Key     string
	Version int64 // the new version; 0 when Deleted
	Deleted bool
}

// Watcher is the upgrade of a [Persistence] that can report changes, those of other
// processes included.
type Watcher interface {
	// Watch yields a change for each write and delete that happens after the first
	// iteration step has started to wait, until ctx ends or the store is closed (the
	// last pair is then the context's error or ErrClosed, with a zero Change) or the
	// loop is left. Several changes of one key may arrive as one, but the last one
	// always arrives: read the document to learn its current content. A document that
	// was made and deleted in between may not arrive at all.
	Watch(ctx context.Context, collection string) iter.Seq2[Change, error]
}

// Op is one step of a batch: a put, or a delete when Delete is set.
type Op struct {
	Collection string
	Key        string
	// Version as in [Persistence.Put]. For a delete it is the version that must be
	// stored, or AnyVersion, which gives ErrNotFound when there is no document;
	// NoVersion is refused.
	Version int64
	Data    json.RawMessage
	Delete  bool
}

// Batcher is the upgrade of a [Persistence] that can write several documents
// as one.
type Batcher interface {
	// Batch applies all operations or none; no operations are no error. The documents
	// come back in the order of ops; a deleted one has only its key. Two operations on
	// one key of one collection are refused. A reader that sees one document of a batch
	// as it is after it sees no other one as it was before, and after a crash at any
	// point the whole batch or nothing of it is there.
	Batch(ctx context.Context, ops ...Op) ([]Document, error)
}

// Record is one entry of an append-only log.
type Record struct {
	// Position names the place after this record, for [LogOptions.After]. It is not
	// empty, and means nothing else.
	Position string
	// Time is when the record was appended, in UTC, to the microsecond or finer.
	Time time.Time
	// Data is the JSON value that was appended.
	Data json.RawMessage
}

// LogOptions selects what [Log.Records] yields. The zero value selects all.
type LogOptions struct {
	// After skips everything up to this position. When its segment was removed, reading
	// continues with the next one.
	After string
	// Limit ends after so many records. 0 means no limit.
	Limit int
	// Segment keeps only the records of this segment, as [LogSegments] names
	// it; a store without that upgrade refuses it. One that is not there gives
	// ErrNotFound.
	Segment string
	// Damaged, if not nil, is called for each part of a segment that is not readable
	// and left out, with the reason, before the record that follows it. It is called by
	// the goroutine that reads. A tail that a crash has cut off is no damage, and a
	// store that cannot tell does not call it.
	Damaged func(why error)
}

// Log is the upgrade of a [Persistence] that keeps append-only logs beside its
// documents: audit records, spans, long histories.
type Log interface {
	// Append adds the records in order, next to each other, and returns when they
	// outlive the process; after a crash all of them are there or none. No records are
	// no error. One record that is no JSON value in valid UTF-8 refuses all. An
	// implementation says how soon the records outlive a loss of power too; when what it
	// accepted turns out to be lost, a later Append fails. A log is named like a
	// collection, and has nothing in common with a collection of that name.
	Append(ctx context.Context, log string, records ...json.RawMessage) error
	// Records yields what was appended: the records of one writer in their order,
	// writers one after another. A tail that was cut off by a crash is left out, and
	// what was appended before it is not. A log that was never written is empty. The
	// iterator may be ranged over again.
	Records(ctx context.Context, log string, opts LogOptions) iter.Seq2[Record, error]
}

// LogSegment is one segment of a log: records that one writer appended, one
// after the other.
type LogSegment struct {
	// ID names the segment within its log. IDs sort, byte by byte, in the order
	// in which Records yields the segments: that in which they were started.
	ID string
	// Size is what it takes, in bytes, and Updated when it was appended to last.
	Size    int64
	Updated time.Time
}

// LogTail is how a segment ends.
type LogTail struct {
	// Last is the last record. Its Data is nil when there is none.
	Last Record
	// Open says that a writer may still append to the segment. It ends with its writer:
	// when that is closed, and when its process is gone.
	Open bool
	// Torn is how many bytes follow the last record of a segment that is not open: a
	// record whose writing a crash cut off, which never counted.
	Torn int64
}

// LogSegments is the upgrade of a [Log] whose segments are visible: their writer ends
// them, and each can be read and removed by itself. A log that is kept for years needs
// that.
type LogSegments interface {
	Log
	// LogWriter returns a writer of the log. It writes nothing yet.
	LogWriter(log string) (LogWriter, error)
	// Segments lists the segments of the log in their order.
	Segments(ctx context.Context, log string) ([]LogSegment, error)
	// SegmentTail says how a segment ends, or gives ErrNotFound.
	SegmentTail(ctx context.Context, log, segment string) (LogTail, error)
	// RemoveSegment removes a segment for good. One that is open gives ErrConflict, one
	// that is not there ErrNotFound.
	RemoveSegment(ctx context.Context, log, segment string) error
}

// LogWriter appends to segments of its own, so that only its user decides what they
// contain and where they end. It is safe for concurrent use. After Close, and after the
// end of its store, Append and Rotate give ErrClosed.
type LogWriter interface {
	// Append is [Log.Append] to this writer's segment. Where there is none, it begins
	// one, which comes after all that the writer has written before.
	Append(ctx context.Context, records ...json.RawMessage) error
	// Rotate ends the segment, if there is one: it is not open any more, and the
	// next Append begins another.
	Rotate(ctx context.Context) error
	// Close ends the segment and the writer. It may be called again.
	Close() error
}
