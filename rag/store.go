package rag

import (
	"context"
	"iter"
)

// DefaultTopK is the number of matches for a request with TopK 0.
const DefaultTopK = 10

// VectorStore keeps documents with vectors, and finds them by similarity. The suite
// ragtest.TestStore holds an implementation to these obligations:
//
//   - It is safe for concurrent use, and every method returns soon after its context ends,
//     with an error that matches the context's.
//   - Add inserts documents, or replaces those with the same id, all or none: a concurrent
//     search sees all documents of a call or none. [CloneDocuments] says what is accepted.
//     A document without a vector gets one from the store's embedder; without an embedder
//     it is an error, or the document is found by words alone. All vectors have one
//     dimension. The caller may change its documents afterwards.
//   - Search scores by cosine similarity in [ModeVector], from -1 to 1. It follows
//     [SearchRequest], and applies the filter before it counts: a search with a filter
//     returns TopK matches if there are that many. A mode that the store lacks is an error
//     that matches errors.ErrUnsupported. A blank Query without a Vector needs a Filter,
//     and returns what it selects by id, with the score 0. The matches belong to the
//     caller.
//   - Delete removes what the filter selects; removing nothing is not an error. The zero
//     filter is an error, never everything.
//   - Filters agree with [Filter.Matches] on every document. A filter that cannot be
//     applied is an error.
//
// The interfaces below are optional upgrades, found by type assertion.
type VectorStore interface {
	Add(ctx context.Context, docs ...Document) error
	Search(ctx context.Context, req SearchRequest) ([]Match, error)
	Delete(ctx context.Context, where Filter) error
}

// IDDeleter is the upgrade of a [VectorStore] that deletes by id. An id that is not stored
// is not an error.
type IDDeleter interface {
	DeleteIDs(ctx context.Context, ids ...string) error
}

// Getter is the upgrade of a [VectorStore] that reads documents by id, with their vectors,
// in the order of the ids. Ids that are not stored are left out.
type Getter interface {
	Get(ctx context.Context, ids ...string) ([]Document, error)
}

// Scanner is the upgrade of a [VectorStore] that yields all documents that a filter
// selects, with their vectors, by id. The zero filter selects all. It needs no embedder.
// The loop body may use the store; a document written meanwhile may be yielded or not.
type Scanner interface {
	Scan(ctx context.Context, where Filter) iter.Seq2[Document, error]
}

// Replacer is the upgrade of a [VectorStore] that replaces what a filter selects by other
// documents in one step, so that a search never sees half of a changed file. The filter
// must not be zero. Without documents it is a deletion.
type Replacer interface {
	Replace(ctx context.Context, where Filter, docs ...Document) error
}

// Reembedder is the upgrade of a [VectorStore] that makes all vectors anew, with an embedder
// that it uses from then on. progress, if not nil, is called after each batch. Searches use
// the former vectors until all are made; after an error everything is as before.
type Reembedder interface {
	Reembed(ctx context.Context, e Embedder, progress func(done, total int)) error
}

// StatsReader is the upgrade of a [VectorStore] that reports its size.
type StatsReader interface {
	Stats(ctx context.Context) (Stats, error)
}

// Stats describes the content of a store.
type Stats struct {
	Documents int
	// Dimension is the length of the vectors; 0: none is stored yet.
	Dimension int
	// Modes are the modes that Search accepts, in addition to [ModeDefault]; the first
	// one is what ModeDefault means at the moment.
	Modes []Mode
	// Manifest describes how the vectors were made.
	Manifest Manifest
	// DiskBytes is the size of the files; 0 if the store has none or cannot tell.
	DiskBytes int64
}

// Names of [Match].Scores.
const (
	ScoreVector  = "vector"  // cosine similarity
	ScoreLexical = "lexical" // BM25; scores of different queries cannot be compared
)
