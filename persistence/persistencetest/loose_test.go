package persistencetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/persistence/persistencetest"
)

// loose is an engine that follows the documentation of localpass.Persistence and nothing
// more: versions grow in large steps, the white space of documents changes, errors have
// their own texts, and there are few optional interfaces.
type loose struct{ store *memory.Store }

// versionStep is the difference between two versions of a loose engine.
const versionStep = 1000

func (l *loose) inner(version int64) int64 {
	switch {
	case version <= 0:
		return version
	case version%versionStep != 0:
		return 1 << 62 // a version that no document has
	}
	return version / versionStep
}

func (l *loose) outer(doc localpass.Document) localpass.Document {
	doc.Version *= versionStep
	doc.Data = spread(doc.Data)
	return doc
}

// spread adds white space to JSON.
func spread(data json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if data == nil || json.Indent(&out, data, "\t", "  ") != nil {
		return data
	}
	return out.Bytes()
}

// reword returns an error with another text that matches the same sentinel.
func reword(err error, about ...string) error {
	for _, sentinel := range []error{localpass.ErrNotFound, localpass.ErrConflict, localpass.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, sentinel) {
			return fmt.Errorf("%v! %w", about, sentinel)
		}
	}
	if err != nil {
		return errors.New("no")
	}
	return nil
}

func (l *loose) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	doc, err := l.store.Get(ctx, collection, key)
	return l.outer(doc), reword(err, collection, key)
}

func (l *loose) Put(ctx context.Context, collection, key string, doc localpass.Document) (localpass.Document, error) {
	doc.Version = l.inner(doc.Version)
	doc, err := l.store.Put(ctx, collection, key, doc)
	return l.outer(doc), reword(err, collection, key)
}

func (l *loose) Delete(ctx context.Context, collection, key string) error {
	return reword(l.store.Delete(ctx, collection, key), collection, key)
}

func (l *loose) List(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	return func(yield func(localpass.Document, error) bool) {
		for doc, err := range l.store.List(ctx, collection, opts) {
			if !yield(l.outer(doc), reword(err, collection)) {
				return
			}
		}
	}
}

func (l *loose) Append(ctx context.Context, log string, records ...json.RawMessage) error {
	return reword(l.store.Append(ctx, log, records...))
}

func (l *loose) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) {
		for record, err := range l.store.Records(ctx, log, opts) {
			record.Data = spread(record.Data)
			if !yield(record, reword(err)) {
				return
			}
		}
	}
}

// The suite requires nothing that the documentation does not say.
func TestLooseEnginePasses(t *testing.T) {
	persistencetest.Run(t, func(*testing.T) localpass.Persistence { return &loose{memory.New()} }, nil)
}
