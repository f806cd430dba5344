package access

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/localpass/localpass/rag"
)

// keyScope is the key of metadata with the name of a document's scope. Callers do not see
// it.
const keyScope = "_scope"

// maxName is the longest name of a scope, in bytes.
const maxName = 64

// Scoped is the part of a store that has one name. It has the upgrades of a
// [rag.VectorStore] but StatsReader; one that the shared store lacks returns
// errors.ErrUnsupported.
type Scoped struct {
	store  rag.VectorStore
	prefix string // of ids in the shared store
	within rag.Filter
	name   string
}

var _ interface {
	rag.VectorStore
	rag.IDDeleter
	rag.Getter
	rag.Scanner
	rag.Replacer
} = (*Scoped)(nil)

// Scope returns the part of a store with a name, such as the id of a tenant: at most 64
// bytes, without "/". Its documents have ids of their own, so that the same id in two
// scopes is two documents; an id may be shorter by the length of the name. A search, a
// deletion and a replacement reach the documents of the scope alone, whatever their filter.
// All documents of the shared store should be added through scopes.
func Scope(store rag.VectorStore, name string) (*Scoped, error) {
	if store == nil || name == "" || len(name) > maxName || strings.Contains(name, "/") {
		return nil, fmt.Errorf("access: a scope needs a store and a name of 1 to %d bytes without a slash: %w", maxName, rag.ErrInvalid)
	}
	return &Scoped{store: store, prefix: name + "/", within: rag.Equal(keyScope, name), name: name}, nil
}

// stored returns documents as the shared store keeps them.
func (s *Scoped) stored(docs []rag.Document) ([]rag.Document, error) {
	out := make([]rag.Document, len(docs))
	for i, d := range docs {
		if d.ID == "" {
			return nil, fmt.Errorf("access: document %d has no id: %w", i, rag.ErrInvalid)
		}
		metadata := make(map[string]any, len(d.Metadata)+1)
		for key, v := range d.Metadata {
			if key == keyScope {
				return nil, fmt.Errorf("access: document %q has the metadata key %q, which is reserved: %w", d.ID, keyScope, rag.ErrInvalid)
			}
			metadata[key] = v
		}
		metadata[keyScope] = s.name
		d.ID, d.Metadata = s.prefix+d.ID, metadata
		out[i] = d
	}
	return out, nil
}

// restore turns a document of the shared store into one of the scope.
func (s *Scoped) restore(d *rag.Document) error {
	id, ok := strings.CutPrefix(d.ID, s.prefix)
	if !ok || d.Metadata[keyScope] != s.name {
		return fmt.Errorf("access: the store returned a document of another scope than %q", s.name)
	}
	d.ID = id
	if delete(d.Metadata, keyScope); len(d.Metadata) == 0 {
		d.Metadata = nil
	}
	return nil
}

func blank(req *rag.SearchRequest) bool {
	return req.Vector == nil && strings.TrimSpace(req.Query) == ""
}

// Add implements [rag.VectorStore].
func (s *Scoped) Add(ctx context.Context, docs ...rag.Document) error {
	docs, err := s.stored(docs)
	if err != nil {
		return err
	}
	return s.store.Add(ctx, docs...)
}

// Search implements [rag.VectorStore].
func (s *Scoped) Search(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	if err := limited(&req, s.within); err != nil {
		return nil, err
	}
	found, err := s.store.Search(ctx, req)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if err := s.restore(&found[i].Document); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// narrow adds the scope to the filter of a deletion.
func (s *Scoped) narrow(where rag.Filter) (rag.Filter, error) {
	if where.IsZero() {
		return where, fmt.Errorf("access: the filter is empty, which would select everything: %w", rag.ErrInvalid)
	}
	return rag.And(s.within, where), where.Check()
}

// Delete implements [rag.VectorStore].
func (s *Scoped) Delete(ctx context.Context, where rag.Filter) error {
	where, err := s.narrow(where)
	if err != nil {
		return err
	}
	return s.store.Delete(ctx, where)
}

func lacks(upgrade string) error {
	return fmt.Errorf("access: the shared store has no %s: %w", upgrade, errors.ErrUnsupported)
}

// Replace implements [rag.Replacer].
func (s *Scoped) Replace(ctx context.Context, where rag.Filter, docs ...rag.Document) error {
	r, ok := s.store.(rag.Replacer)
	if !ok {
		return lacks("Replace")
	}
	where, err := s.narrow(where)
	if err != nil {
		return err
	}
	if docs, err = s.stored(docs); err != nil {
		return err
	}
	return r.Replace(ctx, where, docs...)
}

func (s *Scoped) prefixed(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = s.prefix + id
	}
	return out
}

// DeleteIDs implements [rag.IDDeleter].
func (s *Scoped) DeleteIDs(ctx context.Context, ids ...string) error {
	d, ok := s.store.(rag.IDDeleter)
	if !ok {
		return lacks("DeleteIDs")
	}
	return d.DeleteIDs(ctx, s.prefixed(ids)...)
}

// Get implements [rag.Getter].
func (s *Scoped) Get(ctx context.Context, ids ...string) ([]rag.Document, error) {
	g, ok := s.store.(rag.Getter)
	if !ok {
		return nil, lacks("Get")
	}
	docs, err := g.Get(ctx, s.prefixed(ids)...)
	if err != nil {
		return nil, err
	}
	for i := range docs {
		if err := s.restore(&docs[i]); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// Scan implements [rag.Scanner].
func (s *Scoped) Scan(ctx context.Context, where rag.Filter) iter.Seq2[rag.Document, error] {
	return func(yield func(rag.Document, error) bool) {
		scanner, ok := s.store.(rag.Scanner)
		if !ok {
			yield(rag.Document{}, lacks("Scan"))
			return
		}
		if err := where.Check(); err != nil {
			yield(rag.Document{}, err)
			return
		}
		for d, err := range scanner.Scan(ctx, rag.And(s.within, where)) {
			if err == nil {
				err = s.restore(&d)
			}
			if err != nil {
				yield(rag.Document{}, err)
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}
