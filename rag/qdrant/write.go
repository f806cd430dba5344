package qdrant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Add implements [rag.VectorStore]. A document whose text is stored already is not embedded
// again.
func (s *Store) Add(ctx context.Context, docs ...rag.Document) error {
	return s.replace(ctx, rag.Filter{}, docs)
}

// Replace implements [rag.Replacer].
func (s *Store) Replace(ctx context.Context, where rag.Filter, docs ...rag.Document) error {
	if where.IsZero() {
		return fmt.Errorf("qdrant: the filter is empty, which would select everything: %w", rag.ErrInvalid)
	}
	if err := where.Check(); err != nil {
		return err
	}
	return s.replace(ctx, where, docs)
}

// Delete implements [rag.VectorStore].
func (s *Store) Delete(ctx context.Context, where rag.Filter) error { return s.Replace(ctx, where) }

// DeleteIDs implements [rag.IDDeleter].
func (s *Store) DeleteIDs(ctx context.Context, ids ...string) error {
	c, err := s.current(ctx)
	if err != nil || !c.exists || len(ids) == 0 {
		return err
	}
	_, err = s.client.Delete(ctx, &qdrant.DeletePoints{CollectionName: s.name, Wait: qdrant.PtrOf(true), Points: qdrant.NewPointsSelectorIDs(pointIDs(ids))})
	return wrap(ctx, err)
}

// replace deletes what a filter selects, nothing for the zero filter, and adds documents.
func (s *Store) replace(ctx context.Context, where rag.Filter, docs []rag.Document) error {
	c, err := s.current(ctx)
	if err != nil {
		return err
	}
	known, err := s.knownVectors(ctx, c, docs)
	if err != nil {
		return err
	}
	if docs, err = plan.Documents(ctx, docs, s.describe(c), known); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	if c, err = s.current(ctx); err != nil {
		return err
	}
	var gone []string
	if !where.IsZero() {
		if gone, err = s.selected(ctx, c, where); err != nil {
			return err
		}
	}
	if len(docs) > 0 {
		if err := s.prepare(ctx, c, uint64(len(gone)), docs); err != nil {
			return wrap(ctx, err)
		}
	}
	return wrap(ctx, s.update(ctx, gone, docs))
}

// update deletes documents and adds others, in one request.
func (s *Store) update(ctx context.Context, gone []string, docs []rag.Document) error {
	added := make(map[string]bool, len(docs))
	points := make([]*qdrant.PointStruct, len(docs))
	for i := range docs {
		p, err := encode(&docs[i])
		if err != nil {
			return err
		}
		points[i] = p
		added[docs[i].ID] = true
	}
	var ids []string
	for _, id := range gone {
		if !added[id] {
			ids = append(ids, id)
		}
	}
	var operations []*qdrant.PointsUpdateOperation
	if len(ids) > 0 {
		operations = append(operations, qdrant.NewPointsUpdateDeletePoints(&qdrant.PointsUpdateOperation_DeletePoints{Points: qdrant.NewPointsSelectorIDs(pointIDs(ids))}))
	}
	if len(points) > 0 {
		operations = append(operations, qdrant.NewPointsUpdateUpsert(&qdrant.PointsUpdateOperation_PointStructList{Points: points}))
	}
	if len(operations) == 0 {
		return nil
	}
	_, err := s.client.UpdateBatch(ctx, &qdrant.UpdateBatchPoints{CollectionName: s.name, Wait: qdrant.PtrOf(true), Operations: operations})
	return err
}

// prepare checks the dimension of documents, and makes the collection if it is missing, or
// if it would be empty and has another dimension.
func (s *Store) prepare(ctx context.Context, c collection, gone uint64, docs []rag.Document) error {
	dimension := len(docs[0].Vector)
	if c.exists && (c.count > gone || dimension == c.manifest.Dimension) {
		if err := rag.CheckVector(docs[0].Vector, c.manifest.Dimension); err != nil || c.count > gone {
			return err // all of the call are alike
		}
		return s.client.UpdateCollection(ctx, &qdrant.UpdateCollection{CollectionName: s.name, Metadata: s.metadata()})
	}
	if c.exists {
		if err := s.client.DeleteCollection(ctx, s.name); err != nil {
			return err
		}
	}
	err := s.client.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: s.name, Metadata: s.metadata(),
		VectorsConfig: qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: uint64(dimension), Distance: qdrant.Distance_Cosine})})
	if status.Code(unwrapped(err)) == codes.AlreadyExists {
		err = nil // another program made it; a vector that does not fit is refused by the server
	}
	_, indexErr := s.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{CollectionName: s.name, FieldName: fieldTerms,
		FieldType: qdrant.FieldType_FieldTypeKeyword.Enum(), Wait: qdrant.PtrOf(true)})
	return errors.Join(err, indexErr)
}

func (s *Store) metadata() map[string]*qdrant.Value {
	embedder := ""
	if s.opts.Embedder != nil {
		embedder = rag.DescribeEmbedder(s.opts.Embedder).ID
	}
	return map[string]*qdrant.Value{
		keyEmbedder: qdrant.NewValueString(embedder),
		keyCreated:  qdrant.NewValueString(s.opts.Now().UTC().Format(time.RFC3339Nano)),
	}
}

// knownVectors returns a function that finds the stored vectors of those documents that
// come without one. nil: none is needed.
func (s *Store) knownVectors(ctx context.Context, c collection, docs []rag.Document) (func(id, text string) []float32, error) {
	var ids []string
	for i := range docs {
		if docs[i].Vector == nil && docs[i].ID != "" {
			ids = append(ids, docs[i].ID)
		}
	}
	if len(ids) == 0 || s.opts.Embedder == nil {
		return nil, nil
	}
	stored, err := s.get(ctx, c, ids, true)
	return func(id, text string) []float32 {
		if d, ok := stored[id]; ok && d.Text == text {
			return d.Vector
		}
		return nil
	}, err
}
