package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/rag"
)

// Store keeps pipelines. Make one with [NewStore].
type Store struct {
	records localpass.Persistence
	clock   clock.Clock
}

const collection = "rag.pipelines"

// NewStore returns a store over a persistence. now and newID may be nil.
func NewStore(records localpass.Persistence, now func() time.Time, newID func() string) *Store {
	return &Store{records: records, clock: clock.Clock{NowFunc: now, IDFunc: newID}}
}

// Default returns the pipeline of a new library: all documents, nothing changed.
func Default() Pipeline {
	return Pipeline{ID: "default", Name: "All documents (simple)", Description: "Searches all documents with the question as it is."}
}

// List returns all pipelines by name. If there is none, it makes the default one.
func (s *Store) List(ctx context.Context) ([]Pipeline, error) {
	list := []Pipeline{}
	for stored, err := range s.records.List(ctx, collection, localpass.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		var p Pipeline
		if err := stored.Decode(&p); err != nil {
			return nil, fmt.Errorf("pipeline: the record %s: %w: %w", stored.Key, rag.ErrCorrupt, err)
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		p, err := s.Put(ctx, Default())
		return append(list, p), err
	}
	slices.SortFunc(list, func(a, b Pipeline) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Get returns a pipeline; the error matches [localpass.ErrNotFound] if there is none.
func (s *Store) Get(ctx context.Context, id string) (Pipeline, error) {
	var p Pipeline
	stored, err := s.records.Get(ctx, collection, id)
	if err == nil {
		if err = stored.Decode(&p); err != nil {
			err = fmt.Errorf("pipeline: the record %s: %w: %w", id, rag.ErrCorrupt, err)
		}
	}
	return p, err
}

// Put stores a pipeline. One without an ID is new and gets one.
func (s *Store) Put(ctx context.Context, p Pipeline) (Pipeline, error) {
	if strings.TrimSpace(p.Name) == "" {
		return p, fmt.Errorf("pipeline: it has no name: %w", rag.ErrInvalid)
	}
	if err := p.Check(); err != nil {
		return p, err
	}
	p.Updated = s.clock.Now()
	if p.ID == "" {
		p.ID = "pipe-" + s.clock.ID()
	}
	if p.Created.IsZero() {
		p.Created = p.Updated
	}
	text, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	_, err = s.records.Put(ctx, collection, p.ID, localpass.Document{Version: localpass.AnyVersion, Data: text})
	return p, err
}

// Delete removes a pipeline. One that is not there is not an error.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.records.Delete(ctx, collection, id)
}

// UsedBy returns the pipelines that name a document.
func (s *Store) UsedBy(ctx context.Context, document string) ([]Pipeline, error) {
	list, err := s.List(ctx)
	return slices.DeleteFunc(list, func(p Pipeline) bool { return !slices.Contains(p.Documents, document) }), err
}
